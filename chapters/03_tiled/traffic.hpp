// The arithmetic of chapter 03: tiles through shared memory, for sizes that are multiples of the tile.
#pragma once

#include "arithmetic.hpp"

namespace ladder {

// [tiled-traffic]
/// A block of TILE x TILE threads is TILE * TILE / 32 warps, each 32 / TILE rows of a tile. In each of the K / TILE
/// steps a warp loads and stores 32 elements of each tile, and then reads two words for each of TILE values of k.
/// Each piece of A is loaded by all blocks of a row of blocks, each piece of B by all of a column. 32 consecutive
/// words fill the 32 banks once, and a row of tile_B or a column of tile_A is one word a bank: every shared request
/// takes one wavefront.
template <int TILE>
constexpr Traffic tiled_traffic(const Shape& shape) {
  const auto [M, N, K] = shape;
  const std::uint64_t down = M / TILE, across = N / TILE, steps = K / TILE;
  const std::uint64_t warps = down * across * (TILE * TILE / 32);
  Traffic t;
  t.load(across, pieces(M, K, 32 / TILE, TILE));
  t.load(down, pieces(K, N, 32 / TILE, TILE));
  t.store(pieces(M, N, 32 / TILE, TILE));
  t.shared_store_requests = t.shared_store_wavefronts = 2 * steps * warps;
  t.shared_load_requests = t.shared_load_wavefronts = 2 * TILE * steps * warps;
  t.barriers = 2 * steps * down * across;
  t.flops = 2 * M * N * K;
  return t;
}
// [/tiled-traffic]

}  // namespace ladder

// The arithmetic of chapter 03: tiles through shared memory, for sizes that are multiples of the tile.
#pragma once

#include "arithmetic.hpp"

namespace ladder {

// [tiled-traffic]
/// A block of TILE x TILE threads is TILE * TILE / 32 warps. In each of the K / TILE steps a warp loads and
/// stores 32 elements of each tile, and then reads two words for each of TILE values of k. Rows of a tile are
/// whole sectors (TILE is a multiple of 8), 32 consecutive words fill the 32 banks once, and a row of tile_B or
/// a column of tile_A is one word a bank: every shared request takes one wavefront.
template <int TILE>
constexpr Traffic tiled_traffic(const Shape& shape) {
  const auto [M, N, K] = shape;
  const std::uint64_t blocks = (M / TILE) * (N / TILE), steps = K / TILE;
  const std::uint64_t warps = blocks * (TILE * TILE / 32);
  Traffic t;
  t.global_load_requests = 2 * steps * warps;
  t.global_load_sectors = 4 * t.global_load_requests;  // 32 words of 4 bytes are four sectors
  t.global_store_requests = warps;
  t.global_store_sectors = 4 * warps;
  t.shared_store_requests = t.shared_store_wavefronts = 2 * steps * warps;
  t.shared_load_requests = t.shared_load_wavefronts = 2 * TILE * steps * warps;
  t.barriers = 2 * steps * blocks;
  t.flops = 2 * M * N * K;
  return t;
}
// [/tiled-traffic]

}  // namespace ladder

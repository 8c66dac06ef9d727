// The arithmetic of chapter 04: tiles that hang over the edges.
#pragma once

#include "arithmetic.hpp"
#include "variant.hpp"

namespace ladder {

// [bounded-traffic]
/// As chapter 03 for any size. Blocks and steps are rounded up; every thread stores to shared memory and reads
/// from it, inside the matrices or not; but only lanes inside load from global memory and store there, and a
/// warp without such a lane makes no request. Rows of A and C no longer begin at a sector.
template <int TILE>
constexpr Traffic bounded_traffic(const Shape& shape) {
  const auto [M, N, K] = shape;
  const Fold fold = ladder::fold(ceil_div(M, TILE));
  const std::uint64_t down = fold.y * fold.z, across = ceil_div(N, TILE), steps = ceil_div(K, TILE);
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
// [/bounded-traffic]

}  // namespace ladder

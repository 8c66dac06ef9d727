// The arithmetic of chapter 04: tiles that hang over the edges.
#pragma once

#include "arithmetic.hpp"
#include "variant.hpp"

#include <algorithm>

namespace ladder {

// [bounded-traffic]
/// As chapter 03 for any size. Blocks and steps are rounded up; every thread stores to shared memory and reads
/// from it, inside the matrices or not; but only lanes inside load from global memory and store there, and a
/// warp without such a lane makes no request. Rows of A and C no longer begin at a sector.
template <int TILE>
constexpr Traffic bounded_traffic(const Shape& shape) {
  const auto [M, N, K] = shape;
  constexpr std::int64_t rows = 32 / TILE;  // a warp is `rows` rows of a tile
  const Fold fold = ladder::fold(ceil_div(M, TILE));
  const std::uint64_t down = fold.y * fold.z, across = ceil_div(N, TILE), steps = ceil_div(K, TILE);
  const std::uint64_t warps = down * across * (TILE * TILE / 32);
  Traffic t;
  for (std::int64_t k = 0; k < K; k += TILE)  // tiles of A: the blocks of one row of blocks load the same ones
    for (std::int64_t row = 0; row < M; row += rows) {
      t.global_load_requests += across;
      t.global_load_sectors += across * piece_sectors(K, row, k, std::min(rows, M - row), std::min<std::int64_t>(TILE, K - k));
    }
  for (std::int64_t col = 0; col < N; col += TILE)  // tiles of B: those of one column of blocks
    for (std::int64_t k = 0; k < K; k += rows) {
      t.global_load_requests += down;
      t.global_load_sectors += down * piece_sectors(N, k, col, std::min(rows, K - k), std::min<std::int64_t>(TILE, N - col));
    }
  for (std::int64_t col = 0; col < N; col += TILE)
    for (std::int64_t row = 0; row < M; row += rows) {
      ++t.global_store_requests;
      t.global_store_sectors += piece_sectors(N, row, col, std::min(rows, M - row), std::min<std::int64_t>(TILE, N - col));
    }
  t.shared_store_requests = t.shared_store_wavefronts = 2 * steps * warps;
  t.shared_load_requests = t.shared_load_wavefronts = 2 * TILE * steps * warps;
  t.barriers = 2 * steps * down * across;
  t.flops = 2 * M * N * K;
  return t;
}
// [/bounded-traffic]

}  // namespace ladder

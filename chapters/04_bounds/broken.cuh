// Chapter 04 with one fault each.
#pragma once

#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

namespace ladder {

enum class BoundsFault { none, guard_on_B_only, early_return, needs_both_outside, linear_guard };

// [broken]
template <typename T, int TILE, BoundsFault FAULT>
__global__ void bounded_broken(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE];
  __shared__ T tile_B[TILE][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;
  if constexpr (FAULT == BoundsFault::early_return)
    if (row >= M || col >= N) return;  // the others wait for this thread, and miss what it should have loaded

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if constexpr (FAULT == BoundsFault::guard_on_B_only)
      tile_A[ty][tx] = A[std::int64_t(row) * K + k0 + tx];  // the next row's first elements: times zeros of B?
    else
      tile_A[ty][tx] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();

    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    __syncthreads();
  }
  bool store = row < M && col < N;
  if constexpr (FAULT == BoundsFault::needs_both_outside) store = row < M || col < N;
  if constexpr (FAULT == BoundsFault::linear_guard) store = std::int64_t(row) * N + col < std::int64_t(M) * N;
  if (store) C[std::int64_t(row) * N + col] = sum;
}
// [/broken]

/// A grid rounded down leaves the last rows and columns to nobody.
template <int TILE>
Geometry floor_geometry(const Shape& shape) {
  return {.grid = {shape.N / TILE, shape.M / TILE}, .block = {TILE, TILE}};
}

template <typename T>
void describe_broken(KernelChapter<T>& chapter) {
  chapter.breaks("floor-grid", "the grid is N / TILE x M / TILE, rounded down", SeenBy::both,
                 bounded_broken<T, 16, BoundsFault::none>, floor_geometry<16>, bounded_traffic<16>);
  chapter.breaks("guard-on-B-only", "A is loaded without a bounds check", SeenBy::both,
                 bounded_broken<T, 16, BoundsFault::guard_on_B_only>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.breaks("early-return", "threads outside C return before the barrier", SeenBy::both,
                 bounded_broken<T, 16, BoundsFault::early_return>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.breaks("needs-both-outside", "C is stored unless both row and column are outside", SeenBy::both,
                 bounded_broken<T, 16, BoundsFault::needs_both_outside>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.breaks("linear-guard", "C is stored if row * N + col < M * N", SeenBy::both,
                 bounded_broken<T, 16, BoundsFault::linear_guard>, bounded_geometry<16>, bounded_traffic<16>);
}

}  // namespace ladder

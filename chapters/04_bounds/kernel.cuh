// Chapter 04: the tiled kernel for any M, N and K: what lies outside the matrices counts as zero.
#pragma once

#include "simt/simt.hpp"
#include "variant.hpp"

#include <cstdint>

namespace ladder {

// [bounded]
template <typename T, int TILE>
__global__ void bounded(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE];  // A[this block's rows][k0 ... k0 + TILE)
  __shared__ T tile_B[TILE][TILE];  // B[k0 ... k0 + TILE)[this block's columns]

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[ty][tx] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();                                        // nobody reads before everybody has loaded

    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    __syncthreads();                                        // nobody overwrites what somebody still reads
  }
  if (row < M && col < N) C[std::int64_t(row) * N + col] = sum;
}
// [/bounded]

// [bounded-geometry]
template <int TILE>
Geometry bounded_geometry(const Shape& shape) {
  const Fold rows = fold(ceil_div(shape.M, TILE));  // rows of blocks; the grid's y ends at 65 535
  return {.grid = {ceil_div(shape.N, TILE), rows.y, rows.z}, .block = {TILE, TILE}};
}
// [/bounded-geometry]

}  // namespace ladder

// Chapter 03: a block loads a tile of A and a tile of B into shared memory and uses every element TILE times.
#pragma once

#include "simt/simt.hpp"
#include "variant.hpp"

#include <cstdint>

namespace ladder {

// [tiled]
template <typename T, int TILE>
__global__ void tiled(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE];  // A[this block's rows][k0 ... k0 + TILE)
  __shared__ T tile_B[TILE][TILE];  // B[k0 ... k0 + TILE)[this block's columns]

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = blockIdx.y * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[ty][tx] = A[std::int64_t(row) * K + k0 + tx];    // each thread loads one element of each tile
    tile_B[ty][tx] = B[std::int64_t(k0 + ty) * N + col];
    __syncthreads();                                        // nobody reads before everybody has loaded

    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    __syncthreads();                                        // nobody overwrites what somebody still reads
  }
  C[std::int64_t(row) * N + col] = sum;
}
// [/tiled]

// [tiled-geometry]
template <int TILE>
Geometry tiled_geometry(const Shape& shape) {
  return {.grid = {ceil_div(shape.N, TILE), ceil_div(shape.M, TILE)}, .block = {TILE, TILE}};
}
// [/tiled-geometry]

/// Without bounds checks every thread must have an element, and every tile must be full.
template <int TILE>
std::string multiples_only(const Shape& shape) {
  const std::pair<char, std::int64_t> dimensions[] = {{'M', shape.M}, {'N', shape.N}, {'K', shape.K}};
  for (const auto& [name, size] : dimensions)
    if (size % TILE != 0)
      return std::string(1, name) + " = " + std::to_string(size) + " is no multiple of " + std::to_string(TILE) +
             "; 04_bounds takes any size";
  return "";
}

}  // namespace ladder

// Chapter 05: the 32 banks of shared memory. Padding the plain tile, where it only costs; storing the A tile
// by columns, where conflicts are real; and two cures for that: a padding word a row, and an XOR swizzle.
#pragma once

#include "simt/simt.hpp"
#include "variant.hpp"

#include <cstdint>

namespace ladder {

// The plain tile with PAD unused words at the end of each row. Its accesses had no conflicts to begin with.
// [padded]
template <typename T, int TILE, int PAD>
__global__ void padded(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE + PAD];  // A[this block's rows][k0 ... k0 + TILE)
  __shared__ T tile_B[TILE][TILE + PAD];  // B[k0 ... k0 + TILE)[this block's columns]

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[ty][tx] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();

    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[std::int64_t(row) * N + col] = sum;
}
// [/padded]

// The A tile is stored by columns: thread tx writes row tx of tile_A, so a warp writes down one column, and
// words TILE + PAD apart all lie in one bank when PAD = 0 and TILE = 32.
// [transposed]
template <typename T, int TILE, int PAD>
__global__ void transposed(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE + PAD];  // transposed: tile_A[k][row]
  __shared__ T tile_B[TILE][TILE];        // tile_B[k][col]

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[tx][ty] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();

    for (int k = 0; k < TILE; ++k) sum += tile_A[k][ty] * tile_B[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[std::int64_t(row) * N + col] = sum;
}
// [/transposed]

// The same tile without an unused word: row k keeps its elements at column XOR k, so that the column that a
// warp writes is spread over all banks. TILE must be a power of two, so that the XOR stays inside the row.
// Left alone, the compiler keeps all TILE XORed addresses in registers, so many that only one block fits an
// SM; BLOCKS = 2 in the launch bounds makes it compute them again and again, which costs nothing here.
// [swizzled]
template <typename T, int TILE, int BLOCKS>
__global__ void __launch_bounds__(TILE * TILE, BLOCKS)
swizzled(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE];  // transposed and swizzled: element (k, row) is tile_A[k][row ^ k]
  __shared__ T tile_B[TILE][TILE];  // tile_B[k][col]

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[tx][ty ^ tx] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();

    for (int k = 0; k < TILE; ++k) sum += tile_A[k][ty ^ k] * tile_B[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[std::int64_t(row) * N + col] = sum;
}
// [/swizzled]

}  // namespace ladder

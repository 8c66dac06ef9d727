// Kernels that the tracer's own tests run: the plain ladder, and probes of single rules.
#pragma once

#include "simt/simt.hpp"

namespace probe {

template <typename T>
__global__ void naive(const T* A, const T* B, T* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    T sum = 0;
    for (int k = 0; k < K; ++k) sum += A[std::int64_t(row) * K + k] * B[std::int64_t(k) * N + col];
    C[std::int64_t(row) * N + col] = sum;
  }
}

template <typename T>
__global__ void swapped(const T* A, const T* B, T* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    T sum = 0;
    for (int k = 0; k < K; ++k) sum += A[std::int64_t(row) * K + k] * B[std::int64_t(k) * N + col];
    C[std::int64_t(row) * N + col] = sum;
  }
}

/// Tiled, for every size. PAD words are added to each row of the tiles.
template <typename T, int TILE, int PAD = 0>
__global__ void tiled(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE + PAD];
  __shared__ T tile_B[TILE][TILE + PAD];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
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

/// The A tile is stored transposed: neighbouring lanes store a whole row of banks apart.
template <typename T, int TILE, int PAD = 0>
__global__ void transposed(const T* A, const T* B, T* C, int, int N, int K) {
  __shared__ T tile_A[TILE][TILE + PAD];
  __shared__ T tile_B[TILE][TILE + PAD];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[tx][ty] = A[std::int64_t(row) * K + k0 + tx];
    tile_B[ty][tx] = B[std::int64_t(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += tile_A[k][ty] * tile_B[k][tx];
    __syncthreads();
  }
  C[std::int64_t(row) * N + col] = sum;
}

/// Divergence in four forms; the lanes of the one warp go different ways.
enum class Ways { if_else, trip_count_is_lane, nested_ragged_loops, every_third_leaves };
template <typename T, Ways ways>
__global__ void diverging(const T* A, const T* B, T* C) {
  const int x = threadIdx.x;
  T sum = 0;
  if (ways == Ways::if_else) {
    if (x % 2 == 0) {
      sum += A[x];
    } else {
      sum += B[x];
    }
  } else if (ways == Ways::trip_count_is_lane) {
    for (int j = 0; j < x; ++j) sum += A[j * 32 + x];
  } else if (ways == Ways::nested_ragged_loops) {
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < (x + i) % 4; ++j) sum += A[(i * 4 + j) * 32 + x];
  } else {
    for (int j = 0; j < 300; ++j) {  // more than the tracer holds back before it counts
      if (x % 3 == 0 && j == x) break;
      sum += A[j % 32 * 32 + x];
    }
  }
  C[x] = sum;
}

/// A 32 x 32 transpose through shared memory, whose columns are read as rows.
template <typename T, int PAD>
__global__ void transpose(const T* A, T* C, int N) {
  __shared__ T tile[32][32 + PAD];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = A[(blockIdx.y * 32 + y) * N + blockIdx.x * 32 + x];
  __syncthreads();
  C[(blockIdx.x * 32 + y) * N + blockIdx.y * 32 + x] = tile[x][y];
}

/// Moves float4s through shared memory, neighbouring lanes `STEP` float4s apart.
template <typename T, int STEP>
__global__ void vectors(const T* A, T* C) {
  __shared__ T tile[32 * STEP * 4];
  const int x = threadIdx.x;
  vec4_t<T> v = reinterpret_cast<const vec4_t<T>*>(A)[x];
  v.x += 1;
  reinterpret_cast<vec4_t<T>*>(tile)[x * STEP] = v;
  __syncthreads();
  reinterpret_cast<vec4_t<T>*>(C)[x] = reinterpret_cast<const vec4_t<T>*>(tile)[x * STEP];
}

/// Fills a tile by asynchronous copies of 16 bytes.
template <typename T>
__global__ void copies(const T* A, T* C) {
  __shared__ T tile[128];
  const int x = threadIdx.x;
  __pipeline_memcpy_async(&tile[4 * x], &A[4 * x], 16, x == 31 ? 8 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = 0; i < 4; ++i) C[32 * i + x] = tile[32 * i + x];
}

}  // namespace probe

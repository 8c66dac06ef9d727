// Pairs of kernels: one with a single fault for the tracer to find, and its clean twin.
#pragma once

#include "simt/simt.hpp"

namespace broken {

/// The tiled kernel with one fault, or none.
enum class Tiled {
  clean,
  no_first_barrier,
  no_second_barrier,
  barrier_in_two_branches,
  return_before_barrier,
  column_not_stored,  // shared words that nobody has initialised
  no_guard_on_K,      // runs into the next row, inside the array
  no_guard_on_store,
};

template <typename T, int TILE, Tiled fault>
__global__ void tiled(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE];
  __shared__ T tile_B[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  if (fault == Tiled::return_before_barrier && (row >= M || col >= N)) return;
  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    const bool inside_A = row < M && (k0 + tx < K || fault == Tiled::no_guard_on_K);
    if (fault != Tiled::column_not_stored || tx != 3)
      tile_A[ty][tx] = inside_A ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    if (fault == Tiled::barrier_in_two_branches) {
      if (ty < TILE / 2) {
        __syncthreads();
      } else {
        __syncthreads();
      }
    } else if (fault != Tiled::no_first_barrier) {
      __syncthreads();
    }
    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    if (fault != Tiled::no_second_barrier) __syncthreads();
  }
  if ((row < M && col < N) || fault == Tiled::no_guard_on_store)
    C[std::int64_t(row) * N + col] = sum;
}

/// Lane l stores, its neighbour loads; nothing but the argument stands between.
enum class Between { nothing, warp_sync, barrier };
template <typename T, Between between>
__global__ void neighbours(const T* A, T* C) {
  __shared__ T words[64];
  const int x = threadIdx.x;
  words[x] = A[x];
  if (between == Between::warp_sync) __syncwarp();
  if (between == Between::barrier) __syncthreads();
  C[x] = words[x ^ 1];
}

/// The same across warps: there a __syncwarp orders nothing.
template <typename T, Between between>
__global__ void far_neighbours(const T* A, T* C) {
  __shared__ T words[64];
  const int x = threadIdx.x;
  words[x] = A[x];
  if (between == Between::warp_sync) __syncwarp();
  if (between == Between::barrier) __syncthreads();
  C[x] = words[x ^ 32];
}

/// All threads load a word, and the last of them stores it.
template <typename T, bool barrier>
__global__ void last_reader_stores(const T* A, T* C) {
  __shared__ T word[1];
  if (threadIdx.x == 0) word[0] = A[0];
  __syncthreads();
  T x = word[0];
  if (barrier) __syncthreads();
  if (threadIdx.x == 63) word[0] = x + T(1);
  C[threadIdx.x] = x;
}

/// One thread stores; after `barriers` barriers all load.
template <typename T>
__global__ void long_after(const T* A, T* C, int barriers) {
  __shared__ T word[1];
  if (threadIdx.x == 0) word[0] = A[0];
  for (int i = 0; i < barriers; ++i) __syncthreads();
  C[threadIdx.x] = word[0];
}

/// All lanes store the same value to the same word.
template <typename T, bool one_lane_only>
__global__ void same_value(T* C) {
  __shared__ T word[1];
  if (!one_lane_only || threadIdx.x == 0) word[0] = T(1);
  __syncthreads();
  C[threadIdx.x] = word[0];
}

/// Block b stores words [b * stride, b * stride + 32).
template <typename T>
__global__ void striding(T* C, int stride, int size) {
  const int i = blockIdx.x * stride + threadIdx.x;
  if (i < size) C[i] = T(1);
}

/// Block 1 adds up what block 0 has stored.
template <typename T, bool own_block_only>
__global__ void reads_other_block(T* C) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  C[i] = T(2);
  C[i] = C[own_block_only ? i : threadIdx.x] + T(1);
}

/// C += A without C's old value having come from anywhere.
template <typename T>
__global__ void accumulates(const T* A, T* C) {
  C[threadIdx.x] += A[threadIdx.x];
}

/// Copies by float4. A row of `stride` words is misaligned unless stride is a multiple of 4.
template <typename T, int STRIDE>
__global__ void vectors(const T* A, T* C) {
  __shared__ T tile[8][STRIDE];
  const int x = threadIdx.x, row = x / 4, col = x % 4 * 4;
  const vec4_t<T> v = reinterpret_cast<const vec4_t<T>*>(A)[x];
  *reinterpret_cast<vec4_t<T>*>(&tile[row][col]) = v;
  __syncthreads();
  reinterpret_cast<vec4_t<T>*>(C)[x] = *reinterpret_cast<const vec4_t<T>*>(&tile[row][col]);
}

/// Reads element `index` of A.
template <typename T, typename Index>
__global__ void element(const T* A, T* C, Index row, Index cols) {
  C[threadIdx.x] = A[row * cols];
}

template <typename T>
__global__ void overruns_shared(const T* A, T* C, int last) {
  __shared__ T small[8];
  if (threadIdx.x < 8) small[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  C[threadIdx.x] = small[threadIdx.x == 0 ? last : 0];
}

enum class Copy { clean, no_wait, no_barrier, wait_for_wrong_batch };
template <typename T, Copy fault>
__global__ void copies(const T* A, T* C) {
  __shared__ T first[64];
  __shared__ T second[64];
  const int x = threadIdx.x;
  __pipeline_memcpy_async(&first[x], &A[x], sizeof(T));
  __pipeline_commit();
  __pipeline_memcpy_async(&second[x], &A[x], sizeof(T));
  __pipeline_commit();
  if (fault != Copy::no_wait) __pipeline_wait_prior(fault == Copy::wait_for_wrong_batch ? 1 : 0);
  if (fault != Copy::no_barrier) __syncthreads();
  C[x] = second[63 - x] + first[x];
}

template <typename T, bool all_come>
__global__ void shuffles(const T* A, T* C) {
  T x = A[threadIdx.x];
  if (all_come || threadIdx.x < 16) {
    for (int delta = 16; delta > 0; delta /= 2) x += __shfl_xor_sync(0xffffffffu, x, delta);
  } else {
    __syncthreads();
  }
  if (all_come || threadIdx.x < 16) __syncthreads();
  C[threadIdx.x] = x;
}

}  // namespace broken

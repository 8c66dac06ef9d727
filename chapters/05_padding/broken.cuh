// Chapter 05 with one fault each: both give the right result on a CPU.
#pragma once

#include "../04_bounds/kernel.cuh"
#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

namespace ladder {

// [broken]
/// Reads the padded rows of tile_A four words at a time, though only every fourth row begins at 16 bytes.
template <typename T, int TILE>
__global__ void vector_reads(const T* A, const T* B, T* C, int M, int N, int K) {
  __shared__ T tile_A[TILE][TILE + 1];
  __shared__ T tile_B[TILE][TILE + 1];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[ty][tx] = row < M && k0 + tx < K ? A[std::int64_t(row) * K + k0 + tx] : T(0);
    tile_B[ty][tx] = k0 + ty < K && col < N ? B[std::int64_t(k0 + ty) * N + col] : T(0);
    __syncthreads();

    for (int k = 0; k < TILE; k += 4) {
      const vec4_t<T> a = *reinterpret_cast<const vec4_t<T>*>(&tile_A[ty][k]);
      sum += a.x * tile_B[k][tx] + a.y * tile_B[k + 1][tx] + a.z * tile_B[k + 2][tx] + a.w * tile_B[k + 3][tx];
    }
    __syncthreads();
  }
  if (row < M && col < N) C[std::int64_t(row) * N + col] = sum;
}
// [/broken]

/// Four k at a time: of 4 + 4 requests for four k, 1 + 4 are left, and a 128-bit request for one address takes two
/// wavefronts.
constexpr Traffic vector_traffic(const Shape& shape) {
  Traffic t = padded_traffic<32, 1>(shape);
  t.shared_load_requests = t.shared_load_requests / 8 * 5;
  t.shared_load_wavefronts = t.shared_load_wavefronts / 8 * 6;
  return t;
}

template <typename T>
void describe_broken(KernelChapter<T>& chapter) {
  chapter.breaks("padding-16x17", "rows of 17 words, said to have no conflicts: every store has one", SeenBy::tracer,
                 padded<T, 16, 1>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.breaks("misaligned-float4", "128-bit loads from rows of 33 words", SeenBy::tracer, vector_reads<T, 32>,
                 bounded_geometry<32>, vector_traffic);
}

}  // namespace ladder

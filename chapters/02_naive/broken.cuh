// Chapter 02 with one fault each.
#pragma once

#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

namespace ladder {

// [broken]
/// Indices computed in int: row * K wraps when A has more than 2^31 elements.
template <typename T>
__global__ void int_index(const T* A, const T* B, T* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;

  T sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
// [/broken]

template <typename T>
void describe_broken(KernelChapter<T>& chapter) {
  chapter.breaks("swapped-indices", "threadIdx.x is the row: right, but not coalesced", SeenBy::tracer, swapped<T>,
                 swapped_geometry<16, 16>, naive_traffic<16, 16>);
  chapter.breaks("int-index", "32-bit indices, which wrap beyond 2^31 elements", SeenBy::both, int_index<T>,
                 naive_geometry<16, 16>, naive_traffic<16, 16>, {65552, 16, 32768});
}

}  // namespace ladder

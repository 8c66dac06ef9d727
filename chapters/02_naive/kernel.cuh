// Chapter 02: one thread computes one element of C, straight from global memory.
#pragma once

#include "simt/simt.hpp"
#include "variant.hpp"

#include <cstdint>

namespace ladder {

// [naive]
template <typename T>
__global__ void naive(const T* A, const T* B, T* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // neighbouring threads, neighbouring columns
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;

  T sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[std::int64_t(row) * K + k]     // A[row][k]: the same word for all threads of a row
         * B[std::int64_t(k) * N + col];    // B[k][col]: neighbouring words for neighbouring threads
  C[std::int64_t(row) * N + col] = sum;
}
// [/naive]

// [naive-geometry]
template <int X, int Y>
Geometry naive_geometry(const Shape& shape) {
  return {.grid = {ceil_div(shape.N, X), ceil_div(shape.M, Y)}, .block = {X, Y}};
}
// [/naive-geometry]

// [swapped]
template <typename T>
__global__ void swapped(const T* A, const T* B, T* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;  // neighbouring threads, neighbouring rows
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;

  T sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[std::int64_t(row) * K + k]     // A[row][k]: words K apart for neighbouring threads
         * B[std::int64_t(k) * N + col];    // B[k][col]: the same word for neighbouring threads
  C[std::int64_t(row) * N + col] = sum;
}
// [/swapped]

template <int X, int Y>
Geometry swapped_geometry(const Shape& shape) {
  return {.grid = {ceil_div(shape.M, X), ceil_div(shape.N, Y)}, .block = {X, Y}, .x_along_rows = true};
}

}  // namespace ladder

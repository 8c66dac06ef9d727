// Chapter 03 with one fault each.
#pragma once

#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

namespace ladder {

enum class TiledFault { no_first_barrier, no_second_barrier, wrong_tile_index, arch_tile };

// [arch-tile]
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
constexpr int arch_tile = 32;
#else  // an older GPU. Or: the host, which asks for the block's size, and for which __CUDA_ARCH__ is not defined
constexpr int arch_tile = 16;
#endif
// [/arch-tile]

// Both hold, in the two compilations that nvcc makes of this file: the kernel's tile is not the block's.
#ifdef __CUDA_ARCH__
static_assert(arch_tile == 32);
#else
static_assert(arch_tile == 16);
#endif

// [broken]
template <typename T, int SIDE, TiledFault FAULT>
__global__ void tiled_broken(const T* A, const T* B, T* C, int M, int N, int K) {
  constexpr int TILE = FAULT == TiledFault::arch_tile ? arch_tile : SIDE;
  __shared__ T tile_A[TILE][TILE];
  __shared__ T tile_B[TILE][TILE];

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  const int row = blockIdx.y * TILE + ty;

  T sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    tile_A[ty][tx] = A[std::int64_t(row) * K + k0 + tx];
    if constexpr (FAULT == TiledFault::wrong_tile_index) tile_B[tx][ty] = B[std::int64_t(k0 + ty) * N + col];
    else tile_B[ty][tx] = B[std::int64_t(k0 + ty) * N + col];
    if constexpr (FAULT != TiledFault::no_first_barrier) __syncthreads();

    for (int k = 0; k < TILE; ++k) sum += tile_A[ty][k] * tile_B[k][tx];
    if constexpr (FAULT != TiledFault::no_second_barrier) __syncthreads();
  }
  C[std::int64_t(row) * N + col] = sum;
}
// [/broken]

/// With one of the two barriers, a block completes half as many.
template <int TILE>
constexpr Traffic one_barrier_traffic(const Shape& shape) {
  Traffic t = tiled_traffic<TILE>(shape);
  t.barriers /= 2;
  return t;
}

template <typename T>
void describe_broken(KernelChapter<T>& chapter) {
  chapter.breaks("no-first-barrier", "no barrier between loading the tiles and using them", SeenBy::both,
                 tiled_broken<T, 16, TiledFault::no_first_barrier>, tiled_geometry<16>, one_barrier_traffic<16>,
                 {}, multiples_only<16>);
  chapter.breaks("no-second-barrier", "no barrier between using the tiles and loading the next", SeenBy::both,
                 tiled_broken<T, 16, TiledFault::no_second_barrier>, tiled_geometry<16>, one_barrier_traffic<16>,
                 {}, multiples_only<16>);
  chapter.breaks("wrong-tile-index", "tile_B is stored with its indices exchanged", SeenBy::both,
                 tiled_broken<T, 16, TiledFault::wrong_tile_index>, tiled_geometry<16>, tiled_traffic<16>, {},
                 multiples_only<16>);
  chapter.breaks("arch-tile", "TILE is chosen with #if __CUDA_ARCH__: launched with 16, compiled with 32", SeenBy::gpu,
                 tiled_broken<T, 0, TiledFault::arch_tile>, tiled_geometry<arch_tile>, tiled_traffic<arch_tile>,
                 {}, multiples_only<arch_tile>);
}

}  // namespace ladder

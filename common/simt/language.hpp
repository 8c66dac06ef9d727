// The words of CUDA C++ that kernels use, for a compiler that does not know them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/counted.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// Blocks run on several cores, each block on one: shared memory is memory of that core's thread.
// The gap in front of each array belongs to nobody, so that running off an array's end is seen.
#define SIMT_JOIN_(a, b) a##b
#define SIMT_JOIN(a, b) SIMT_JOIN_(a, b)
#define __shared__                                                                        \
  static thread_local __attribute__((used)) char SIMT_JOIN(simt_gap_, __COUNTER__)[1024]; \
  static thread_local __attribute__((aligned(128)))

namespace simt {

struct uint3 {
  unsigned x = 0, y = 0, z = 0;
  bool operator==(const uint3&) const = default;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  bool operator==(const dim3&) const = default;
};

inline constinit thread_local uint3 threadIdx{0, 0, 0}, blockIdx{0, 0, 0};
inline constinit thread_local dim3 blockDim{0, 0, 0}, gridDim{0, 0, 0};
inline constexpr int warpSize = 32;

void __syncthreads(Where where = Where::current());
void __syncwarp(unsigned mask = 0xffffffffu, Where where = Where::current());

/// Gives `bits` to the warp and returns what lane `source` gave. Every lane of `mask` takes part.
std::uint64_t exchange(unsigned mask, std::uint64_t bits, unsigned source, Where where);
unsigned lane_id();

template <typename T>
T exchange_value(unsigned mask, T value, unsigned source, Where where) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
  bits = exchange(mask, bits, source, where);
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

// As in CUDA, `width` splits the warp into segments, and a source outside the segment is the lane
// itself (or, for __shfl_sync, wraps round).
template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, Where where = Where::current()) {
  const unsigned first = lane_id() & ~unsigned(width - 1);
  return exchange_value(mask, value, first + (unsigned(source) & unsigned(width - 1)), where);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 Where where = Where::current()) {
  const unsigned lane = lane_id(), in_segment = lane & unsigned(width - 1);
  return exchange_value(mask, value, in_segment >= delta ? lane - delta : lane, where);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   Where where = Where::current()) {
  const unsigned lane = lane_id(), in_segment = lane & unsigned(width - 1);
  return exchange_value(mask, value, in_segment + delta < unsigned(width) ? lane + delta : lane,
                        where);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                  Where where = Where::current()) {
  const unsigned lane = lane_id(), other = lane ^ unsigned(bits);
  const bool same_segment = (other & ~unsigned(width - 1)) <= (lane & ~unsigned(width - 1));
  return exchange_value(mask, value, same_segment && other < 32 ? other : lane, where);
}

/// Copies `bytes` (4, 8 or 16) from global to shared memory; the last `zeros` of them become zero
/// instead. The words arrive when this thread waits for them; until then nobody may touch them.
void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                             std::size_t zeros = 0, Where where = Where::current());
void __pipeline_commit();
void __pipeline_wait_prior(std::size_t batches);

void* dynamic_shared_memory();

/// The launch's dynamic shared memory: `extern __shared__ T name[]` in a form that both compilers
/// take.
template <typename T>
T* dynamic_shared() {
  return static_cast<T*>(dynamic_shared_memory());
}

template <typename T>
struct vec4_of;
template <typename F>
struct vec4_of<Counted<F>> {
  using type = Counted4<F>;
};

}  // namespace simt

using simt::__pipeline_commit;
using simt::__pipeline_memcpy_async;
using simt::__pipeline_wait_prior;
using simt::__shfl_down_sync;
using simt::__shfl_sync;
using simt::__shfl_up_sync;
using simt::__shfl_xor_sync;
using simt::__syncthreads;
using simt::__syncwarp;
using simt::blockDim;
using simt::blockIdx;
using simt::dim3;
using simt::dynamic_shared;
using simt::gridDim;
using simt::threadIdx;
using simt::warpSize;

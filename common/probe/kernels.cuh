// The probe's kernels. Loads are written in PTX, so that each is exactly the load that it is said to be (PTX ISA,
// "ld": without more said, in L1 and L2; .cg in L2 alone).
#pragma once

#include <cstdint>

namespace ladder::probe {

/// What one chasing thread saw.
struct Chased {
  std::uint64_t end;  ///< where the chase ended: stored, so that no load can be left out
  std::int64_t cycles, nanoseconds;
};

__device__ inline std::int64_t nanoseconds() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Takes the time of `steps` calls of step(x) of one thread, after `untimed` calls. Each call's argument is the
/// result of the call before, so none can begin before the last has ended.
template <class X, class Step>
__device__ void time_chain(X x, std::int64_t untimed, std::int64_t steps, Chased* out, Step step) {
  for (std::int64_t i = 0; i < untimed; ++i) x = step(x);
  const std::int64_t time = nanoseconds(), clock = clock64();
#pragma unroll 16
  for (std::int64_t i = 0; i < steps; ++i) x = step(x);
  const std::int64_t cycles = clock64() - clock;
  *out = {std::uint64_t(x), cycles, nanoseconds() - time};
}

__global__ void chase_registers(float a, float b, std::int64_t steps, Chased* out) {
  // volatile: in this order, each of them
  time_chain(a, steps / 8, steps, out, [=](float x) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    return x;
  });
}

/// Each word of `ring` is the number of the next one.
__global__ void chase_shared(const std::uint32_t* ring, std::uint32_t words, std::int64_t steps, Chased* out) {
  extern __shared__ std::uint32_t next[];
  const std::uint32_t base = std::uint32_t(__cvta_generic_to_shared(next));
  for (std::uint32_t i = 0; i < words; ++i) next[i] = base + 4 * ring[i];  // addresses, so that nothing is computed
  time_chain(base, words, steps, out, [](std::uint32_t address) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address) : : "memory");  // not before the ring is stored
    return address;
  });
}

/// Each line of 128 bytes begins with the address of the next one.
constexpr std::int64_t line_bytes = 128;

__global__ void link_lines(char* lines, const std::uint32_t* ring, std::int64_t count) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) *reinterpret_cast<char**>(lines + i * line_bytes) = lines + ring[i] * line_bytes;
}

__global__ void chase_global(const char* lines, std::int64_t untimed, std::int64_t steps, Chased* out) {
  time_chain(std::uint64_t(lines), untimed, steps, out, [](std::uint64_t address) {
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(address));
    return address;
  });
}

/// From where a stream reads.
enum class From { shared, L1, L2_or_DRAM };

template <From FROM>
__device__ uint4 load(const uint4* from) {
  uint4 v;
  if constexpr (FROM == From::shared)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(std::uint32_t(__cvta_generic_to_shared(from))));
  if constexpr (FROM == From::L1)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
  if constexpr (FROM == From::L2_or_DRAM)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
  return v;
}

constexpr int stream_threads = 1024;
/// Loads of a thread that are in flight together.
constexpr int loads_in_flight = 4;
/// What a block reads at a time: its slice is a multiple of it.
constexpr std::int64_t batch = stream_threads * loads_in_flight;

/// Every block reads its own slice `rounds` times, in order. `slice` counts elements of 16 bytes. `cycles` has a
/// place for each block.
template <From FROM>
__global__ void __launch_bounds__(stream_threads) stream(const uint4* data, std::int64_t slice, int rounds,
                                                         std::int64_t* cycles, unsigned* never) {
  extern __shared__ uint4 shared[];
  const uint4* from = data + blockIdx.x * slice;
  if constexpr (FROM == From::shared) {
    for (std::int64_t i = threadIdx.x; i < slice; i += stream_threads) shared[i] = from[i];
    __syncthreads();
    from = shared;
  }
  unsigned sum = 0;
  const std::int64_t clock = clock64();
  for (int round = 0; round < rounds; ++round)
    for (std::int64_t first = threadIdx.x; first < slice; first += batch) {
      uint4 v[loads_in_flight];
#pragma unroll
      for (int i = 0; i < loads_in_flight; ++i) v[i] = load<FROM>(from + first + i * stream_threads);
#pragma unroll
      for (int i = 0; i < loads_in_flight; ++i) sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    }
  if (sum == 0x12345678) *never = sum;  // the data are all zero, but the compiler does not know
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - clock;
}

}  // namespace ladder::probe

// The CPU's fp32 ceiling: multiply-adds from registers. Compiled for the processor at hand, as chapter 01 is.
#include "cpu.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace ladder {
namespace {

#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif
typedef float Vector __attribute__((vector_size(width * sizeof(float))));

// Latency of 4 or 5 cycles on two units: ten chains keep both busy, and fit 16 registers.
constexpr int chains = 10;
constexpr std::int64_t rounds = 1'000'000;  // some milliseconds: less than a scheduler's time slice

// A ceiling is the best of many: threads are still waking up at first, and on a virtual machine neighbours take
// cores for a while. Five tries in 40 ms have shown half of what the same cores did a moment later.
constexpr double try_for_seconds = 0.25;

float multiply_add(float a, float b) {
  Vector x[chains];
  for (int i = 0; i < chains; ++i) x[i] = Vector{} + float(i);
  for (std::int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 10
    for (int i = 0; i < chains; ++i) x[i] = x[i] * a + b;
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += x[i][0];
  return sum;
}

}  // namespace

double measure_cpu_ceiling() {
  double best = 1e30;
  volatile float a = 0.5f, b = 0.25f;  // volatile: unknown to the compiler
  float sum = 0;
  const double end = omp_get_wtime() + try_for_seconds;
  while (omp_get_wtime() < end) {
    const double start = omp_get_wtime();
#pragma omp parallel reduction(+ : sum)
    sum += multiply_add(a, b);
    best = std::min(best, omp_get_wtime() - start);
  }
  if (sum == 0.12345f) return 0;  // it never is, but the compiler must compute it to know
  return 2.0 * width * chains * double(rounds) * omp_get_max_threads() / best;
}

}  // namespace ladder

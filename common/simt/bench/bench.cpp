// How fast the tracer is: accesses a second, on one core and on all of them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "simt_kernels.cuh"

namespace {

using T = simt::Counted<float>;

/// Traces C = A * B at size N^3 on `threads` cores; returns the median time of five runs, in
/// seconds.
template <typename Kernel>
double seconds(int N, int side, unsigned threads, std::uint64_t& accesses, Kernel kernel) {
  simt::Buffer<float> A("A", N, N, simt::input), B("B", N, N, simt::input),
      C("C", N, N, simt::output);
  const unsigned blocks = unsigned((N + side - 1) / side);
  simt::Options options;
  options.threads = threads;
  std::vector<double> times;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const simt::Report report =
        simt::trace({{blocks, blocks}, {unsigned(side), unsigned(side)}}, options,
                    [&] { kernel(A.data(), B.data(), C.data(), N, N, N); });
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    accesses = report.accesses;
    if (!report.clean()) {
      std::fputs(report.text().c_str(), stderr);
      std::exit(1);
    }
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename Kernel>
void measure(const char* name, int N, int side, Kernel kernel) {
  std::uint64_t accesses = 0;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const double one = seconds(N, side, 1, accesses, kernel);
  const double all = seconds(N, side, cores, accesses, kernel);
  std::printf(
      "%-12s %5d^3  %9.1f M accesses  1 core %7.3f s %6.1f M/s   %u cores %7.3f s %6.1f M/s  "
      "%.2fx\n",
      name, N, double(accesses) / 1e6, one, double(accesses) / one / 1e6, cores, all,
      double(accesses) / all / 1e6, one / all);
}

}  // namespace

int main() {
  for (const int N : {128, 256}) {
    measure("naive 16", N, 16, [](auto... x) { probe::naive<T>(x...); });
    measure("swapped 16", N, 16, [](auto... x) { probe::swapped<T>(x...); });
    measure("tiled 16", N, 16, [](auto... x) { probe::tiled<T, 16>(x...); });
    measure("tiled 32", N, 32, [](auto... x) { probe::tiled<T, 32>(x...); });
  }
}

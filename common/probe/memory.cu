#include "memory.hpp"

#include "gpu.hpp"
#include "kernels.cuh"
#include "numbers.hpp"
#include "ring.hpp"

#include <algorithm>
#include <cmath>

namespace ladder::probe {
namespace {

constexpr std::int64_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;
constexpr std::int64_t steps = 1 << 16;
// A chase through more than L2 holds misses whatever was read before it, so it need not go around once untimed.
constexpr std::int64_t most_untimed = 1 << 19;

DeviceBuffer on_device(const std::vector<std::uint32_t>& values) {
  DeviceBuffer buffer(values.size() * sizeof(values[0]));
  check(cudaMemcpy(buffer.data(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice),
        "copying a ring to the device");
  return buffer;
}

/// The median of three launches.
Latency latency(std::int64_t bytes, const auto& launch) {
  const DeviceBuffer out(sizeof(Chased));
  std::vector<Latency> tries;
  for (int i = 0; i < 3; ++i) {
    launch(static_cast<Chased*>(out.data()));
    check_launch(cudaGetLastError());
    Chased chased;
    check(cudaMemcpy(&chased, out.data(), sizeof chased, cudaMemcpyDeviceToHost), "the chase");
    tries.push_back({bytes, double(chased.cycles) / steps, 1e-9 * double(chased.nanoseconds) / steps});
  }
  std::sort(tries.begin(), tries.end(), [](const Latency& a, const Latency& b) { return a.cycles < b.cycles; });
  return tries[1];
}

Latency register_latency() {
  return latency(0, [](Chased* out) { chase_registers<<<1, 1>>>(0.5f, 0.25f, steps, out); });
}

Latency shared_latency() {
  constexpr std::uint32_t words = 4096;
  const DeviceBuffer next = on_device(ring(words));
  return latency(words * 4, [&](Chased* out) {
    chase_shared<<<1, 1, words * 4>>>(static_cast<const std::uint32_t*>(next.data()), words, steps, out);
  });
}

Latency global_latency(std::int64_t bytes) {
  const std::int64_t count = bytes / line_bytes;
  const DeviceBuffer next = on_device(ring(std::uint32_t(count))), lines(std::size_t(count * line_bytes));
  link_lines<<<unsigned((count + 255) / 256), 256>>>(static_cast<char*>(lines.data()),
                                                     static_cast<const std::uint32_t*>(next.data()), count);
  check_launch(cudaGetLastError());
  return latency(bytes, [&](Chased* out) {
    chase_global<<<1, 1>>>(static_cast<const char*>(lines.data()), std::min(count, most_untimed), steps, out);
  });
}

/// From 8 KiB to 1 GiB: four footprints to a factor of two as far as 128 MiB, where the steps are.
std::vector<std::int64_t> footprints(std::int64_t most) {
  std::vector<std::int64_t> all;
  for (int quarter = 0;; ++quarter) {
    const double bytes = 8.0 * KiB * std::exp2(quarter / 4.0);
    const std::int64_t rounded = std::int64_t(bytes) / line_bytes * line_bytes;
    if (rounded > most) return all;
    if (rounded <= 128 * MiB || quarter % 4 == 0) all.push_back(rounded);
  }
}

/// The best of several streams; `slice_bytes` for each SM.
template <From FROM>
Rate rate(int sms, std::int64_t slice_bytes, int rounds) {
  const std::int64_t slice = std::max<std::int64_t>(1, slice_bytes / std::int64_t(sizeof(uint4)) / batch) * batch;
  const DeviceBuffer data(std::size_t(sms * slice) * sizeof(uint4)), never(sizeof(unsigned));
  const DeviceBuffer cycles(std::size_t(sms) * sizeof(std::int64_t));
  check(cudaMemset(data.data(), 0, data.bytes()), "cudaMemset");
  const int shared = FROM == From::shared ? int(slice * std::int64_t(sizeof(uint4))) : 0;
  check(cudaFuncSetAttribute(stream<FROM>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "the shared memory of a stream");
  if (FROM == From::L1)
    check(cudaFuncSetAttribute(stream<FROM>, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
          "the L1 of a stream");
  Rate best;
  for (int i = 0; i < 7; ++i) {
    Event start, stop;
    start.record();
    stream<FROM><<<sms, stream_threads, shared>>>(static_cast<const uint4*>(data.data()), slice, rounds,
                                                  static_cast<std::int64_t*>(cycles.data()),
                                                  static_cast<unsigned*>(never.data()));
    check_launch(cudaGetLastError());
    stop.record();
    const double bytes = double(slice) * sizeof(uint4) * rounds, seconds = stop.since(start);
    std::vector<std::int64_t> each(std::size_t(sms), 0);
    check(cudaMemcpy(each.data(), cycles.data(), cycles.bytes(), cudaMemcpyDeviceToHost), "the stream");
    double mean = 0;
    for (const std::int64_t c : each) mean += double(c) / sms;
    if (sms * bytes / seconds > best.bytes_per_s) best = {sms * bytes / seconds, bytes / mean};
  }
  return best;
}

}  // namespace

Hierarchy measure(double flops, const std::function<void(const std::string&)>& progress) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const int sms = properties.multiProcessorCount;
  const double l2 = properties.l2CacheSize;

  // Of global loads: with as much L1 as there can be.
  check(cudaFuncSetAttribute(chase_global, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1),
        "the L1 of a chase");
  Hierarchy result;
  const std::vector<std::int64_t> sizes = footprints(std::min<std::int64_t>(GiB, std::int64_t(free / 2)));
  for (const std::int64_t bytes : sizes) {
    progress(format("latency %zu of %zu: %s", result.sweep.size() + 1, sizes.size(),
                    bytes_text(double(bytes)).c_str()));
    result.sweep.push_back(global_latency(bytes));
  }
  const auto at = [&](double bytes) {  // the largest footprint up to this one
    const auto after = std::upper_bound(result.sweep.begin(), result.sweep.end(), bytes,
                                        [](double b, const Latency& l) { return b < double(l.bytes); });
    return after == result.sweep.begin() ? *after : *(after - 1);
  };
  const Latency l1 = at(32.0 * KiB);
  double l1_holds = 0;  // as long as the chase is no slower
  for (const Latency& l : result.sweep)
    if (l.cycles <= 1.02 * l1.cycles) l1_holds = std::max(l1_holds, double(l.bytes));

  progress("rates");
  // An FMA reads three operands of 4 bytes from registers.
  const double operand_bytes = flops / 2 * 3 * sizeof(float);
  // Slices of 64 KiB stay in L1; a quarter of L2 in all stays in L2; DRAM's are many times L2.
  const std::int64_t l2_slice = std::int64_t(l2) / 4 / sms;
  const std::int64_t dram_slice = std::int64_t(std::min(4.0 * GiB, double(free) / 2)) / sms;
  result.levels = {
      {"registers", 4.0 * properties.regsPerMultiprocessor, true, "device attribute", register_latency(),
       {operand_bytes, 0}},
      {"shared", double(properties.sharedMemPerMultiprocessor), true, "device attribute", shared_latency(),
       rate<From::shared>(sms, 64 * KiB, 4000)},
      {"L1", l1_holds, true, "largest chase at its latency", l1, rate<From::L1>(sms, 64 * KiB, 4000)},
      {"L2", l2, false, "device attribute", at(l2 / 8), rate<From::L2_or_DRAM>(sms, l2_slice, 200)},
      {"DRAM", double(properties.totalGlobalMem), false, "device attribute", result.sweep.back(),
       rate<From::L2_or_DRAM>(sms, dram_slice, 2)},
  };
  progress("");
  return result;
}

}  // namespace ladder::probe

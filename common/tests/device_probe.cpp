// The probe on a GPU: what is measured must be in the order that makes a hierarchy of it.
#include "probe/memory.hpp"

#include "gpu.hpp"

#include <doctest/doctest.h>

using namespace ladder;
using namespace ladder::probe;

TEST_SUITE("device") {

TEST_CASE("each level holds more than the one before it, waits longer and delivers less") {
  const std::unique_ptr<Machine> machine = open_gpu(0);
  const Hierarchy hierarchy = measure(machine->facts().ceiling_flops, [](const std::string&) {});
  REQUIRE(hierarchy.levels.size() == 5);
  const auto level = [&](int i) { return hierarchy.levels[std::size_t(i)]; };
  const Level registers = level(0), shared = level(1), l1 = level(2), l2 = level(3), dram = level(4);
  CHECK(registers.latency.cycles > 1);
  CHECK(registers.latency.cycles < shared.latency.cycles);
  CHECK(shared.latency.cycles < 1.2 * l1.latency.cycles);  // the same memory
  CHECK(1.5 * l1.latency.cycles < l2.latency.cycles);
  CHECK(1.2 * l2.latency.cycles < dram.latency.cycles);
  CHECK(registers.rate.bytes_per_s > shared.rate.bytes_per_s);
  CHECK(shared.rate.bytes_per_s > l2.rate.bytes_per_s);
  CHECK(l1.rate.bytes_per_s > l2.rate.bytes_per_s);
  CHECK(l2.rate.bytes_per_s > dram.rate.bytes_per_s);
  CHECK(shared.rate.bytes_per_cycle <= 128.5);  // 32 banks of 4 bytes
  CHECK(dram.rate.bytes_per_s < 1.2 * machine->facts().ceiling_bandwidth);
  const double sms = machine->facts().units;
  CHECK(l1.capacity >= 32 * 1024);
  CHECK(sms * l1.capacity < 4 * l2.capacity);
  CHECK(l2.capacity < dram.capacity);
  for (const Latency& latency : hierarchy.sweep) {  // both clocks ran
    CHECK(latency.cycles / latency.seconds > 0.5e9);
    CHECK(latency.cycles / latency.seconds < 1.02 * machine->facts().clock_hz);
  }
}

}

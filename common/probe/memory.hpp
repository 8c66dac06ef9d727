// What each level of a GPU's memory holds, how long it lets a thread wait, and how fast it delivers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ladder::probe {

/// The time of one load whose address is the value of the load before it.
struct Latency {
  std::int64_t bytes = 0;  ///< that the chase goes through: its footprint
  double cycles = 0;       ///< of the SM's clock
  double seconds = 0;
};

/// What all SMs together read, each with 1024 threads that load 16 bytes at a time.
struct Rate {
  double bytes_per_s = 0;
  double bytes_per_cycle = 0;  ///< of one SM's clock, for one SM
};

struct Level {
  std::string name;
  double capacity = 0;  ///< bytes: of one SM for registers, shared and L1, of the device for L2 and DRAM
  bool per_sm = false;
  std::string capacity_from;  ///< where the capacity is from
  Latency latency;
  Rate rate;
};

struct Hierarchy {
  std::vector<Level> levels;   ///< registers, shared, L1, L2, DRAM
  std::vector<Latency> sweep;  ///< of global loads, by footprint: the levels appear as steps
};

/// Measures the current device, some 20 seconds. `flops` is the rate of multiply-adds from registers, flop/s;
/// `progress` is told what is going on.
Hierarchy measure(double flops, const std::function<void(const std::string&)>& progress);

}  // namespace ladder::probe

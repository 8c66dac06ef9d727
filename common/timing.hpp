// Timing: how often to repeat, and what to say of the times. The clocks themselves belong to the machines.
#pragma once

#include <functional>
#include <vector>

namespace ladder {

/// What many measured times of one thing come to, in seconds for one product.
struct Timing {
  double first = 0;   ///< the very first run: includes loading code and waking the device
  double min = 0;
  double median = 0;
  double p95 = 0;     ///< 95 of 100 batches took at most this
  double spread = 0;  ///< (95th percentile - minimum) / median
  int batches = 0;    ///< measurements
  int launches = 0;   ///< products in each of them
};

/// Median and percentiles by linear interpolation between order statistics. `seconds` must not be empty;
/// a time that is not positive throws MeasurementError.
Timing summarise(std::vector<double> seconds);

/// What the command line asks of the timing.
struct Schedule {
  int repeats = 0;  ///< batches of each variant; 0: until the median is stable
  int warmup = 3;   ///< untimed products of each variant before its first batch
  bool cold = false;  ///< flush the caches before every product; a batch is then one product
};

/// One thing to time.
struct Timed {
  std::function<double(int launches)> batch;  ///< the seconds that `launches` products took in a row
  double first = 0;                           ///< what its very first run took
  std::function<void()> last_batch_done = [] {};  ///< called right after its last batch
};

/// Times several variants in turn, round by round, so that a change of clocks or temperature meets all of
/// them. `progress` is called after each round. A variant leaves the rounds when it has `repeats` batches or,
/// with repeats = 0, when five batches in a row have not moved its median by 0.2 %, or its time is up: a
/// product that takes over half a second is timed three times, and one of over ten seconds once.
std::vector<Timing> time_interleaved(const std::vector<Timed>& variants, const Schedule& schedule,
                                     const std::function<void(int round)>& progress = {});

}  // namespace ladder

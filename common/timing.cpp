#include "timing.hpp"

#include "errors.hpp"

#include <algorithm>
#include <cmath>

namespace ladder {
namespace {

// A batch should last long enough that the clock's own grain (half a microsecond for CUDA events) and the
// cost of starting it vanish.
constexpr double batch_seconds = 2e-3;
constexpr int most_launches = 1000;

// Without --repeats: at least this many batches, at most that many, and this much time for each variant.
constexpr int fewest_batches = 11, most_batches = 101;
constexpr double most_seconds = 1.0;

int fewest_batches_if_slow(double once) { return once > 10 ? 1 : 3; }

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const auto high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
}

/// One variant on its way through the rounds.
struct Course {
  std::vector<double> seconds;  // for one product, a batch each
  double total = 0;
  int launches = 1, steady = 0;
  double last_median = 0;

  bool done(const Schedule& schedule) const {
    const int batches = static_cast<int>(seconds.size());
    if (schedule.repeats > 0) return batches >= schedule.repeats;
    if (batches >= most_batches) return true;
    if (total >= most_seconds) return batches >= fewest_batches_if_slow(total / batches);
    return batches >= fewest_batches && steady >= 5;
  }

  void add(double batch) {
    total += batch;
    seconds.push_back(batch / launches);
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    const double median = quantile(sorted, 0.5);
    steady = std::abs(median - last_median) <= 2e-3 * median ? steady + 1 : 0;
    last_median = median;
  }
};

}  // namespace

Timing summarise(std::vector<double> seconds) {
  for (double s : seconds)
    if (!(s > 0) || std::isinf(s)) throw MeasurementError("the clock measured a time that is not positive");
  std::sort(seconds.begin(), seconds.end());
  Timing timing;
  timing.min = seconds.front();
  timing.median = quantile(seconds, 0.5);
  timing.p95 = quantile(seconds, 0.95);
  timing.spread = (timing.p95 - timing.min) / timing.median;
  timing.batches = static_cast<int>(seconds.size());
  return timing;
}

std::vector<Timing> time_interleaved(const std::vector<Timed>& variants, const Schedule& schedule,
                                     const std::function<void(int)>& progress) {
  std::vector<Course> courses(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    // A product that takes half a second is warm after its first run.
    const int warmup = variants[v].first > 0.5 && schedule.repeats == 0 ? 0 : schedule.warmup;
    double once = variants[v].first;
    for (int i = 0; i < warmup; ++i) once = std::min(once, variants[v].batch(1));
    if (!schedule.cold)
      courses[v].launches =
          static_cast<int>(std::clamp(std::ceil(batch_seconds / once), 1.0, double(most_launches)));
  }
  bool any = true;
  for (int round = 1; any; ++round) {
    any = false;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      Course& course = courses[v];
      if (course.done(schedule)) continue;
      any = true;
      course.add(variants[v].batch(course.launches));
      if (course.done(schedule)) variants[v].last_batch_done();
    }
    if (progress) progress(round);
  }
  std::vector<Timing> timings;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    timings.push_back(summarise(courses[v].seconds));
    timings[v].first = variants[v].first;
    timings[v].launches = courses[v].launches;
  }
  return timings;
}

}  // namespace ladder

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
constexpr int fewest_batches_if_slow = 3;

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const auto high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
}

/// One variant on its way through the rounds.
struct Course {
  std::vector<double> seconds;  // for one product, a batch each
  double first = 0, total = 0;
  int launches = 1, steady = 0;
  double last_median = 0;

  bool done(const Schedule& schedule) const {
    const int batches = static_cast<int>(seconds.size());
    if (schedule.repeats > 0) return batches >= schedule.repeats;
    if (batches >= most_batches) return true;
    if (total >= most_seconds) return batches >= fewest_batches_if_slow;
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

std::vector<Timing> time_interleaved(const std::vector<TimeBatch>& variants, const Schedule& schedule,
                                     const std::function<void(int)>& progress) {
  std::vector<Course> courses(variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    Course& course = courses[v];
    course.first = variants[v](1);
    // A product that takes a second is warm after one.
    const int warmup = course.first > 0.5 && schedule.repeats == 0 ? 0 : schedule.warmup;
    double once = course.first;
    for (int i = 0; i < warmup; ++i) once = std::min(once, variants[v](1));
    if (!schedule.cold)
      course.launches = static_cast<int>(std::clamp(std::ceil(batch_seconds / once), 1.0, double(most_launches)));
  }
  for (int round = 1;; ++round) {
    bool any = false;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (courses[v].done(schedule)) continue;
      any = true;
      courses[v].add(variants[v](courses[v].launches));
    }
    if (!any) break;
    if (progress) progress(round);
  }
  std::vector<Timing> timings;
  for (const Course& course : courses) {
    Timing timing = summarise(course.seconds);
    timing.first = course.first;
    timing.launches = course.launches;
    timings.push_back(timing);
  }
  return timings;
}

}  // namespace ladder

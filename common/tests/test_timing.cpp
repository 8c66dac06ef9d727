#include "errors.hpp"
#include "timing.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace ladder;

TEST_SUITE("timing") {

TEST_CASE("the summary is made of order statistics: one lucky or unlucky run does not move the median") {
  std::vector<double> seconds(101, 2.0);
  seconds[3] = 0.001;
  seconds[50] = 1000.0;
  const Timing timing = summarise(seconds);
  CHECK(timing.median == 2.0);
  CHECK(timing.min == 0.001);
  CHECK(timing.p95 == 2.0);
  CHECK(timing.batches == 101);
  const Timing ramp = summarise({5, 1, 4, 2, 3});
  CHECK(ramp.median == 3.0);
  CHECK(ramp.p95 == doctest::Approx(4.8));
  CHECK(ramp.spread == doctest::Approx((4.8 - 1) / 3));
}

TEST_CASE("a time that cannot be is an error, not a record") {
  CHECK_THROWS_AS(summarise({1.0, 0.0}), MeasurementError);
  CHECK_THROWS_AS(summarise({-1.0}), MeasurementError);
  CHECK_THROWS_AS(summarise({std::numeric_limits<double>::quiet_NaN()}), MeasurementError);
  CHECK_THROWS_AS(summarise({std::numeric_limits<double>::infinity()}), MeasurementError);
}

TEST_CASE("variants are timed in turn, after the warm-up, and say when they are done") {
  std::string order;
  const auto variant = [&](char name) {
    return [&order, name](int launches) {
      order += name;
      return 0.01 * launches;
    };
  };
  const Timed a{variant('a'), 0.01, [&] { order += 'A'; }}, b{variant('b'), 0.01, [&] { order += 'B'; }};
  const std::vector<Timing> timings = time_interleaved({a, b}, {.repeats = 3, .warmup = 2, .cold = false});
  CHECK(order == "aabb" "ababaAbB");
  CHECK(timings[0].batches == 3);
  CHECK(timings[1].batches == 3);
}

TEST_CASE("the first run is kept apart: it does not enter the median") {
  const std::vector<Timing> timings = time_interleaved({{[&](int launches) { return 0.01 * launches; }, 0.4}}, {.repeats = 5});
  CHECK(timings[0].first == 0.4);
  CHECK(timings[0].p95 == doctest::Approx(0.01));
}

TEST_CASE("short products are launched many times in a batch, cold ones once") {
  int most = 0;
  const Timed fast{[&](int launches) {
                     most = std::max(most, launches);
                     return 1e-5 * launches;
                   },
                   1e-3};
  const Timing warm = time_interleaved({fast}, {.repeats = 3})[0];
  CHECK(warm.launches == 200);
  CHECK(most == 200);
  CHECK(warm.median == doctest::Approx(1e-5));
  most = 0;
  CHECK(time_interleaved({fast}, {.repeats = 3, .cold = true})[0].launches == 1);
  CHECK(most == 1);
}

TEST_CASE("without --repeats a variant is repeated until its median is stable, within its time") {
  int noisy_runs = 0, slow_runs = 0;
  const Timed quiet{[](int launches) { return 1e-3 * launches; }, 1e-3};
  const Timed noisy{[&](int launches) { return 1e-3 * launches * (1 + std::fmod(0.618 * ++noisy_runs, 1.0)); }, 1e-3};
  const Timed slow{[&](int launches) { return ++slow_runs, 2.0 * launches; }, 2.0};
  const Timed very_slow{[](int launches) { return 20.0 * launches; }, 20.0};
  const std::vector<Timing> timings = time_interleaved({quiet, noisy, slow, very_slow}, {});
  CHECK(timings[0].batches == 11);
  CHECK(timings[1].batches > timings[0].batches);
  CHECK(timings[2].batches == 3);
  CHECK(slow_runs == 3);  // no warm-up
  CHECK(timings[3].batches == 1);
}

}

// The harness as a whole, on the CPU, with variants that are right and variants that are wrong in every way
// that it promises to notice.
#include "cpu.hpp"
#include "errors.hpp"
#include "products.hpp"
#include "run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

using namespace ladder;
using namespace ladder::test;

namespace {

void multiply(const float* A, const float* B, float* C, const Shape& s) {
  for (std::int64_t i = 0; i < s.M; ++i)
    for (std::int64_t j = 0; j < s.N; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < s.K; ++k) sum += A[i * s.K + k] * B[k * s.N + j];
      C[i * s.N + j] = sum;
    }
}

Variant variant(const char* name, Run run) { return {name, Role::own, std::move(run)}; }
const Variant right = variant("right", multiply);

struct Fixture {
  std::unique_ptr<Machine> machine = open_cpu();
  Options options;
  Fixture() { options.schedule = {.repeats = 2, .warmup = 1}; }
  std::vector<Result> measure(const std::vector<Variant>& variants, Shape shape = {40, 30, 20}) {
    return ladder::measure(*machine, variants, shape, options);
  }
};

/// A machine whose times we choose.
struct FakeClock : Machine {
  std::unique_ptr<Machine> real = open_cpu();
  MachineFacts invented = real->facts();
  double seconds_per_launch = 1e-3;
  const MachineFacts& facts() const override { return invented; }
  Variant library() override { return {}; }
  double free_bytes() const override { return 1e9; }
  void load(const Matrix& A, const Matrix& B) override { real->load(A, B); }
  Matrix result() override { return real->result(); }
  std::string damage() override { return real->damage(); }
  double time(const Variant& v, int launches, bool cold) override {
    real->time(v, launches, cold);
    return seconds_per_launch * launches;
  }
};

int exit_of(const Chapter& chapter, std::vector<const char*> arguments, const OpenMachine& open = [](const Options&) { return open_cpu(); }) {
  arguments.insert(arguments.begin(), "chapter");
  return run_chapter(chapter, open, {}, int(arguments.size()), arguments.data());
}

}  // namespace

TEST_SUITE("run") {

TEST_CASE("a right variant is verified and timed") {
  const std::vector<Result> results = Fixture().measure({right});
  CHECK(results[0].verdict.right);
  REQUIRE(results[0].timing);
  CHECK(results[0].timing->batches == 2);
  CHECK(results[0].flops_per_second() > 0);
}

TEST_CASE("a wrong variant is never timed") {
  int runs = 0;
  const Variant wrong = variant("wrong", [&](const float* A, const float* B, float* C, const Shape& s) {
    ++runs;
    multiply(A, B, C, s);
    C[7] += 1;
  });
  const std::vector<Result> results = Fixture().measure({wrong, right});
  CHECK_FALSE(results[0].verdict.right);
  CHECK_FALSE(results[0].timing);
  CHECK(runs == 1);
  CHECK(results[1].timing);
}

TEST_CASE("a stale correct result fails: a variant that writes nothing does not inherit the one before it") {
  const Variant lazy = variant("lazy", [](const float*, const float*, float*, const Shape&) {});
  const std::vector<Result> results = Fixture().measure({right, lazy});
  CHECK(results[0].verdict.right);
  CHECK_FALSE(results[1].verdict.right);
  CHECK(results[1].verdict.message.find("never written") != std::string::npos);
}

TEST_CASE("a variant that adds to what is in C fails") {
  const Variant adds = variant("adds", [](const float* A, const float* B, float* C, const Shape& s) {
    for (std::int64_t i = 0; i < s.M; ++i)
      for (std::int64_t j = 0; j < s.N; ++j)
        for (std::int64_t k = 0; k < s.K; ++k) C[i * s.N + j] += A[i * s.K + k] * B[k * s.N + j];
  });
  CHECK_FALSE(Fixture().measure({right, adds})[1].verdict.right);
}

TEST_CASE("a variant that is right once and wrong in a row loses its time") {
  int runs = 0;
  const Variant tired = variant("tired", [&](const float* A, const float* B, float* C, const Shape& s) {
    multiply(A, B, C, s);
    if (++runs > 5) C[0] = 0;
  });
  const std::vector<Result> results = Fixture().measure({tired});
  CHECK_FALSE(results[0].verdict.right);
  CHECK_FALSE(results[0].timing);
  CHECK(results[0].verdict.message.find("several times in a row") != std::string::npos);
}

TEST_CASE("writes outside C, on both sides, and into A or B are found even if the result is right") {
  for (const std::int64_t offset : {std::int64_t{-1}, std::int64_t{40 * 30}, std::int64_t{-guard_words}, std::int64_t{40 * 30 + guard_words - 1}}) {
    const Variant stray = variant("stray", [=](const float* A, const float* B, float* C, const Shape& s) {
      multiply(A, B, C, s);
      C[offset] = 1.0f;
    });
    const Verdict verdict = Fixture().measure({stray})[0].verdict;
    CHECK_FALSE(verdict.right);
    CHECK_MESSAGE(verdict.message.find("1 words were written outside C") == 0, verdict.message);
  }
}

TEST_CASE("what a wrong variant wrote over inputs and guard bands is not blamed on the next one") {
  const Variant vandal = variant("vandal", [](const float* A, const float* B, float* C, const Shape& s) {
    multiply(A, B, C, s);
    const_cast<float*>(A)[3] += 1;
    C[-1] = 1.0f;
  });
  const std::vector<Result> results = Fixture().measure({vandal, right});
  CHECK_FALSE(results[0].verdict.right);
  CHECK_MESSAGE(results[1].verdict.right, results[1].verdict.message);
}

TEST_CASE("a value read from outside an input shows in the result") {
  const Variant peeks = variant("peeks", [](const float* A, const float* B, float* C, const Shape& s) {
    multiply(A, B, C, s);
    C[0] += 0 * A[s.M * s.K];  // harmless if memory happened to hold a number
  });
  CHECK_FALSE(Fixture().measure({peeks})[0].verdict.right);
}

TEST_CASE("sizes of 0 and 1") {
  for (const Shape& shape : {Shape{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 0}}) {
    Variant library = open_cpu()->library();
    std::vector<Variant> variants{right};
    if (library.run) variants.push_back(library);
    for (const Result& result : Fixture().measure(variants, shape)) {
      CAPTURE(shape.text());
      CAPTURE(result.variant);
      CHECK_MESSAGE(result.verdict.right, result.verdict.message);
      CHECK(bool(result.timing) == (shape.flops() > 0));
    }
  }
}

TEST_CASE("a refused shape is neither verified nor timed, and the reason is kept") {
  Variant picky = right;
  picky.refuses = [](const Shape& s) { return s.M % 2 ? std::string("M is odd") : std::string(); };
  const std::vector<Result> results = Fixture().measure({picky}, {5, 4, 4});
  CHECK(results[0].refused == "M is odd");
  CHECK_FALSE(results[0].timing);
  CHECK(Fixture().measure({picky}, {4, 4, 4})[0].refused.empty());
}

TEST_CASE("ratios to the library come from the same run") {
  Variant library = right;
  library.role = Role::library;
  FakeClock clock;
  const std::vector<Result> results = measure(clock, {right, library}, {8, 8, 8}, Fixture().options);
  REQUIRE(results[0].library_ratio);
  CHECK(*results[0].library_ratio == doctest::Approx(1.0));
}

TEST_CASE("exit codes: right, wrong, usage, environment, no device") {
  Chapter chapter{"chapter", "A chapter for tests.", {{8, 8, 8}}, {}, {right}, {}};
  CHECK(exit_of(chapter, {}) == exit_right);
  CHECK(exit_of(chapter, {"--variant", "none"}) == exit_usage);
  CHECK(exit_of(chapter, {"--json", "no/such/folder/file"}) == exit_usage);
  CHECK(exit_of(chapter, {"--fill", "integers", "-m", "1", "-n", "1", "-k", "4194304"}) == exit_usage);
  CHECK(exit_of(chapter, {}, [](const Options&) -> std::unique_ptr<Machine> { throw EnvironmentError("old driver"); }) == exit_environment);
  CHECK(exit_of(chapter, {}, [](const Options&) -> std::unique_ptr<Machine> { throw NoDeviceError("no device"); }) == exit_no_device);
  chapter.variants[0].run = [](const float*, const float*, float*, const Shape&) {};
  CHECK(exit_of(chapter, {}) == exit_wrong);
}

TEST_CASE("a rate above what the machine can do is an error") {
  const Chapter chapter{"chapter", "A chapter for tests.", {{64, 64, 64}}, {}, {right}, {}};
  for (const bool possible : {true, false}) {
    const OpenMachine open = [&](const Options&) {
      auto clock = std::make_unique<FakeClock>();
      clock->invented.limit_flops = clock->invented.ceiling_flops = 1e9;
      clock->seconds_per_launch = Shape{64, 64, 64}.flops() / (possible ? 0.9e9 : 1.1e9);
      return clock;
    };
    CHECK(exit_of(chapter, {"--repeats", "2"}, open) == (possible ? exit_right : exit_wrong));
  }
}

TEST_CASE("launch limits are named with the option that breaks them") {
  CHECK(broken_limit({{1, 1, 1}, {32, 32, 1}}) == "");
  CHECK(broken_limit({{1, 1, 1}, {64, 32, 1}}).find("2048 threads; CUDA's limit is 1024") != std::string::npos);
  CHECK(broken_limit({{1, 65535, 65535}, {1, 1, 1}}) == "");
  CHECK(broken_limit({{1, 65536, 1}, {1, 1, 1}}).find("-m: grid y is 65536; CUDA's limit is 65535") == 0);
  CHECK(broken_limit({{1, 65536, 1}, {1, 1, 1}, 0, true}).find("-n: grid y") == 0);
  CHECK(broken_limit({{1, 1, 65536}, {1, 1, 1}}).find("grid z is 65536") != std::string::npos);
  CHECK(broken_limit({{std::int64_t{1} << 31, 1, 1}, {1, 1, 1}}).find("grid x is 2147483648") != std::string::npos);
  CHECK(broken_limit({{1, 1, 1}, {1, 1, 128}}).find("block z is 128") != std::string::npos);
  CHECK(broken_limit({{1, 1, 1}, {1, 1, 1}, 48 * 1024 + 1}).find("shared memory is 49153") != std::string::npos);
}

TEST_CASE("a variant beyond a launch limit is refused before a machine is opened") {
  Variant tall = right;
  tall.geometry = [](const Shape& s) { return Geometry{{1, s.M, 1}, {1, 1, 1}}; };
  const Chapter chapter{"chapter", "A chapter for tests.", {}, {}, {tall}, {}};
  const OpenMachine never = [](const Options&) -> std::unique_ptr<Machine> { throw EnvironmentError("opened"); };
  CHECK(exit_of(chapter, {"-m", "65536", "-n", "1", "-k", "1"}, never) == exit_usage);
  CHECK(exit_of(chapter, {"-m", "65535", "-n", "1", "-k", "1"}, never) == exit_environment);
}

}

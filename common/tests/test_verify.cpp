// The verifier's mutation suite: what is right must pass, and every kind of fault must fail. Each fault is
// tried in a small problem (every element is compared) and in a large one (Freivalds' check).
#include "products.hpp"
#include "verify.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

using namespace ladder;
using namespace ladder::test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A correct product and its reference, small or large; tests damage copies of C.
struct Fixture {
  Problem problem;
  Reference reference;
  Matrix correct;

  Fixture(Shape shape, Fill fill) : problem(shape, fill), reference(problem.A, problem.B), correct(product(problem.A, problem.B)) {}

  Matrix copy() const {
    Matrix C(correct.rows(), correct.cols());
    std::memcpy(C.data(), correct.data(), correct.bytes());
    return C;
  }
  Verdict after(const std::function<void(Matrix&)>& damage) const {
    Matrix C = copy();
    damage(C);
    return reference.check(C);
  }
};

const Shape small_shape{128, 128, 128}, large_shape{520, 520, 520};

/// Runs a test on both methods and both kinds of input.
void on_all(const std::function<void(const Fixture&)>& test) {
  for (const Shape& shape : {small_shape, large_shape})
    for (const Fill fill : {Fill::random, Fill::unit}) {
      CAPTURE(shape.M);
      CAPTURE(to_string(fill));
      const Fixture fixture(shape, fill);
      const Verdict untouched = fixture.reference.check(fixture.correct);
      REQUIRE_MESSAGE(untouched.right, untouched.message);
      test(fixture);
    }
}

}  // namespace

TEST_SUITE("verify") {

TEST_CASE("both methods are really used") {
  CHECK(Fixture(small_shape, Fill::random).reference.check(product(Problem(small_shape, Fill::random).A, Problem(small_shape, Fill::random).B)).method == "every element");
  const Fixture large(large_shape, Fill::random);
  CHECK(large.reference.check(large.correct).method == "Freivalds and 8 rows");
}

TEST_CASE("correct fp32 passes in any order of summation, up to K = 500 000") {
  for (const std::int64_t K : {1, 2, 3, 1000, 16384, 500000})
    for (const Fill fill : {Fill::random, Fill::unit})
      for (const Order order : {Order::forward, Order::fused, Order::backward, Order::tiles})
        for (const std::int64_t N : {std::int64_t{8}, std::int64_t{40}}) {  // the second is large at K = 500 000
          const Problem problem({N, N, K}, fill);
          const Verdict verdict = Reference(problem.A, problem.B).check(product(problem.A, problem.B, order));
          CAPTURE(K);
          CAPTURE(N);
          CAPTURE(int(order));
          CAPTURE(verdict.worst_ratio);
          CHECK_MESSAGE(verdict.right, verdict.message);
        }
}

TEST_CASE("correct products pass in many shapes and with many seeds") {
  for (const Shape& shape : {Shape{1, 1, 1}, {1, 300, 700}, {300, 1, 700}, {37, 61, 97}, {512, 2, 9000}, {3000, 3000, 20}})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Problem problem(shape, Fill::random, seed);
      const Verdict verdict = Reference(problem.A, problem.B, false, seed).check(product(problem.A, problem.B));
      CHECK_MESSAGE(verdict.right, shape.text(), ": ", verdict.message);
    }
}

TEST_CASE("among a million correct elements none comes near its tolerance") {
  for (const Fill fill : {Fill::random, Fill::unit})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Problem problem({512, 512, 512}, fill, seed);
      const Verdict verdict = Reference(problem.A, problem.B).check(product(problem.A, problem.B, Order::forward));
      CHECK(verdict.method == "every element");
      CHECK(verdict.worst_ratio < 0.7);
    }
}

TEST_CASE("a dropped last k fails, at K = 16 384 too") {
  for (const std::int64_t N : {64, 128})  // small, large
    for (const Fill fill : {Fill::random, Fill::unit}) {
      const Problem problem({N, N, 16384}, fill);
      const Reference reference(problem.A, problem.B);
      const Verdict whole = reference.check(product(problem.A, problem.B));
      CHECK_MESSAGE(whole.right, whole.message);
      const Verdict dropped = reference.check(product(problem.A, problem.B, Order::fused, 0, 16383));
      CHECK_FALSE(dropped.right);
      CHECK_MESSAGE(contains(dropped.message, "k = K - 1, is missing"), dropped.message);
      CHECK_FALSE(reference.check(product(problem.A, problem.B, Order::fused, 1, 16384)).right);
    }
}

TEST_CASE("a term dropped in a single element of a large product fails") {
  const Fixture fixture(large_shape, Fill::random);
  std::int64_t k = 0;  // a term of ordinary size
  while (std::abs(fixture.problem.A(101, k) * fixture.problem.B(k, 203)) < 0.2f) ++k;
  const Verdict verdict = fixture.after([&](Matrix& C) { C(101, 203) -= fixture.problem.A(101, k) * fixture.problem.B(k, 203); });
  CHECK_FALSE(verdict.right);
  CHECK(contains(verdict.message, "C[101][203]"));
}

TEST_CASE("one wrong element fails, and is named") {
  on_all([](const Fixture& fixture) {
    for (const auto& [row, col] : {std::pair{0, 0}, {5, 17}, {127, 127}}) {
      const Verdict verdict = fixture.after([&](Matrix& C) { C(row, col) += 1.0f; });
      CHECK_FALSE(verdict.right);
      CHECK(verdict.wrong == 1);
      CHECK_MESSAGE(contains(verdict.message, "C[" + std::to_string(row) + "][" + std::to_string(col) + "]"), verdict.message);
    }
  });
}

TEST_CASE("one NaN or one Inf fails, and so do many") {
  on_all([](const Fixture& fixture) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const float value : {nan, -nan, inf, -inf}) {
      const Verdict one = fixture.after([&](Matrix& C) { C(77, 3) = value; });
      CHECK_FALSE(one.right);
      CHECK(one.wrong == 1);
      CHECK_MESSAGE(contains(one.message, std::isnan(value) ? "NaN" : "infinite"), one.message);
      CHECK_FALSE(fixture.after([&](Matrix& C) { std::fill_n(C.data(), C.size(), value); }).right);
      CHECK_FALSE(fixture.after([&](Matrix& C) { C(C.rows() - 1, C.cols() - 1) = value; }).right);
    }
    CHECK_FALSE(fixture.after([&](Matrix& C) { C(3, 3) = inf, C(3, 4) = -inf; }).right);
  });
}

TEST_CASE("huge garbage does not widen its own tolerance") {
  on_all([](const Fixture& fixture) {
    for (const float garbage : {1e6f, 1e12f, 1e20f, 3e38f, -3e38f}) {
      CHECK_FALSE(fixture.after([&](Matrix& C) { C(101, 5) = garbage; }).right);
      CHECK_FALSE(fixture.after([&](Matrix& C) { std::fill_n(C.row(50), 3 * C.cols(), garbage); }).right);
    }
  });
}

TEST_CASE("B transposed, A transposed and C transposed fail on squares") {
  on_all([](const Fixture& fixture) {
    const Matrix &A = fixture.problem.A, &B = fixture.problem.B;
    const auto transposed = [](const Matrix& X) {
      Matrix T(X.cols(), X.rows());
      for (std::int64_t i = 0; i < X.rows(); ++i)
        for (std::int64_t j = 0; j < X.cols(); ++j) T(j, i) = X(i, j);
      return T;
    };
    const Verdict b = fixture.reference.check(product(A, transposed(B)));
    CHECK_FALSE(b.right);
    CHECK_MESSAGE(contains(b.message, "A times B transposed"), b.message);
    const Verdict c = fixture.reference.check(transposed(fixture.correct));
    CHECK_FALSE(c.right);
    CHECK_MESSAGE(contains(c.message, "C is transposed"), c.message);
    CHECK_FALSE(fixture.reference.check(product(transposed(A), B)).right);
    CHECK_FALSE(fixture.reference.check(product(B, A)).right);
  });
}

TEST_CASE("an all-zero output fails") {
  on_all([](const Fixture& fixture) {
    const Verdict verdict = fixture.after([](Matrix& C) { std::fill_n(C.data(), C.size(), 0.0f); });
    CHECK_FALSE(verdict.right);
    CHECK_MESSAGE(contains(verdict.message, "zero"), verdict.message);
  });
}

TEST_CASE("unwritten rows, columns and tiles fail, and the message says so") {
  on_all([](const Fixture& fixture) {
    const Verdict row = fixture.after([](Matrix& C) { poison(C.row(C.rows() - 1), C.cols()); });
    CHECK_FALSE(row.right);
    CHECK(row.wrong == fixture.correct.cols());
    CHECK_MESSAGE(contains(row.message, "never written"), row.message);
    CHECK_MESSAGE(contains(row.message, "the last 1 rows"), row.message);
    const Verdict tile = fixture.after([](Matrix& C) {
      for (int r = 16; r < 32; ++r) poison(C.row(r) + 48, 16);
    });
    CHECK_FALSE(tile.right);
    CHECK_MESSAGE(contains(tile.message, "rows 16 to 31, columns 48 to 63: one tile"), tile.message);
    CHECK_FALSE(fixture.after([](Matrix& C) { poison(C.data(), C.size()); }).right);
  });
}

TEST_CASE("a reduced precision fails: 1024.5 x 1 and whole products with TF32 inputs") {
  Matrix A(1, 1), B(1, 1), C(1, 1);
  A(0, 0) = 1024.5f, B(0, 0) = 1.0f, C(0, 0) = 1024.0f;  // TF32 keeps ten bits of 1024.5
  CHECK_FALSE(Reference(A, B).check(C).right);
  C(0, 0) = 1024.5f;
  CHECK(Reference(A, B).check(C).right);

  on_all([](const Fixture& fixture) {
    const auto tf32 = [](const Matrix& X) {
      Matrix rounded(X.rows(), X.cols());
      for (std::int64_t i = 0; i < X.size(); ++i)
        rounded.data()[i] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(X.data()[i]) + 0x1000u) & ~0x1fffu);
      return rounded;
    };
    const Verdict verdict = fixture.reference.check(product(tf32(fixture.problem.A), tf32(fixture.problem.B)));
    CHECK_FALSE(verdict.right);
    CHECK_MESSAGE(contains(verdict.message, "reduced precision"), verdict.message);
  });
}

TEST_CASE("integers must agree bit for bit") {
  for (const Shape& shape : {small_shape, large_shape}) {
    const Problem problem(shape, Fill::integers);
    const Reference reference(problem.A, problem.B, true);
    for (const Order order : {Order::forward, Order::backward, Order::tiles}) CHECK(reference.check(product(problem.A, problem.B, order)).right);
    Matrix C = product(problem.A, problem.B);
    C(9, 9) = std::nextafter(C(9, 9), 1e9f);
    CHECK_FALSE(reference.check(C).right);
  }
}

TEST_CASE("K = 0 demands zeros, and an empty C is right") {
  const Matrix A(3, 0), B(0, 5);
  Matrix C(3, 5);
  poison(C.data(), C.size());
  CHECK_FALSE(Reference(A, B).check(C).right);
  std::fill_n(C.data(), C.size(), 0.0f);
  CHECK(Reference(A, B).check(C).right);
  C(2, 4) = 1e-30f;
  CHECK_FALSE(Reference(A, B).check(C).right);
  const Matrix tall(2100, 0), wide(0, 2100);  // large enough for Freivalds' check
  Matrix large(2100, 2100);
  std::fill_n(large.data(), large.size(), 0.0f);
  CHECK(Reference(tall, wide).check(large).right);
  std::fill_n(large.row(1000), large.cols(), 5.0f);
  CHECK_FALSE(Reference(tall, wide).check(large).right);
  const Matrix no_rows(0, 4), some(4, 5);
  CHECK(Reference(no_rows, some).check(Matrix(0, 5)).right);
  CHECK_FALSE(Reference(no_rows, some).check(Matrix(1, 5)).right);
}

TEST_CASE("the tolerance is never looser than the bound that holds in every order") {
  const double u = 0x1p-24;
  CHECK(tolerance(1, 3.0, 3.0, 9.0) <= 1.0001 * u * 3.0);
  CHECK(tolerance(1000, 0, 250, 100) <= 1000 * u / (1 - 1000 * u) * 250);
  CHECK(tolerance(16384, 0, 4096, 1820) < 0.01);  // a term of [-1,1) is 0.25 on average
  CHECK(tolerance(16384, 4096, 4096, 1820) < 0.15);  // and of [0,1) too
  CHECK(tolerance(0, 0, 0, 0) == 0);
}

}

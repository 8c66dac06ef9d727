#include "verify.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace ladder {
namespace {

constexpr double u = 0x1p-24;                // unit roundoff of fp32
constexpr std::size_t most_examples = 4096;  // wrong elements kept to look for a pattern

/// sum over k = 1..K of (k/K)^2: how the squared partial sums of a steadily growing sum add up.
double squared_ramp(double K) { return (K + 1) * (2 * K + 1) / (6 * K); }

/// What rounding can scatter an element by, for terms in random order. Each of K roundings is uniform within
/// u |s_k|, of variance u^2 s_k^2 / 3, and the partial sum s_k is a straight ramp k/K * S plus a random walk
/// that returns to zero, with sum s_k^2 = K Q / 6 on average.
/// * The ramp is known, so the error is normal: eight standard deviations, exceeded once in 10^15.
/// * The walk of one element in a million wanders much farther than the average one (sum s_k^2 has the
///   distribution of the Cramer-von Mises statistic, whose tail is exponential), and so the error's tail is
///   exponential too, about exp(-1.75 z) at z average standard deviations: twenty, once in 10^15.
/// The + 1 is for the products' own rounding where they are not fused with the sum.
double error_scatter(double K, double S2, double Q) {
  return u / std::sqrt(3.0) * (8 * std::sqrt(squared_ramp(K) * S2) + 20 * std::sqrt((K / 6 + 1) * Q));
}

/// How far rounding can drift in one direction. Adding a term to a much larger partial sum rounds the term to
/// the sum's grid, of spacing g <= 2 u s; small terms are more frequent than large ones (products of uniform
/// numbers), so more of them lie below the middle of their grid cell than above, and the mean rounding error
/// is about g^2 / 12 times the density of terms near zero: a few over their root mean square, sqrt(Q / K).
/// It matters where sums do not cancel: at K = 500 000 with inputs in [0, 1) it is larger than the scatter.
double error_drift(double K, double S2, double Q) {
  return Q > 0 ? 0.5 * u * u * squared_ramp(K) * S2 / std::sqrt(Q / K) : 0;
}

/// error / tolerance, where NaN must count as infinitely wrong and 0 / 0 as right.
double ratio(double error, double tolerance) {
  if (error == 0) return 0;
  const double r = error / tolerance;
  return std::isnan(r) ? std::numeric_limits<double>::infinity() : r;
}

}  // namespace

void poison(float* data, std::int64_t size) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < size; ++i) data[i] = std::bit_cast<float>(poison_bits);
}

double tolerance(double K, double S, double P, double Q) {
  if (K == 0) return 0;
  const double hard = K * u < 1 ? K * u / (1 - K * u) * P : std::numeric_limits<double>::infinity();
  return std::min(hard, error_scatter(K, S * S, Q) + error_drift(K, S * S, Q));
}

Reference::Reference(const Matrix& A, const Matrix& B, bool exact, std::uint64_t seed)
    : A_(A), B_(B), shape_{A.rows(), B.cols(), A.cols()}, exact_(exact) {
  const auto [M, N, K] = shape_;
  if (M == 0 || N == 0) return;
  if (small()) {
    every_row_.resize(M);
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t row = 0; row < M; ++row) every_row_[row] = exact_row(row);
    return;
  }

  std::mt19937_64 random(seed);
  std::set<std::int64_t> chosen{0, M - 1};  // the edges are where kernels go wrong
  while (std::int64_t(chosen.size()) < std::min<std::int64_t>(rows, M)) chosen.insert(random() % M);
  sample_.assign(chosen.begin(), chosen.end());
  sample_rows_.resize(sample_.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < sample_.size(); ++i) sample_rows_[i] = exact_row(sample_[i]);

  signs_.resize(N * vectors);
  for (auto& sign : signs_) sign = random() & (std::uint64_t{1} << 40) ? 1 : -1;
  std::vector<double> B_signs(K * vectors), B_squares(K);  // K x vectors; K
#pragma omp parallel for
  for (std::int64_t k = 0; k < K; ++k) {
    double sums[vectors] = {}, squares = 0;
    const float* b = B.row(k);
    for (std::int64_t j = 0; j < N; ++j) {
      for (int v = 0; v < vectors; ++v) sums[v] += double(b[j]) * signs_[j * vectors + v];
      squares += double(b[j]) * b[j];
    }
    std::copy(sums, sums + vectors, &B_signs[k * vectors]);
    B_squares[k] = squares;
  }
  products_.resize(M * vectors);
  squares_.resize(M);
#pragma omp parallel for
  for (std::int64_t i = 0; i < M; ++i) {
    double sums[vectors] = {}, squares = 0;
    const float* a = A.row(i);
    for (std::int64_t k = 0; k < K; ++k) {
      for (int v = 0; v < vectors; ++v) sums[v] += double(a[k]) * B_signs[k * vectors + v];
      squares += double(a[k]) * a[k] * B_squares[k];
    }
    std::copy(sums, sums + vectors, &products_[i * vectors]);
    squares_[i] = squares;
  }
}

bool Reference::small() const {
  const auto [M, N, K] = shape_;
  return M * N <= most_elements && double(M) * double(N) * double(K) <= double(most_products);
}

Reference::Row Reference::exact_row(std::int64_t row) const {
  const auto [M, N, K] = shape_;
  std::vector<double> S(N, 0.0), P(N, 0.0), Q(N, 0.0);
  const float* a = A_.row(row);
  for (std::int64_t k = 0; k < K; ++k) {
    const float* b = B_.row(k);
    const double a_k = a[k];
#pragma omp simd
    for (std::int64_t j = 0; j < N; ++j) {
      const double p = a_k * b[j];  // exact: two 24-bit significands fit fp64's 53 bits
      S[j] += p;
      P[j] += std::abs(p);
      Q[j] += p * p;
    }
  }
  if (exact_) return {std::move(S), std::vector<double>(N, 0.0)};
  for (std::int64_t j = 0; j < N; ++j) Q[j] = tolerance(double(K), S[j], P[j], Q[j]);
  return {std::move(S), std::move(Q)};
}

Verdict Reference::check(const Matrix& C) const {
  if (C.rows() != shape_.M || C.cols() != shape_.N) {
    Verdict verdict;
    verdict.message = format("C is %ldx%ld, expected %ldx%ld", long(C.rows()), long(C.cols()), long(shape_.M),
                             long(shape_.N));
    return verdict;
  }
  if (C.size() == 0) {
    Verdict verdict;
    verdict.right = true;
    verdict.method = "nothing to compute";
    return verdict;
  }
  return small() ? check_every_element(C) : check_by_vectors(C);
}

void Reference::compare_row(const Matrix& C, std::int64_t row, const Row& truth, Verdict& verdict,
                            std::vector<Element>& wrong) const {
  const float* c = C.row(row);
  for (std::int64_t col = 0; col < shape_.N; ++col) {
    const double error = std::abs(double(c[col]) - truth.expected[col]);
    const double r = ratio(error, truth.tolerance[col]);
    if (r > verdict.worst_ratio) {
      verdict.worst_ratio = r;
      verdict.bound = truth.tolerance[col];
    }
    if (!(error <= verdict.error)) verdict.error = error;
    if (r <= 1) continue;
    ++verdict.wrong;
    if (wrong.size() < most_examples)
      wrong.push_back({row, col, c[col], truth.expected[col], truth.tolerance[col]});
  }
}

Verdict Reference::check_every_element(const Matrix& C) const {
  Verdict verdict;
  verdict.method = exact_ ? "every element, exactly" : "every element";
  std::vector<Element> wrong;
  for (std::int64_t row = 0; row < shape_.M; ++row) compare_row(C, row, every_row_[row], verdict, wrong);
  verdict.right = verdict.worst_ratio <= 1;
  if (!verdict.right) verdict.message = explain(wrong, verdict.wrong, C.size(), true);
  return verdict;
}

// Freivalds (1977): if C = A B then C x = A (B x) for every x. With random signs in x, an error in any one
// element shows in full, and errors in several cancel by chance at most half the time in each vector.
// Rounding errors are multiplied by independent signs, so their sum has the sum of their squares as variance.
Verdict Reference::check_by_vectors(const Matrix& C) const {
  const auto [M, N, K] = shape_;
  Verdict verdict;
  verdict.method = format("Freivalds and %zu rows", sample_.size());
  std::vector<Element> wrong;
  std::vector<std::int64_t> wrong_rows;
  for (std::size_t i = 0; i < sample_.size(); ++i) {
    const std::int64_t before = verdict.wrong;
    compare_row(C, sample_[i], sample_rows_[i], verdict, wrong);
    if (verdict.wrong > before) wrong_rows.push_back(sample_[i]);
  }

  std::vector<double> errors(M), bounds(M);
#pragma omp parallel for
  for (std::int64_t row = 0; row < M; ++row) {
    double sums[vectors] = {}, squares = 0, fourths = 0;
    const float* c = C.row(row);
    for (std::int64_t j = 0; j < N; ++j) {
      for (int v = 0; v < vectors; ++v) sums[v] += double(c[j]) * signs_[j * vectors + v];
      const double square = double(c[j]) * c[j];
      squares += square;
      fourths += square * square;
    }
    double worst = 0;
    for (int v = 0; v < vectors; ++v) {
      const double error = std::abs(sums[v] - products_[row * vectors + v]);
      if (!(error <= worst)) worst = error;  // a NaN comes through
    }
    errors[row] = worst;
    // (sum p)^2 <= K sum p^2: however large the elements of a wrong C, they cannot widen their own tolerance.
    squares = std::min(squares, double(K) * squares_[row]);
    fourths = std::min(fourths, squares * squares);
    const double drift = error_drift(double(K), 1, squares_[row] / double(N));  // of an element with S = 1
    bounds[row] = exact_ || K == 0 ? 0 : error_scatter(double(K), squares, squares_[row]) + 8 * drift * std::sqrt(fourths);
  }
  for (std::int64_t row = 0; row < M; ++row) {
    const double r = ratio(errors[row], bounds[row]);
    if (r > verdict.worst_ratio) {
      verdict.worst_ratio = r;
      verdict.bound = bounds[row];
    }
    if (!(errors[row] <= verdict.error)) verdict.error = errors[row];
    if (r > 1) wrong_rows.push_back(row);
  }
  std::sort(wrong_rows.begin(), wrong_rows.end());
  wrong_rows.erase(std::unique(wrong_rows.begin(), wrong_rows.end()), wrong_rows.end());
  verdict.right = wrong_rows.empty();
  if (verdict.right) return verdict;

  // Recompute some of the wrong rows to say which elements they are.
  verdict.wrong = 0;
  wrong.clear();
  const std::size_t recomputed = std::min<std::size_t>(wrong_rows.size(), 16);
  for (std::size_t i = 0; i < recomputed; ++i)
    compare_row(C, wrong_rows[i], exact_row(wrong_rows[i]), verdict, wrong);
  verdict.message = format("%zu of %ld rows are wrong; in the first %zu of them ", wrong_rows.size(), long(M),
                           recomputed);
  verdict.message += wrong.empty() ? std::string("no single element exceeds its own tolerance")
                                   : explain(wrong, verdict.wrong, std::int64_t(recomputed) * N,
                                             recomputed == wrong_rows.size());
  return verdict;
}

std::string Reference::explain(const std::vector<Element>& wrong, std::int64_t count, std::int64_t compared,
                               bool all_rows) const {
  const Element& first = wrong.front();
  std::string text =
      format("%ld of %ld elements are wrong, first C[%ld][%ld]: got %.9g, expected %.9g, tolerance %.2g",
             long(count), long(compared), long(first.row), long(first.col), first.got, first.expected,
             first.tolerance);
  const std::string guess = pattern(wrong, all_rows && count == std::int64_t(wrong.size()));
  return guess.empty() ? text : text + "; " + guess;
}

// Guesses from the examples, the most telling first. Each holds for every example or is not said.
std::string Reference::pattern(const std::vector<Element>& wrong, bool all_seen) const {
  const auto [M, N, K] = shape_;
  const auto every = [&](auto&& holds) { return std::all_of(wrong.begin(), wrong.end(), holds); };
  const auto near = [](double got, double expected, double tolerance) {
    return std::abs(got - expected) <= std::max(tolerance, 1e-5 * std::abs(expected));
  };

  std::int64_t top = M, bottom = -1, left = N, right = -1;
  for (const Element& e : wrong) {
    top = std::min(top, e.row);
    bottom = std::max(bottom, e.row);
    left = std::min(left, e.col);
    right = std::max(right, e.col);
  }
  const std::int64_t height = bottom - top + 1, width = right - left + 1;
  std::string where;
  if (all_seen && bottom == M - 1 && height < M && width == N)
    where = format("the last %ld rows", long(height));
  else if (all_seen && right == N - 1 && width < N && height == M)
    where = format("the last %ld columns", long(width));
  else if (all_seen && wrong.size() > 1 && (height < M || width < N))
    where = format("rows %ld to %ld, columns %ld to %ld%s", long(top), long(bottom), long(left), long(right),
                   std::int64_t(wrong.size()) == height * width ? ": one tile" : "");

  const auto at = where.empty() ? std::string() : " (" + where + ")";
  if (every([](const Element& e) { return is_poison(float(e.got)); }))
    return "never written: still the poison of before the run" + at +
           (where.starts_with("the last") ? "; is the grid rounded down?" : "");
  if (every([](const Element& e) { return std::isnan(e.got); })) return "NaN" + at;
  if (every([](const Element& e) { return std::isinf(e.got); })) return "infinite" + at;
  if (every([](const Element& e) { return e.got == 0; })) return "zero" + at;

  if (K > 0 && every([&](const Element& e) {
        const double last = double(A_(e.row, K - 1)) * B_(K - 1, e.col);
        return near(e.got, e.expected - last, e.tolerance);
      }))
    return "the last term, k = K - 1, is missing" + at;
  if (M == N && every([&](const Element& e) {
        if (&e - wrong.data() >= 16) return true;  // 16 examples are telling enough
        return near(e.got, exact_row(e.col).expected[e.row], e.tolerance);
      }))
    return "C is transposed";
  if (N == K && every([&](const Element& e) {
        if (&e - wrong.data() >= 16) return true;
        double sum = 0;
        for (std::int64_t k = 0; k < K; ++k) sum += double(A_(e.row, k)) * B_(e.col, k);
        return near(e.got, sum, e.tolerance);
      }))
    return "this is A times B transposed";
  if (!exact_ && every([&](const Element& e) {
        return std::abs(e.got - e.expected) < 0x1p-9 * (std::abs(e.expected) + std::sqrt(double(K)));
      }))
    return "errors of the size of a reduced precision (TF32, bf16)" + at;
  return where.empty() ? "" : "all in " + where;
}

}  // namespace ladder

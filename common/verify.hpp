// Verification: is C really A * B? Every result is judged here before it may be timed.
//
// Small problems are compared element by element with a product in fp64; large ones by Freivalds' check plus
// a few exact rows. docs/verifying.md derives the tolerances and shows what each of them catches.
#pragma once

#include "matrix.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder {

/// What an output holds before a run: a quiet NaN whose payload no arithmetic makes, so that an element
/// which still holds it was never written.
constexpr std::uint32_t poison_bits = 0x7fe0dead;
inline bool is_poison(float x) { return std::bit_cast<std::uint32_t>(x) == poison_bits; }
void poison(float* data, std::int64_t size);

/// The judgement on one result.
struct Verdict {
  bool right = false;
  std::string method;      ///< how it was judged: "every element", "Freivalds and 8 rows"
  double error = 0;        ///< largest |got - expected| seen (of a row's signed sums, for Freivalds' check)
  double bound = 0;        ///< the tolerance where error / tolerance was largest
  double worst_ratio = 0;  ///< the largest error / tolerance; right means that it is at most 1
  std::int64_t wrong = 0;  ///< elements found wrong (rows that were not recomputed are not in it)
  std::string message;     ///< empty if right; else one sentence: how many, where first, what it suggests
};

/// The tolerance on one element c = sum of K products p, given S = sum p, P = sum |p|, Q = sum p^2.
/// It is the smaller of two bounds:
/// * gamma_K * P with gamma_K = K u / (1 - K u), u = 2^-24: holds for every order of summation (Higham,
///   "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1);
/// * what K rounding errors, each uniform within u times a partial sum of terms in random order, exceed once
///   in 10^15 elements, plus what they can drift in one direction. Sharp enough to see one missing term
///   among 16 384.
double tolerance(double K, double S, double P, double Q);

/// The truth about one product, computed once and used to judge every variant.
class Reference {
 public:
  /// Above this many products M*N*K, or this many elements M*N, the check is Freivalds'.
  static constexpr std::int64_t most_products = std::int64_t{1} << 27;
  static constexpr std::int64_t most_elements = std::int64_t{1} << 22;
  static constexpr int vectors = 8;  ///< random sign vectors: a wrong row escapes all with chance <= 2^-8
  static constexpr int rows = 8;     ///< rows that are recomputed exactly: the first, the last, six others

  /// A is M x K and B is K x N; both must outlive the reference. With `exact`, sums are exact in fp32
  /// (Fill::integers) and every tolerance is zero. `seed` draws the rows and the vectors.
  Reference(const Matrix& A, const Matrix& B, bool exact = false, std::uint64_t seed = 1);

  Verdict check(const Matrix& C) const;

 private:
  struct Element {
    std::int64_t row, col;
    double got, expected, tolerance;
  };
  struct Row {  // exact values of one row of C and their tolerances
    std::vector<double> expected, tolerance;
  };

  bool small() const;
  Row exact_row(std::int64_t row) const;
  Verdict check_every_element(const Matrix& C) const;
  Verdict check_by_vectors(const Matrix& C) const;
  void compare_row(const Matrix& C, std::int64_t row, const Row& truth, Verdict& verdict,
                   std::vector<Element>& wrong) const;
  /// `count` elements of `compared` are wrong; `all_rows` says that every wrong row was compared.
  std::string explain(const std::vector<Element>& wrong, std::int64_t count, std::int64_t compared,
                      bool all_rows) const;
  std::string pattern(const std::vector<Element>& wrong, bool all_seen) const;

  const Matrix& A_;
  const Matrix& B_;
  Shape shape_;
  bool exact_;
  std::vector<Row> every_row_;            // small problems: all rows
  std::vector<std::int64_t> sample_;      // large problems: which rows are exact ...
  std::vector<Row> sample_rows_;          // ... and their values
  std::vector<signed char> signs_;        // N x vectors, entries +1 or -1
  std::vector<double> products_;          // M x vectors: A * (B * signs)
  std::vector<double> squares_;           // M: sum over a row's elements of Q
};

}  // namespace ladder

// Problems: the shape of a product, the matrices that go into it, and lists of shapes read from files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

/// The shape of C[M,N] = A[M,K] * B[K,N], all three matrices row-major and dense.
struct Shape {
  std::int64_t M = 0, N = 0, K = 0;

  bool operator==(const Shape&) const = default;
  /// Floating-point operations of the product: a multiplication and an addition for each of M*N*K terms.
  double flops() const { return 2.0 * double(M) * double(N) * double(K); }
  /// Bytes that any algorithm must move in fp32: A and B read once, C written once.
  double compulsory_bytes() const { return 4.0 * (double(M) * K + double(K) * N + double(M) * N); }
  std::string text() const;  ///< "M x N x K", or "N^3" written as "1024" for a cube
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A dense row-major matrix in host memory; uninitialised until filled.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t cols)
      : rows_(rows), cols_(cols), data_(new float[static_cast<std::size_t>(rows * cols)]) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t size() const { return rows_ * cols_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * sizeof(float); }
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  float* row(std::int64_t r) { return data() + r * cols_; }
  const float* row(std::int64_t r) const { return data() + r * cols_; }
  float& operator()(std::int64_t r, std::int64_t c) { return row(r)[c]; }
  float operator()(std::int64_t r, std::int64_t c) const { return row(r)[c]; }

 private:
  std::int64_t rows_ = 0, cols_ = 0;
  std::unique_ptr<float[]> data_;
};

/// What the inputs hold. `integers` are whole numbers in [-2, 2]: every partial sum is exact in fp32 as
/// long as 4*K < 2^24, so that any correct kernel gives the same bits whatever its order of summation.
enum class Fill { random, unit, integers, zeros };

Fill parse_fill(std::string_view name);  ///< throws UsageError on any other name
std::string_view to_string(Fill fill);

/// Fills a matrix. Element i depends on (seed, i) alone, not on the number of threads.
/// random: uniform in [-1, 1); unit: uniform in [0, 1).
void fill(Matrix& matrix, Fill kind, std::uint64_t seed);

/// The largest K for which `Fill::integers` stays exact in fp32.
constexpr std::int64_t integers_largest_K = (std::int64_t{1} << 22) - 1;

/// Reads a shapes file: comma-separated, '#' starts a comment, a header line names the columns; M, N and K
/// must be among them and others are ignored. Throws UsageError that names the file and the line.
std::vector<Shape> read_shapes(const std::string& path);

}  // namespace ladder

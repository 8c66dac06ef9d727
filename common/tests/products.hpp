// fp32 products for tests: correct ones that add up in different orders, as kernels do.
#pragma once

#include "matrix.hpp"

#include <cmath>
#include <cstdint>

namespace ladder::test {

struct Problem {
  Matrix A, B;
  Problem(Shape shape, Fill kind, std::uint64_t seed = 7) : A(shape.M, shape.K), B(shape.K, shape.N) {
    fill(A, kind, seed);
    fill(B, kind, seed + 1);
  }
};

enum class Order {
  forward,   ///< k = 0, 1, 2, ... with a rounding for the product and one for the sum
  fused,     ///< the same with fused multiply-add, as GPUs do
  backward,  ///< k = K - 1, ..., 0
  tiles,     ///< partial sums of 32 terms, added up
};

/// The product of the terms k in [first, last), in fp32.
inline Matrix product(const Matrix& A, const Matrix& B, Order order = Order::fused, std::int64_t first = 0,
                      std::int64_t last = -1) {
  if (last < 0) last = A.cols();
  Matrix C(A.rows(), B.cols());
  const std::int64_t N = B.cols();
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < C.rows(); ++i) {
    std::vector<float> partial(N, 0.0f);
    float* c = C.row(i);
    for (std::int64_t j = 0; j < N; ++j) c[j] = 0;
    for (std::int64_t step = 0; step < last - first; ++step) {
      const std::int64_t k = order == Order::backward ? last - 1 - step : first + step;
      const float a = A(i, k);
      const float* b = B.row(k);
      if (order == Order::fused) {
        for (std::int64_t j = 0; j < N; ++j) c[j] = std::fma(a, b[j], c[j]);
      } else if (order == Order::tiles) {
        for (std::int64_t j = 0; j < N; ++j) partial[j] = std::fma(a, b[j], partial[j]);
        if (step % 32 == 31 || step == last - first - 1)
          for (std::int64_t j = 0; j < N; ++j) c[j] += partial[j], partial[j] = 0;
      } else {
        for (std::int64_t j = 0; j < N; ++j) {
          volatile float rounded = a * b[j];  // volatile: not to be fused
          c[j] += rounded;
        }
      }
    }
  }
  return C;
}

}  // namespace ladder::test

// The arithmetic of chapter 02: what a kernel with one thread an element asks of memory.
#pragma once

#include "arithmetic.hpp"

#include <algorithm>

namespace ladder {

// [element-traffic]
/// One thread an element, where a warp covers `rows` x `cols` = 32 elements of C. For each k the warp makes two
/// requests: one for its rows' words of column k of A, one for its columns' words of row k of B. At the end it
/// stores its piece of C. Warps that lie wholly outside C do nothing; at the edges a piece is smaller.
constexpr Traffic element_traffic(const Shape& shape, std::int64_t rows, std::int64_t cols) {
  const auto [M, N, K] = shape;
  const std::uint64_t down = ceil_div(M, rows), across = ceil_div(N, cols);  // warps along M and along N
  Traffic t;
  t.global_load_requests = 2 * K * down * across;
  t.global_store_requests = down * across;
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::int64_t row = 0; row < M; row += rows)  // all warps of a row of warps read the same words of A
      t.global_load_sectors += across * piece_sectors(K, row, k, std::min(rows, M - row), 1);
    for (std::int64_t col = 0; col < N; col += cols)  // and all of a column of warps the same words of B
      t.global_load_sectors += down * piece_sectors(N, k, col, 1, std::min(cols, N - col));
  }
  for (std::int64_t row = 0; row < M; row += rows)
    for (std::int64_t col = 0; col < N; col += cols)
      t.global_store_sectors += piece_sectors(N, row, col, std::min(rows, M - row), std::min(cols, N - col));
  t.flops = 2 * M * N * K;
  return t;
}
// [/element-traffic]

/// A block of X x Y threads, X a divisor of 32: lanes run along x first, so a warp is X wide.
template <int X, int Y>
constexpr Traffic naive_traffic(const Shape& shape) {
  static_assert(32 % X == 0 && Y % (32 / X) == 0);
  return element_traffic(shape, 32 / X, X);
}

/// With x along the rows of C, the same warp lies on its side.
template <int X, int Y>
constexpr Traffic swapped_traffic(const Shape& shape) {
  static_assert(32 % X == 0 && Y % (32 / X) == 0);
  return element_traffic(shape, X, 32 / X);
}

}  // namespace ladder

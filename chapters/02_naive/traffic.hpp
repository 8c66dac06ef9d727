// The arithmetic of chapter 02: what a kernel with one thread an element asks of memory.
#pragma once

#include "arithmetic.hpp"

namespace ladder {

// [element-traffic]
/// One thread an element, where a warp covers `rows` x `cols` = 32 elements of C. For each k the warp makes two
/// requests: one for its rows' words of column k of A, one for its columns' words of row k of B. So each piece of
/// A is loaded by all warps of a row of warps, and each piece of B by all of a column. At the end a warp stores its
/// piece of C. Warps that lie wholly outside C do nothing; at the edges a piece is smaller.
constexpr Traffic element_traffic(const Shape& shape, std::int64_t rows, std::int64_t cols) {
  const auto [M, N, K] = shape;
  const std::uint64_t down = ceil_div(M, rows), across = ceil_div(N, cols);  // warps along M and along N
  Traffic t;
  t.load(across, pieces(M, K, rows, 1));
  t.load(down, pieces(K, N, 1, cols));
  t.store(pieces(M, N, rows, cols));
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

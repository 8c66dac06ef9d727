// Shapes at which kernels go wrong: on the GPU and under the tracer every variant must be right on all of them.
#pragma once

#include "matrix.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ladder::test {

/// Small shapes: three different primes in all six orders, smaller and larger than a tile; one below, at and
/// above each tile size on each axis alone; single rows, columns and terms; sizes of 0 and 1.
inline std::vector<Shape> edge_shapes() {
  std::vector<Shape> shapes;
  for (std::array<std::int64_t, 3> primes : {std::array<std::int64_t, 3>{5, 7, 11}, {37, 61, 97}}) {
    do shapes.push_back({primes[0], primes[1], primes[2]});
    while (std::next_permutation(primes.begin(), primes.end()));
  }
  for (const std::int64_t tile : {8, 16, 32})
    for (const std::int64_t off : {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1})
      for (int axis = 0; axis < 3; ++axis) {
        std::int64_t dims[3] = {2 * tile, 2 * tile, 2 * tile};
        dims[axis] = off;
        shapes.push_back({dims[0], dims[1], dims[2]});
      }
  for (const Shape& thin : {Shape{1, 1, 1}, {1, 1, 97}, {1, 97, 1}, {97, 1, 1}, {1, 64, 64}, {64, 1, 64}, {64, 64, 1},
                            {1, 1, 0}, {33, 17, 0}, {0, 5, 5}, {5, 0, 5}, {0, 0, 0}})
    shapes.push_back(thin);
  return shapes;
}

}  // namespace ladder::test

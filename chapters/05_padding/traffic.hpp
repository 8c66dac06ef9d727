// The arithmetic of chapter 05: which banks a warp's words lie in. Global traffic is that of chapter 04.
#pragma once

#include "../04_bounds/traffic.hpp"
#include "arithmetic.hpp"

namespace ladder {

// [layout-traffic]
/// The traffic of a tiled kernel whose tiles lie in shared memory in some other way. `Layout` says where:
/// a(row, k) and b(k, col) are word indices of the elements of tile_A and tile_B. A warp is 32 / TILE rows of
/// threads; it stores its elements of both tiles in each step, and reads a column of tile_A and a row of tile_B
/// for each k.
template <int TILE, class Layout>
constexpr Traffic layout_traffic(const Shape& shape) {
  Traffic t = bounded_traffic<TILE>(shape);
  const Fold rows = fold(ceil_div(shape.M, TILE));
  const std::uint64_t blocks = rows.y * rows.z * ceil_div(shape.N, TILE), steps = ceil_div(shape.K, TILE);
  std::uint64_t stores = 0, loads = 0;  // wavefronts of one block in one step
  for (int first = 0; first < TILE * TILE; first += 32) {
    const auto x = [=](int lane) { return (first + lane) % TILE; };
    const auto y = [=](int lane) { return (first + lane) / TILE; };
    stores += wavefronts([=](int lane) { return Layout::a(y(lane), x(lane)); });
    stores += wavefronts([=](int lane) { return Layout::b(y(lane), x(lane)); });
    for (int k = 0; k < TILE; ++k) {
      loads += wavefronts([=](int lane) { return Layout::a(y(lane), k); });
      loads += wavefronts([=](int lane) { return Layout::b(k, x(lane)); });
    }
  }
  t.shared_store_wavefronts = blocks * steps * stores;
  t.shared_load_wavefronts = blocks * steps * loads;
  return t;
}
// [/layout-traffic]

// [layouts]
template <int TILE, int PAD>
struct PaddedLayout {
  static constexpr int a(int row, int k) { return row * (TILE + PAD) + k; }
  static constexpr int b(int k, int col) { return k * (TILE + PAD) + col; }
};

template <int TILE, int PAD>
struct TransposedLayout {
  static constexpr int a(int row, int k) { return k * (TILE + PAD) + row; }
  static constexpr int b(int k, int col) { return k * TILE + col; }
};

template <int TILE>
struct SwizzledLayout {
  static constexpr int a(int row, int k) { return k * TILE + (row ^ k); }
  static constexpr int b(int k, int col) { return k * TILE + col; }
};
// [/layouts]

template <int TILE, int PAD>
constexpr Traffic padded_traffic(const Shape& shape) { return layout_traffic<TILE, PaddedLayout<TILE, PAD>>(shape); }
template <int TILE, int PAD>
constexpr Traffic transposed_traffic(const Shape& shape) { return layout_traffic<TILE, TransposedLayout<TILE, PAD>>(shape); }
template <int TILE>
constexpr Traffic swizzled_traffic(const Shape& shape) { return layout_traffic<TILE, SwizzledLayout<TILE>>(shape); }

}  // namespace ladder

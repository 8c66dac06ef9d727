// Launching a chapter's kernel: the one place with triple angle brackets.
#pragma once

#include "gpu.hpp"
#include "variant.hpp"

#include <cuda_runtime.h>

namespace ladder {

inline dim3 to_dim3(const Extent& e) { return dim3(unsigned(e.x), unsigned(e.y), unsigned(e.z)); }

/// A function that enqueues `kernel` on the default stream with the geometry that the shape asks for.
/// A shape with M = 0 or N = 0 has no blocks and launches nothing.
template <class Kernel, class GeometryOf>
Run launcher(Kernel kernel, GeometryOf geometry_of) {
  // [launch]
  return [=](const float* A, const float* B, float* C, const Shape& shape) {
    const Geometry geometry = geometry_of(shape);
    if (geometry.grid.count() == 0) return;
    kernel<<<to_dim3(geometry.grid), to_dim3(geometry.block), geometry.shared_bytes>>>(
        A, B, C, int(shape.M), int(shape.N), int(shape.K));
    check_launch(cudaGetLastError());
  };
  // [/launch]
}

}  // namespace ladder

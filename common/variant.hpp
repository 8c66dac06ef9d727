// A variant: one way to multiply, by a name, with what the harness must know to run it.
#pragma once

#include "matrix.hpp"
#include "arithmetic.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace ladder {

/// Extents along CUDA's x, y and z. 64-bit, so that a grid that is too large can be named before it wraps.
struct Extent {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
};

/// The launch geometry of a kernel: blocks in the grid, threads in a block, dynamic shared memory.
struct Geometry {
  Extent grid, block;
  std::int64_t shared_bytes = 0;
  bool x_along_rows = false;  ///< which way the grid lies on C: x along the columns, or (swapped) along the rows
};

/// Rows of blocks that are more than a grid's y may have (65 535), folded along z: y * z >= rows, and fewer than
/// z blocks too many.
struct Fold {
  std::int64_t y = 0, z = 0;
};
constexpr Fold fold(std::int64_t rows) {
  const std::int64_t z = rows == 0 ? 1 : ceil_div(rows, 65535);
  return {ceil_div(rows, z), z};
}

/// What a variant is in its chapter's table.
enum class Role {
  own,       ///< the chapter's subject
  previous,  ///< the best of the chapter before, for comparison
  library,   ///< the vendor's library: the yardstick
};

/// Computes C from A and B, or enqueues the work on the device's default stream. Pointers are to where the
/// machine keeps its matrices: host memory for the CPU, device memory for a GPU.
using Run = std::function<void(const float* A, const float* B, float* C, const Shape& shape)>;

/// A kernel's body on the tracer's counting elements: what one thread of the launch does. Pointers are to the
/// tracer's arrays.
using Body = std::function<void(const void* A, const void* B, void* C, const Shape& shape)>;

struct Variant {
  std::string name;                                  ///< no spaces: it is also a command-line value
  Role role = Role::own;
  Run run{};                                         ///< empty in a build without the variant's machine
  std::function<Geometry(const Shape&)> geometry{};  ///< empty on the CPU and for a library
  std::function<std::string(const Shape&)> refuses{};  ///< empty, or why the shape cannot be taken ("" = it can)
  std::function<Traffic(const Shape&)> traffic{};  ///< the prediction; empty on the CPU and for a library
  Body body{};                                       ///< empty in a build without the tracer
};

/// Who notices that a kernel is broken.
enum class SeenBy {
  verifier,  ///< the result is wrong, and the trace is clean and as predicted
  tracer,    ///< the trace has a finding or other counts than predicted, and the result is right
  both,
  gpu,       ///< the verifier, but only of a result from a GPU: compiled for the CPU, the kernel is right
};

/// A kernel with one fault, for "break it".
struct Broken {
  Variant variant;
  std::string fault;  ///< what is wrong with it, in a few words
  SeenBy seen_by;
  Shape shape;        ///< a shape that shows the fault; the tracer's usual one if all zero
};

/// The limits of a launch that hold on every CUDA device (CUDA C++ Programming Guide, "Compute
/// Capabilities", table of technical specifications).
struct LaunchLimits {
  std::int64_t threads_per_block = 1024;
  Extent block{1024, 1024, 64};
  Extent grid{2147483647, 65535, 65535};
  std::int64_t shared_bytes = 48 * 1024;  ///< without opting in to more
};

/// The first limit that a geometry breaks, as a sentence that names the option to change ("" if none).
std::string broken_limit(const Geometry& geometry, const LaunchLimits& limits = {});

}  // namespace ladder

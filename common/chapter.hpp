// The face of the harness: what a chapter's main.cu sees. A chapter declares its variants in describe();
// main() stands in main_cpu.cpp and main_kernels.cpp, and the harness does everything else.
#pragma once

#include "arithmetic.hpp"
#include "matrix.hpp"
#include "variant.hpp"

#include <string>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#include "launch.cuh"
#endif

namespace simt {
template <typename T>
class Counted;  // the tracer's element
}

namespace ladder {

/// A chapter: its name, its idea in one sentence, and the variants that its table compares.
struct Chapter {
  std::string name;
  std::string idea;
  std::vector<Shape> sizes;     ///< measured when the command line names none
  Shape trace_shape{96, 96, 96};  ///< traced when the command line names none
  std::vector<Variant> variants;
  std::vector<Broken> broken;
};

struct Options;

/// The variants that the command line asks for; throws UsageError for a name that the chapter does not have.
std::vector<Variant> chosen(const Chapter& chapter, const Options& options);
/// The broken kernel of that name; throws UsageError if the chapter has none.
const Broken& find_broken(const Chapter& chapter, const std::string& name);
/// The shape that shows what is broken.
Shape shape_of(const Broken& broken, const Chapter& chapter);
/// Why a variant cannot take a shape, or "".
std::string refusal(const Variant& variant, const Shape& shape);
/// Throws UsageError with a reason if none of a chapter's own variants takes any of the shapes (where the command
/// line names only others: if none of those does).
void require_taken(const std::vector<Variant>& variants, const std::vector<Shape>& shapes);
const char* to_string(SeenBy seen_by);
/// Prints the chapter's variants and broken kernels.
void list(const Chapter& chapter);

/// A kernel of any chapter: C[M,N] = A[M,K] * B[K,N], row-major.
template <class T>
using Kernel = void (*)(const T* A, const T* B, T* C, int M, int N, int K);

using GeometryOf = Geometry (*)(const Shape& shape);
using TrafficOf = Traffic (*)(const Shape& shape);
using Refuses = std::string (*)(const Shape& shape);

/// A chapter of kernels on elements of type T: float, compiled by nvcc for the GPU, or the tracer's counting
/// element, compiled by the C++ compiler for the CPU.
template <class T>
struct KernelChapter : Chapter {
  /// A variant of this chapter. `traffic` predicts what it asks of memory; `refuses` says what is wrong with a
  /// shape that the kernel cannot take.
  void own(const char* name, Kernel<T> kernel, GeometryOf geometry, TrafficOf traffic, Refuses refuses = {}) {
    variants.push_back(variant(name, Role::own, kernel, geometry, traffic, refuses));
  }
  /// The best variant of the chapter before.
  void previous(const char* name, Kernel<T> kernel, GeometryOf geometry, TrafficOf traffic, Refuses refuses = {}) {
    variants.push_back(variant(name, Role::previous, kernel, geometry, traffic, refuses));
  }
  /// A kernel with one fault. `traffic` is what its author would promise.
  void breaks(const char* name, const char* fault, SeenBy seen_by, Kernel<T> kernel, GeometryOf geometry,
              TrafficOf traffic, Shape shape = {}, Refuses refuses = {}) {
    broken.push_back({variant(name, Role::own, kernel, geometry, traffic, refuses), fault, seen_by, shape});
  }

 private:
  static Variant variant(const char* name, Role role, Kernel<T> kernel, GeometryOf geometry, TrafficOf traffic,
                         Refuses refuses) {
    Variant v{name, role, {}, geometry, refuses, traffic};
#ifdef __CUDACC__
    v.run = launcher(kernel, geometry);
#else
    v.body = [kernel](const void* A, const void* B, void* C, const Shape& s) {
      kernel(static_cast<const T*>(A), static_cast<const T*>(B), static_cast<T*>(C), int(s.M), int(s.N), int(s.K));
    };
#endif
    return v;
  }
};

/// A function of chapter 01: the product on the CPU, as above.
using Function = void (*)(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N, std::int64_t K);

/// The chapter whose variants run on the CPU.
struct CpuChapter : Chapter {
  void own(std::string variant, Function function) {
    const auto run = [function](const float* A, const float* B, float* C, const Shape& s) {
      function(A, B, C, s.M, s.N, s.K);
    };
    variants.push_back({std::move(variant), Role::own, run});
  }
};

/// What a chapter's main.cu (main.cpp in 01) defines: it names the chapter and its variants. A main.cu is
/// compiled twice, and Element is what its kernels are made of in the translation unit at hand.
#ifdef __CUDACC__
using Element = float;
#else
using Element = simt::Counted<float>;
#endif
void describe(KernelChapter<float>& chapter);
void describe(KernelChapter<simt::Counted<float>>& chapter);
void describe(CpuChapter& chapter);

}  // namespace ladder

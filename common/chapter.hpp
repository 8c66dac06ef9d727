// The face of the harness: what a chapter's main.cu sees. A chapter declares its variants in describe();
// main() stands in common/main.cpp and does everything else.
#pragma once

#include "matrix.hpp"
#include "traffic.hpp"
#include "variant.hpp"

#include <string>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#include "launch.cuh"
#endif

namespace ladder {

/// A chapter: its name, its idea in one sentence, and the variants that its table compares.
struct Chapter {
  std::string name;
  std::string idea;
  std::vector<Shape> sizes;  ///< measured when the command line names none
  std::vector<Variant> variants;
};

/// A kernel of any chapter: C[M,N] = A[M,K] * B[K,N], row-major.
template <class T>
using Kernel = void (*)(const T* A, const T* B, T* C, int M, int N, int K);

using GeometryOf = Geometry (*)(const Shape& shape);
using Refuses = std::string (*)(const Shape& shape);

/// A chapter of kernels on elements of type T: float, compiled by nvcc for the GPU.
template <class T>
struct KernelChapter : Chapter {
  /// A variant of this chapter. `refuses` names what is wrong with a shape that the kernel cannot take.
  void own(std::string variant, Kernel<T> kernel, GeometryOf geometry, Refuses refuses = nullptr) {
    add(std::move(variant), Role::own, kernel, geometry, refuses);
  }
  /// The best variant of the chapter before.
  void previous(std::string variant, Kernel<T> kernel, GeometryOf geometry, Refuses refuses = nullptr) {
    add(std::move(variant), Role::previous, kernel, geometry, refuses);
  }

 private:
  void add(std::string variant, Role role, Kernel<T> kernel, GeometryOf geometry, Refuses refuses) {
    variants.push_back({std::move(variant), role, launcher(kernel, geometry), geometry, refuses});
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
    variants.push_back({std::move(variant), Role::own, run, {}, {}});
  }
};

/// What a chapter's main.cu (main.cpp in 01) defines: it names the chapter and its variants.
void describe(KernelChapter<float>& chapter);
void describe(CpuChapter& chapter);

/// The element type that kernels are compiled for in this translation unit.
using Element = float;

}  // namespace ladder

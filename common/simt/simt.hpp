// The one include of a kernel. Under nvcc it is CUDA and nothing else; under g++ or clang it is the
// tracer, which runs the same source on the CPU and counts. See docs/tracing.md.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace simt {
template <typename T>
struct vec4_of;
template <>
struct vec4_of<float> {
  using type = float4;
};
}  // namespace simt

/// The launch's dynamic shared memory, as an array of T.
template <typename T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char dynamic_shared_bytes[];
  return reinterpret_cast<T*>(dynamic_shared_bytes);
}

#else

#include "simt/buffer.hpp"
#include "simt/language.hpp"
#include "simt/trace.hpp"

#endif

/// Four T that move as one 128-bit access: float4 on the GPU.
template <typename T>
using vec4_t = typename simt::vec4_of<T>::type;

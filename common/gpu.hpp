// The GPU: errors, device memory, device facts and ceilings, cuBLAS, clocks.
#pragma once

#include "errors.hpp"
#include "machine.hpp"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace ladder {

/// A kernel that CUDA refused to launch or that ended in an error, such as an illegal address.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws what a CUDA error means here, with `what` was being done. Errors that a kernel caused are
/// KernelError, everything else EnvironmentError.
void check(cudaError_t error, const char* what);
void check(cublasStatus_t status, const char* what);
/// Throws KernelError if CUDA refused a launch, given cudaGetLastError() right after it.
void check_launch(cudaError_t error);

/// A point in the default stream's work.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  void record();
  /// Seconds from `start` to this event, after waiting for it.
  double since(const Event& start);

 private:
  cudaEvent_t event_;
};

/// Device memory that frees itself.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept { swap(other); return *this; }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceBuffer& other) { std::swap(data_, other.data_), std::swap(bytes_, other.bytes_); }
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// One matrix in device memory between guard bands full of poison.
class GuardedMatrix {
 public:
  GuardedMatrix() = default;
  explicit GuardedMatrix(std::int64_t elements);

  float* data() const { return static_cast<float*>(buffer_.data()) + guard_words; }
  std::int64_t size() const { return elements_; }
  void poison();                       ///< the matrix itself
  std::string damage(const char* name) const;  ///< of the bands, as guard_damage says it

 private:
  std::int64_t elements_ = 0;
  DeviceBuffer buffer_;
};

}  // namespace ladder

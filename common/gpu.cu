#include "gpu.hpp"

#include "numbers.hpp"
#include "verify.hpp"

#include <algorithm>
#include <vector>

namespace ladder {
namespace {

constexpr unsigned threads = 256;

__global__ void poison_kernel(float* data, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) data[i] = __uint_as_float(poison_bits);
}

void poison_device(float* data, std::int64_t size) {
  if (size == 0) return;
  poison_kernel<<<unsigned(ceil_div(size, threads)), threads>>>(data, size);
  check_launch(cudaGetLastError());
}

/// Independent multiply-adds from registers, enough of them to hide the latency of each (4 cycles, 4
/// schedulers an SM). The result is stored only if it has a value that it never has.
constexpr int chains = 16;
__global__ void multiply_add(float* out, float a, float b, int rounds) {
  float x[chains];
  for (int i = 0; i < chains; ++i) x[i] = float(threadIdx.x + i);
#pragma unroll 8
  for (int r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = fmaf(x[i], a, b);
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += x[i];
  if (sum == 0.12345f) *out = sum;
}

/// Keeps the GPU busy while the host enqueues a batch. Otherwise a host that takes longer to launch a kernel than
/// the kernel takes to run would set the pace, and its time be taken for the kernel's.
__global__ void occupy(std::int64_t cycles) {
  const std::int64_t start = clock64();
  while (clock64() - start < cycles) {}
}
constexpr double seconds_to_launch = 40e-6;  // of a slow host: half of that, or less, is usual
constexpr double most_seconds_to_launch = 0.01;

/// fp32 lanes of one SM by compute capability (CUDA C++ Programming Guide, "Arithmetic Instructions",
/// throughput of 32-bit floating-point multiply-add).
int lanes_per_sm(int major, int minor) {
  return (major == 7 || (major == 8 && minor == 0)) ? 64 : 128;
}

std::string version_text(int version) { return format("%d.%d", version / 1000, version % 1000 / 10); }

class GpuMachine : public Machine {
 public:
  explicit GpuMachine(int device);
  ~GpuMachine() override { if (cublas_) cublasDestroy(cublas_); }

  const MachineFacts& facts() const override { return facts_; }
  Variant library() override;
  double free_bytes() const override;
  void load(const Matrix& A, const Matrix& B) override;
  Matrix result() override;
  std::string damage() override;
  double time(const Variant& variant, int launches, bool cold) override;

 private:
  void measure_ceilings();

  MachineFacts facts_;
  cublasHandle_t cublas_ = nullptr;
  Shape shape_;
  GuardedMatrix A_, B_, C_;
  DeviceBuffer flush_;  // larger than L2: writing it leaves nothing of the matrices there
};

GpuMachine::GpuMachine(int device) {
  int driver = 0, runtime = 0, count = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (driver == 0) throw NoDeviceError("no CUDA device here: the NVIDIA driver is not installed");
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    throw EnvironmentError(format("the NVIDIA driver is too old: it speaks CUDA %s and this program was built "
                                  "with %s; update the driver or build with an older toolkit",
                                  version_text(driver).c_str(), version_text(runtime).c_str()));
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    throw NoDeviceError("no CUDA device here: the NVIDIA driver finds no GPU (nvidia-smi -L lists those it finds)");
  check(error, "cudaGetDeviceCount");
  if (device >= count)
    throw UsageError(format("--device %d: there are %d CUDA devices, numbered from 0", device, count));
  check(cudaSetDevice(device), "cudaSetDevice");

  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  const int major = properties.major, minor = properties.minor;
  cudaFuncAttributes attributes;
  const cudaError_t image = cudaFuncGetAttributes(&attributes, poison_kernel);
  if (image == cudaErrorNoKernelImageForDevice || image == cudaErrorUnsupportedPtxVersion)
    throw EnvironmentError(format("this program holds no code for %s (compute capability %d.%d): configure with "
                                  "-Dgencode=arch=compute_%d%d,code=sm_%d%d and build again",
                                  properties.name, major, minor, major, minor, major, minor));
  check(image, "loading the kernels");

  int kilohertz = 0, memory_kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&memory_kilohertz, cudaDevAttrMemoryClockRate, device), "cudaDeviceGetAttribute");
  facts_.kind = "gpu";
  facts_.name = properties.name;
  facts_.units = properties.multiProcessorCount;
  facts_.clock_hz = kilohertz * 1e3;
  facts_.memory_bytes = double(properties.totalGlobalMem);
  facts_.l2_bytes = properties.l2CacheSize;
  facts_.limit_flops = 2.0 * lanes_per_sm(major, minor) * facts_.units * facts_.clock_hz;
  facts_.more = {{"compute_capability", format("%d.%d", major, minor)},
                 {"memory_clock_hz", format("%.0f", memory_kilohertz * 1e3)},
                 {"driver", version_text(driver)},
                 {"cuda_runtime", version_text(runtime)},
                 {"nvcc", format("%d.%d.%d", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__)}};
  flush_ = DeviceBuffer(std::max<std::size_t>(4 * std::size_t(properties.l2CacheSize), 64 << 20));
  measure_ceilings();
  facts_.headline =
      format("%s, %d SMs, up to %.2f GHz, CUDA %s\nmeasured ceilings: fp32 %.1f TFLOP/s, copy %.2f TB/s",
             properties.name, facts_.units, facts_.clock_hz * 1e-9, version_text(runtime).c_str(),
             facts_.ceiling_flops * 1e-12, facts_.ceiling_bandwidth * 1e-12);
}

void GpuMachine::measure_ceilings() {
  const unsigned blocks = unsigned(facts_.units) * 64;
  const int rounds = 4096;
  const auto best = [](auto&& enqueue) {  // a ceiling is the best of several
    double seconds = 1e30;
    for (int i = 0; i < 7; ++i) {
      Event start, stop;
      start.record();
      enqueue();
      stop.record();
      seconds = std::min(seconds, stop.since(start));
    }
    return seconds;
  };
  const double flop_seconds = best([&] {
    multiply_add<<<blocks, threads>>>(static_cast<float*>(flush_.data()), 0.5f, 0.25f, rounds);
    check_launch(cudaGetLastError());
  });
  facts_.ceiling_flops = 2.0 * blocks * threads * chains * rounds / flop_seconds;

  const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30, std::size_t(free_bytes() / 4));
  const DeviceBuffer from(bytes), to(bytes);
  check(cudaMemset(from.data(), 1, bytes), "cudaMemset");
  const double copy_seconds = best([&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
  });
  facts_.ceiling_bandwidth = 2.0 * double(bytes) / copy_seconds;
}

Variant GpuMachine::library() {
  if (!cublas_) {
    check(cublasCreate(&cublas_), "cublasCreate");
    // Plain fp32: no TF32, no reduced-precision reductions, whatever the environment says.
    check(cublasSetMathMode(cublas_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    int version = 0;
    check(cublasGetVersion(cublas_, &version), "cublasGetVersion");
    facts_.more.push_back({"cublas", format("%d.%d.%d", version / 10000, version / 100 % 100, version % 100)});
  }
  // cuBLAS is column-major. A row-major matrix is its transpose in column-major, and C^T = B^T A^T, so the
  // operands are swapped and nothing is copied or transposed.
  const auto run = [cublas = cublas_](const float* A, const float* B, float* C, const Shape& s) {
    if (s.M == 0 || s.N == 0) return;
    const float one = 1, zero = 0;
    const int ldb = int(std::max<std::int64_t>(s.N, 1)), lda = int(std::max<std::int64_t>(s.K, 1));
    check(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, int(s.N), int(s.M), int(s.K), &one, B, ldb, A, lda, &zero,
                      C, int(s.N)),
          "cublasSgemm");
  };
  return {"cublas", Role::library, run};
}

double GpuMachine::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return double(free) + double(A_.size() + B_.size() + C_.size()) * sizeof(float);  // load() gives these back
}

void GpuMachine::load(const Matrix& A, const Matrix& B) {
  shape_ = {A.rows(), B.cols(), A.cols()};
  A_ = {}, B_ = {}, C_ = {};
  A_ = GuardedMatrix(A.size()), B_ = GuardedMatrix(B.size()), C_ = GuardedMatrix(shape_.M * shape_.N);
  check(cudaMemcpy(A_.data(), A.data(), A.bytes(), cudaMemcpyHostToDevice), "copying A to the device");
  check(cudaMemcpy(B_.data(), B.data(), B.bytes(), cudaMemcpyHostToDevice), "copying B to the device");
}

Matrix GpuMachine::result() {
  Matrix C(shape_.M, shape_.N);
  check(cudaMemcpy(C.data(), C_.data(), C.bytes(), cudaMemcpyDeviceToHost), "copying C from the device");
  return C;
}

std::string GpuMachine::damage() {
  for (const auto& [name, matrix] : {std::pair{"A", &A_}, {"B", &B_}, {"C", &C_}})
    if (std::string text = matrix->damage(name); !text.empty()) return text;
  return "";
}

double GpuMachine::time(const Variant& variant, int launches, bool cold) {
  Event start, stop;
  double seconds = 0;
  C_.poison();  // leaves C in L2, as a run before would have done
  const int batches = cold ? launches : 1, each = cold ? 1 : launches;
  for (int b = 0; b < batches; ++b) {
    if (cold) check(cudaMemsetAsync(flush_.data(), b, flush_.bytes()), "flushing L2");
    occupy<<<1, 1>>>(std::int64_t(std::min(each * seconds_to_launch, most_seconds_to_launch) * facts_.clock_hz));
    check_launch(cudaGetLastError());
    start.record();
    for (int i = 0; i < each; ++i) variant.run(A_.data(), B_.data(), C_.data(), shape_);
    stop.record();
    seconds += stop.since(start);
  }
  return seconds;
}

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const std::string text = std::string(what) + ": " + cudaGetErrorString(error);
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorIllegalInstruction: throw KernelError(text);
    case cudaErrorMemoryAllocation: throw UsageError(text + "; give a smaller --size");
    default: throw EnvironmentError(text);
  }
}

void check_launch(cudaError_t error) {
  if (error != cudaSuccess) throw KernelError(std::string("CUDA refused the launch: ") + cudaGetErrorString(error));
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw EnvironmentError(std::string(what) + ": " + cublasGetStatusString(status));
}

void Event::record() { check(cudaEventRecord(event_), "cudaEventRecord"); }

double Event::since(const Event& start) {
  check(cudaEventSynchronize(event_), "the kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

GuardedMatrix::GuardedMatrix(std::int64_t elements)
    : elements_(elements), buffer_(std::size_t(elements + 2 * guard_words) * sizeof(float)) {
  poison_device(static_cast<float*>(buffer_.data()), elements + 2 * guard_words);
}

void GuardedMatrix::poison() { poison_device(data(), elements_); }

std::string GuardedMatrix::damage(const char* name) const {
  std::vector<float> band(guard_words);
  for (const bool before : {true, false}) {
    const float* from = before ? data() - guard_words : data() + elements_;
    check(cudaMemcpy(band.data(), from, band.size() * sizeof(float), cudaMemcpyDeviceToHost), "reading a guard band");
    if (std::string text = guard_damage(name, band.data(), before); !text.empty()) return text;
  }
  return "";
}

std::unique_ptr<Machine> open_gpu(int device) { return std::make_unique<GpuMachine>(device); }

}  // namespace ladder

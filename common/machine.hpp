// A machine that multiplies: the CPU or a GPU. It owns the matrices of the current problem and the clock.
#pragma once

#include "matrix.hpp"
#include "variant.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder {

/// Facts of a machine for tables and records. Rates are in flop/s and bytes/s.
struct MachineFacts {
  std::string kind;     ///< "cpu" or "gpu"
  std::string name;     ///< of the processor
  std::string headline; ///< two lines for people: name, units, clocks; ceilings
  int units = 0;        ///< SMs of a GPU, threads of the CPU
  double clock_hz = 0;         ///< highest clock of the cores, 0 if unknown
  double memory_bytes = 0;     ///< of the device, or of the host
  double l2_bytes = 0;         ///< 0 if unknown
  double ceiling_flops = 0;    ///< measured: fp32 multiply-adds from registers, on all cores
  double ceiling_bandwidth = 0;  ///< measured: a copy, bytes read plus bytes written
  double limit_flops = 0;      ///< what no clock of this machine allows to exceed; 0 if unknown
  std::vector<std::pair<std::string, std::string>> more;  ///< driver, compiler, library, ... for the record
};

class Machine {
 public:
  virtual ~Machine() = default;

  virtual const MachineFacts& facts() const = 0;
  /// The vendor's library on this machine as a variant; `run` is empty if the build has none.
  virtual Variant library() = 0;

  /// Bytes that a problem may still take on the machine.
  virtual double free_bytes() const = 0;
  /// Takes copies of the inputs and makes room for C, each between guard bands.
  virtual void load(const Matrix& A, const Matrix& B) = 0;
  /// C as it is now.
  virtual Matrix result() = 0;
  /// Empty, or a sentence on the guard band that was written over.
  virtual std::string damage() = 0;
  /// Fills C with poison, then runs a variant `launches` times in a row, without synchronising between them,
  /// to the end of the last. Returns the seconds of the runs. With `cold`, the caches are flushed before each
  /// run (outside the measured time); otherwise they are as the run before left them. Errors are thrown.
  virtual double time(const Variant& variant, int launches, bool cold) = 0;
};

/// The CPU with as many threads as OpenMP gives (OMP_NUM_THREADS sets them).
std::unique_ptr<Machine> open_cpu();

/// Opens a CUDA device. Throws NoDeviceError without a driver or a device, EnvironmentError with a driver
/// that is too old or a device that this build holds no code for, UsageError for a `device` that is not there.
std::unique_ptr<Machine> open_gpu(int device);

/// Words on each side of a matrix that nothing may write. Inputs lie between NaNs, so that a value read from
/// outside shows in the result.
constexpr std::int64_t guard_words = 4096;

/// The sentence for a damaged guard band of `name`, given the band's words as they are now (`before` tells
/// which side it is on); "" if it is whole.
std::string guard_damage(const std::string& name, const float* band, bool before);

}  // namespace ladder

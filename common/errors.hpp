// The ways a program of this project can end. Every failure is one sentence and one of these exit codes.
#pragma once

#include <stdexcept>
#include <string>

namespace ladder {

enum Exit : int {
  exit_right = 0,         ///< everything that ran was right
  exit_wrong = 1,         ///< a result was wrong, or a trace found a fault
  exit_usage = 2,         ///< the command line, or a size in it, cannot be served
  exit_environment = 3,   ///< driver, device or build cannot run this
  exit_no_device = 77,    ///< no CUDA device at all: Meson shows a test that ends so as SKIP
};

/// Bad input: the message names the option and the limit it broke.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine cannot do it: the message says what is missing and the cure.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No CUDA device, as on a laptop or in CI.
struct NoDeviceError : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

/// A number that cannot be: a rate above the device's ceiling, a clock that went backwards.
struct MeasurementError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ladder

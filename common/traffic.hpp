// Memory traffic of one kernel launch, in the units of the hardware's own counters.
#pragma once

#include <cstdint>

namespace ladder {

/// What the warps of one launch ask of the memory system. A chapter's traffic.hpp predicts it, the tracer
/// counts it, and Nsight Compute reads it from the hardware (metric names in docs/tracing.md).
///   request    one load or store instruction of one warp (at least one lane active)
///   sector     an aligned 32-byte piece of global memory that a request touches
///   wavefront  a pass through the 32 banks of shared memory; a conflict-free request of 32-bit words takes one
struct Traffic {
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t barriers = 0;  ///< barriers completed, counted once a block
  std::uint64_t flops = 0;     ///< useful ones: two for each term of each element of C

  bool operator==(const Traffic&) const = default;
};

}  // namespace ladder

// Running a kernel on the CPU and counting: the call, its options and its report.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simt/buffer.hpp"
#include "simt/finding.hpp"
#include "simt/language.hpp"
#include "simt/request.hpp"
#include "arithmetic.hpp"

namespace simt {

/// The part of a launch between <<< and >>>.
struct Launch {
  dim3 grid, block;
  std::size_t dynamic_bytes = 0;
};

/// One word of global memory that a thread asks for, as Options::allowed sees it.
struct Touch {
  uint3 block, thread;
  const GlobalArray& array;
  std::int64_t row, col;
  bool store;
};

/// Which warp's requests to write down, and how many at most.
struct Watch {
  uint3 block;
  unsigned warp = 0;
  std::size_t most = 64;
};

struct Options {
  unsigned threads = 0;  ///< cores to use; 0: all

  /// Runs only the blocks for which it returns true. The report then is about these blocks alone,
  /// and nothing is said of elements never written.
  std::function<bool(uint3 block)> only;

  /// Says whether a thread may go to a place. An index that runs over the end of a row stays inside
  /// the array, so no address can tell; whoever knows what the kernel means can. Called from
  /// several threads.
  std::function<bool(const Touch&)> allowed;

  bool all_written = true;  ///< whether every element of every output must be stored by this launch

  /// Bytes of shared memory that a block may have. Most devices give more to a kernel that asks for
  /// it.
  std::size_t shared_limit = 48 << 10;

  /// Lanes stop at every access and those furthest behind in the source go first. Slow, and free of
  /// the rule by which lanes are normally matched: tests hold one against the other.
  bool lock_step = false;

  std::optional<Watch> watch;
};

/// Counts of one kind of access to one array in one source line.
struct LineCount {
  Position where;
  Kind kind{};
  std::string array;
  std::uint64_t requests = 0;
  std::uint64_t requested_bytes = 0;        ///< what the lanes asked for
  std::uint64_t sectors = 0, lines = 0;     ///< global memory
  std::uint64_t wavefronts = 0, ideal = 0;  ///< shared memory
  std::uint64_t moved_bytes() const { return sectors * 32; }
  std::uint64_t conflicts() const { return wavefronts - ideal; }
};

/// Distinct bytes: what any kernel would have to move if every byte moved once.
struct ArrayUse {
  std::string name;
  std::uint64_t loaded_bytes = 0, stored_bytes = 0;
};

/// One request of the watched warp, in program order.
struct WatchedRequest {
  struct Lane {
    bool active = false;
    std::int64_t offset = 0;  ///< bytes from the start of the array
    /// Of the matrix in global memory; in shared memory col is the bank, and row counts how often
    /// the array has gone round all 32 banks.
    std::int64_t row = 0, col = 0;
  };
  Position where;
  Kind kind{};
  std::string array;
  unsigned bytes = 0;  ///< per lane
  std::array<Lane, 32> lanes;
};

struct Report {
  ladder::Traffic total;  ///< flops stay 0: a tracer cannot tell which ones were useful
  std::vector<LineCount> lines;
  std::vector<ArrayUse> arrays;
  std::vector<Finding> findings;
  std::vector<WatchedRequest> watched;
  std::uint64_t accesses = 0;  ///< of single threads
  std::uint64_t blocks = 0;

  bool clean() const { return findings.empty(); }
  const Finding* find(Fault fault) const;
  std::string counts_text() const;  ///< tables of lines and arrays
  std::string text() const;         ///< the same, then the findings
};

/// Runs `kernel` once for every thread of the launch, and reports what its warps asked of memory
/// and what is wrong with it. The arrays it may touch are the `Buffer`s that exist. One trace at a
/// time.
///
///     auto report = simt::trace({grid, block}, {},
///                               [&] { tiled<T, 16>(A.data(), B.data(), C.data(), M, N, K); });
Report trace(const Launch& launch, const Options& options, const std::function<void()>& kernel);

}  // namespace simt

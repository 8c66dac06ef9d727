// The `__shared__` arrays of this program: their names, places and shapes, read from its own
// executable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt {

struct SharedArray {
  std::string name;
  std::uint64_t offset = 0;  ///< from the start of the thread's static storage
  std::uint64_t bytes = 0;
  bool known = true;  ///< false for the one array that stands for all in a stripped program

  /// "tile_A[3][7]", or "tile_A[55]" without debug information.
  std::string element(std::uint64_t byte) const;
};

/// Sorted by offset. Names come from the symbol table and shapes from the debug information of -g;
/// a stripped program has neither, and everything but names works all the same.
const std::vector<SharedArray>& shared_arrays();

/// The static storage of the calling thread, in which its blocks' shared arrays lie.
struct ThreadStorage {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
};
ThreadStorage thread_storage();

}  // namespace simt

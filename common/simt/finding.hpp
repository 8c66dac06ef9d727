// What a trace finds wrong with a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "simt/language.hpp"

namespace simt {

enum class Fault : std::uint8_t {
  launch_limits,      ///< the grid, the block or its shared memory is beyond what hardware takes
  out_of_bounds,      ///< outside every array
  index_overflow,     ///< out of bounds by 2^32 elements: an index was computed in 32 bits
  outside_footprint,  ///< inside an array, but not where this thread may go (Options::allowed)
  misaligned,         ///< a vector access or asynchronous copy at no multiple of its size
  store_to_input,
  uninitialised_read,  ///< of a shared word or of an output
  pending_read,        ///< of a word that an asynchronous copy has not delivered, or a store to it
  read_after_write,    ///< races: nothing orders the two accesses
  write_after_read,
  write_after_write,
  blocks_store,         ///< two blocks store the same word
  blocks_load_store,    ///< one block loads a word that another stores
  barrier_not_reached,  ///< by a thread that has returned
  barrier_mismatch,     ///< threads of one block wait at different barriers
  warp_sync_mismatch,   ///< lanes named in a mask do not all come
  never_written,        ///< elements of an output
};

const char* to_string(Fault fault);

/// A place in the source, by value so that it outlives everything.
struct Position {
  std::string file;
  std::uint32_t line = 0;

  auto operator<=>(const Position&) const = default;
  std::string text() const;  ///< "03_tiled/kernel.cuh:21"
};

struct ThreadId {
  uint3 block, thread;
  bool operator==(const ThreadId&) const = default;
  std::string text() const;  ///< "block (1,0) thread (3,5)"
};

/// All faults of one kind at one place (or pair of places), with the first as an example. "First"
/// is by the numbers of block and thread, hence the same for any number of cores.
struct Finding {
  Fault fault{};
  std::uint64_t count = 0;
  Position where;
  ThreadId who;
  std::string does;        ///< "loaded", "stored", or "reached" for a barrier
  bool has_other = false;  ///< whether a second thread takes part
  Position other_where;
  ThreadId other_who;
  std::string other_does;
  std::string array;    ///< "B" or "tile_A"; empty if there is none
  std::string element;  ///< "row 3, column 7 of B" or "tile_A[3][7]"; empty if there is none
  std::string note;     ///< anything more, in words

  std::string text() const;  ///< one line
};

}  // namespace simt

#include "simt/finding.hpp"

namespace simt {

const char* to_string(Fault fault) {
  switch (fault) {
    case Fault::launch_limits:
      return "beyond the limits of the hardware";
    case Fault::out_of_bounds:
      return "out of bounds";
    case Fault::index_overflow:
      return "out of bounds: a 32-bit index wrapped";
    case Fault::outside_footprint:
      return "in the array, but not where this thread may go";
    case Fault::misaligned:
      return "misaligned access";
    case Fault::store_to_input:
      return "store to an input";
    case Fault::uninitialised_read:
      return "read of an uninitialised word";
    case Fault::pending_read:
      return "use of a word whose asynchronous copy was not waited for";
    case Fault::read_after_write:
      return "race: read after write without a barrier between";
    case Fault::write_after_read:
      return "race: write after read without a barrier between";
    case Fault::write_after_write:
      return "race: two threads write without a barrier between";
    case Fault::blocks_store:
      return "two blocks store the same word";
    case Fault::blocks_load_store:
      return "a block loads what another block stores";
    case Fault::barrier_not_reached:
      return "barrier not reached by threads that have returned";
    case Fault::barrier_mismatch:
      return "threads of a block wait at different barriers";
    case Fault::warp_sync_mismatch:
      return "lanes named in the mask do not come";
    case Fault::never_written:
      return "never written";
  }
  return "";
}

// The last two parts of a path say enough: chapter and file.
std::string Position::text() const {
  const std::size_t name = file.rfind('/');
  const std::size_t folder =
      name == std::string::npos || name == 0 ? name : file.rfind('/', name - 1);
  return (folder == std::string::npos ? file : file.substr(folder + 1)) + ":" +
         std::to_string(line);
}

std::string ThreadId::text() const {
  auto tuple = [](const uint3& d) {
    const std::string two = std::to_string(d.x) + "," + std::to_string(d.y);
    return d.z == 0 ? two : two + "," + std::to_string(d.z);
  };
  return "block (" + tuple(block) + ") thread (" + tuple(thread) + ")";
}

// "03_tiled/kernel.cuh:24: race: ...: tile_A[0][1] loaded by block (0,0) thread (0,0), stored by
// ..."
std::string Finding::text() const {
  const bool in_source = where.line != 0;
  std::string s = in_source ? where.text() + ": " : "";
  s += to_string(fault);
  if (!element.empty()) s += (fault == Fault::never_written ? ": first " : ": ") + element;
  if (in_source) s += (element.empty() ? ": " : " ") + does + " by " + who.text();
  if (has_other) s += ", " + other_does + " by " + other_who.text();
  if (has_other && other_where != where) s += " at " + other_where.text();
  if (!note.empty()) s += "; " + note;
  if (count > 1) s += " (" + std::to_string(count) + " times)";
  return s;
}

}  // namespace simt

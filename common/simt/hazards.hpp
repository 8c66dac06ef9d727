// Who touched a word last, and whether anything orders that before the present access.
#pragma once

#include <cstdint>

namespace simt {

/// One access of one thread. An epoch is the time between two barriers of a block; epochs are
/// numbered in 54 bits, so that their numbers never come round again.
struct Access {
  std::uint64_t when = 0;  ///< epoch * 1024 + thread; 0: never
  std::uint32_t clock =
      0;  ///< counts the thread's accesses within the epoch; __syncwarp evens it out
  std::uint32_t site = 0;

  std::uint64_t epoch() const { return when >> 10; }
  std::uint32_t thread() const { return when & 1023; }
  std::uint32_t warp() const { return thread() / 32; }
};

/// Set in Access::when of a store whose asynchronous copy nobody has waited for.
constexpr std::uint64_t pending = std::uint64_t{1} << 63;

/// The present access, and the clock that its warp agreed on at the last __syncwarp.
struct Now : Access {
  std::uint32_t warp_synced_at = 0;
};

/// The order of two accesses is decided by barriers, never by which of them this program happened
/// to run first. In particular lanes of a warp are not in step with each other.
inline bool concurrent(const Access& past, const Now& now) {
  if (((past.when ^ now.when) >> 10) != 0) return false;  // another epoch
  if (past.when == now.when) return false;                // the same thread
  return past.warp() != now.warp() || past.clock >= now.warp_synced_at;
}

/// What is known of one 4-byte word. Two loads are kept, by different threads and if possible by
/// different warps, so that for any storing thread one of them is by another thread.
struct Word {
  Access store, load, other_load;
};

/// Enters a load; returns the store that it races with, or null.
inline const Access* enter_load(Word& w, const Now& now) {
  const Access* race = concurrent(w.store, now) ? &w.store : nullptr;
  if (w.load.when != now.when) {
    const bool keep_other =
        w.other_load.epoch() == now.epoch() && w.other_load.warp() != now.warp();
    if (!keep_other && w.load.when != 0) w.other_load = w.load;
  }
  w.load = now;
  return race;
}

/// Enters a store; calls `found(past, past_is_store)` for every access that it races with.
template <typename Found>
void enter_store(Word& w, const Now& now, Found found) {
  if (concurrent(w.store, now)) found(w.store, true);
  if (concurrent(w.load, now)) {
    found(w.load, false);
  } else if (concurrent(w.other_load, now)) {
    found(w.other_load, false);
  }
  w.store = now;
}

}  // namespace simt

// Puts together what the lanes of a warp did one after the other into the requests of the warp.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/request.hpp"

namespace simt {

/// The n-th time that a lane comes by a site since the last barrier, it takes part in the site's
/// n-th request. Lanes that skip an iteration, a branch or the rest of the kernel are simply
/// missing from it, as they are on the GPU. (Counting a lane's accesses instead of its visits to a
/// site would be wrong as soon as lanes diverge.)
class Matcher {
 public:
  void put(std::uint32_t site, unsigned lane, std::uintptr_t address) {
    if (site >= queues_.size()) queues_.resize(site + 1);
    Queue& q = queues_[site];
    if (!q.active) {
      q.active = true;
      active_.push_back(site);
    }
    const std::uint32_t n = q.visits[lane]++ - q.emitted;
    if (n >= q.used) {
      if (n >= q.requests.size()) q.requests.resize(2 * n + 4);
      q.requests[n].lanes = 0;
      q.requests[n].order = next_order_++;
      q.used = n + 1;
    }
    Request& r = q.requests[n];
    r.lanes |= 1u << lane;
    r.address[lane] = address;
  }

  /// Emits the requests that no lane of `running` can still join, and forgets them. Keeps memory
  /// bounded in long loops without a barrier.
  template <typename Emit>
  void drain_complete(std::uint32_t running, Emit emit) {
    for (std::uint32_t site : active_) {
      Queue& q = queues_[site];
      std::uint32_t n = 0;
      while (n < q.used && (q.requests[n].lanes & running) == running) emit(site, q.requests[n++]);
      for (std::uint32_t i = n; i < q.used; ++i) q.requests[i - n] = q.requests[i];
      q.used -= n;
      q.emitted += n;
    }
  }

  /// Emits everything: the lanes have met at a barrier, or ended.
  template <typename Emit>
  void drain_all(Emit emit) {
    for (std::uint32_t site : active_) {
      Queue& q = queues_[site];
      for (std::uint32_t n = 0; n < q.used; ++n) emit(site, q.requests[n]);
      for (std::uint32_t& v : q.visits) v = 0;
      q.used = q.emitted = 0;
      q.active = false;
    }
    active_.clear();
  }

 private:
  struct Queue {
    bool active = false;
    std::uint32_t visits[32] = {};
    std::uint32_t emitted = 0;  // requests already gone
    std::uint32_t used = 0;     // requests waiting
    std::vector<Request> requests;
  };
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> active_;
  std::uint64_t next_order_ = 0;
};

}  // namespace simt

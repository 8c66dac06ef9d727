#include "simt/worker.hpp"

#include <algorithm>

namespace simt {

constinit thread_local Worker* this_worker = nullptr;

namespace {

// Stacks at distances of a power of two would all compete for the same few lines of the caches.
constexpr std::size_t stack_stride = stack_bytes + 9 * 64;

// The order in which lock step runs sites: by line, and what a line loads before what it stores.
bool earlier(const Site& a, const Site& b) {
  return std::tuple(a.line, is_store(a.kind), a.column, a.operand) <
         std::tuple(b.line, is_store(b.kind), b.column, b.operand);
}

}  // namespace

Worker::Worker(Job& job) : job_(job), sites_(job.sites), storage_(thread_storage()) {
  const dim3& b = job.launch.block;
  const unsigned size = b.x * b.y * b.z;
  stacks_ = Pages<char>(size * stack_stride);
  for (unsigned i = 0; i < size; ++i) {
    Thread& t = threads_.emplace_back();
    t.index = {i % b.x, i / b.x % b.y, i / (b.x * b.y)};
    t.fiber = std::make_unique<Fiber>(stacks_.data() + i * stack_stride, [this, &t] {
      try {
        job_.kernel();
      } catch (const boost::context::detail::forced_unwind&) {
        throw;
      } catch (...) {
        error_ = std::current_exception();
      }
      t.stop = Stop::done;
    });
  }
  static_words_ = Pages<Word>(storage_.bytes / 4 + 1);
  dynamic_ = Pages<char>(job.launch.dynamic_bytes, 1 << 20);
  dynamic_begin_ = reinterpret_cast<std::uintptr_t>(dynamic_.data());
  dynamic_words_ = Pages<Word>(job.launch.dynamic_bytes / 4 + 1);
  for (GlobalArray* array : GlobalArray::all())
    views_.push_back(
        {array, array->role() == Role::output ? Pages<Word>(array->words()) : Pages<Word>()});
  tally.shared_used.resize(shared_arrays().size());
  this_worker = this;
  gridDim = job.launch.grid;
  blockDim = job.launch.block;
}

Worker::~Worker() { this_worker = nullptr; }

void Worker::run() {
  for (;;) {
    const std::uint64_t number = job_.next_block++;
    if (number >= job_.block_count) return;
    const uint3 block = job_.block_index(number);
    if (job_.options.only && !job_.options.only(block)) continue;
    blockIdx = block;
    run_block(number);
    if (error_) std::rethrow_exception(error_);
  }
}

void Worker::run_block(std::uint64_t number) {
  block_ = number;
  ++tally.blocks;
  block_began_ = (epoch_ + 1) << 10;
  for (Thread& t : threads_) {
    t.stop = Stop::ready;
    t.open.clear();
    t.batches.clear();
  }
  const auto& watch = job_.options.watch;
  const bool watched_block = watch && job_.block_index(number) == watch->block;
  const unsigned size = static_cast<unsigned>(threads_.size());
  for (bool live = true; live;) {
    ++epoch_;
    for (unsigned first = 0; first < size; first += 32) {
      warp_ = first / 32;
      watching_ = watched_block && watch->warp == warp_;
      run_warp(first, std::min(first + 32, size));
    }
    end_epoch();
    meet_at_barrier();
    live = std::any_of(threads_.begin(), threads_.end(),
                       [](auto& t) { return t.stop == Stop::ready; });
  }
}

// Runs the warp's lanes until each has come to a block-wide barrier or to its end.
void Worker::run_warp(unsigned first, unsigned end) {
  auto lanes_at = [&](Stop stop) {
    std::uint32_t lanes = 0;
    for (unsigned i = first; i < end; ++i)
      lanes |= std::uint32_t(threads_[i].stop == stop) << (i - first);
    return lanes;
  };
  for (unsigned i = first; i < end; ++i)
    threads_[i].clock = threads_[i].warp_synced_at = threads_[i].undrained = 0;
  for (;;) {
    for (unsigned i = first; i < end; ++i)
      if (threads_[i].stop == Stop::ready) resume(i);
    if (error_) return;
    const std::uint32_t draining = lanes_at(Stop::drain);
    if (draining != 0) {
      matcher_.drain_complete(draining | lanes_at(Stop::warp_sync),
                              [this](std::uint32_t site, const Request& r) { emit(site, r); });
      for (unsigned i = first; i < end; ++i) {
        threads_[i].undrained = 0;
        if (threads_[i].stop == Stop::drain) threads_[i].stop = Stop::ready;
      }
      continue;
    }
    if (settle_warp_syncs(first, end, false)) continue;
    if (job_.options.lock_step && step_in_lock(first, end)) continue;
    if (!settle_warp_syncs(first, end, true)) break;
  }
  drain_all();
}

// Lets go the lanes that wait for each other at a warp-wide synchronisation, once all of them are
// there. If the warp is stuck, lanes that can never come are reported and no longer waited for.
bool Worker::settle_warp_syncs(unsigned first, unsigned end, bool stuck) {
  for (unsigned i = first; i < end; ++i) {
    if (threads_[i].stop != Stop::warp_sync) continue;
    const unsigned mask = threads_[i].mask;
    std::vector<unsigned> there;
    unsigned missing = end, living = 0;
    for (unsigned j = first; j < end; ++j) {
      const Thread& t = threads_[j];
      living += t.stop != Stop::done;
      if (!(mask >> (j - first) & 1) || t.stop == Stop::done) continue;
      if (t.stop == Stop::warp_sync && t.mask == mask) {
        there.push_back(j);
      } else {
        missing = j;
      }
    }
    if (missing != end) {
      if (!stuck) continue;
      const Toucher other{block_, missing, threads_[missing].site};
      fault_at(Fault::warp_sync_mismatch, {}, {block_, i, threads_[i].site}, &other);
      if (there.empty()) there.push_back(i);
    }
    // The whole warp is together again: matching starts afresh, as at a barrier.
    if (there.size() == living) drain_all();
    std::uint32_t clock = 0;
    for (unsigned j : there) clock = std::max(clock, threads_[j].clock + 1);
    for (unsigned j : there) {
      Thread& t = threads_[j];
      t.shown = t.given;
      t.clock = clock;
      if (t.orders_memory) t.warp_synced_at = clock;
      t.stop = Stop::ready;
    }
    return true;
  }
  return false;
}

// Lock step: of the lanes that stand at an access, those at the earliest site make one request.
bool Worker::step_in_lock(unsigned first, unsigned end) {
  const std::vector<Site> sites = job_.sites.sites();
  const Thread* earliest = nullptr;
  for (unsigned i = first; i < end; ++i) {
    const Thread& t = threads_[i];
    if (t.stop == Stop::access && (!earliest || earlier(sites[t.site], sites[earliest->site])))
      earliest = &t;
  }
  if (!earliest) return false;
  const std::uint32_t site = earliest->site;
  Request request;
  for (unsigned i = first; i < end; ++i) {
    Thread& t = threads_[i];
    if (t.stop != Stop::access || t.site != site) continue;
    request.lanes |= 1u << (i - first);
    request.address[i - first] = t.address;
    t.stop = Stop::ready;
  }
  emit(site, request);
  return true;
}

// Every thread has stopped. Whatever is wrong is reported and the waiting ones go on, so nothing
// hangs.
void Worker::meet_at_barrier() {
  const Thread* waiting = nullptr;
  unsigned waiting_number = 0, done_number = 0;
  bool some_done = false, mismatch = false;
  for (unsigned i = 0; i < threads_.size(); ++i) {
    Thread& t = threads_[i];
    if (t.stop == Stop::done) {
      if (!some_done) done_number = i;
      some_done = true;
    } else if (!waiting) {
      waiting = &t;
      waiting_number = i;
    } else if (t.site != waiting->site && !mismatch) {
      mismatch = true;
      const Toucher other{block_, i, t.site};
      fault_at(Fault::barrier_mismatch, {}, {block_, waiting_number, waiting->site}, &other);
    }
  }
  if (!waiting) return;
  if (some_done) {
    const Toucher other{block_, done_number, waiting->site};
    fault_at(Fault::barrier_not_reached, {}, {block_, waiting_number, waiting->site}, &other);
  }
  ++tally.barriers;
  for (Thread& t : threads_)
    if (t.stop != Stop::done) t.stop = Stop::ready;
}

void Worker::resume(unsigned thread) {
  thread_ = thread;
  running_ = &threads_[thread];
  threadIdx = running_->index;
  now_.when = epoch_ << 10 | thread;
  now_.warp_synced_at = running_->warp_synced_at;
  running_->fiber->resume();
}

void Worker::suspend(Stop stop) {
  running_->stop = stop;
  running_->fiber->suspend();
}

void Worker::barrier(Where where) {
  running_->site = sites_.number(where, 0, Kind::shared_load, 0);
  suspend(Stop::barrier);
}

std::uint64_t Worker::warp_sync(unsigned mask, std::uint64_t bits, unsigned source,
                                bool orders_memory, Where where) {
  Thread& t = *running_;
  t.site = sites_.number(where, 0, Kind::shared_load, 0);
  t.mask = mask | 1u << lane_id();
  t.given = bits;
  t.orders_memory = orders_memory;
  const unsigned source_thread = thread_ / 32 * 32 + source % 32;
  suspend(Stop::warp_sync);
  return source_thread < threads_.size() ? threads_[source_thread].shown : bits;
}

// The face that kernels see.

void __syncthreads(Where where) { this_worker->barrier(where); }
void __syncwarp(unsigned mask, Where where) { this_worker->warp_sync(mask, 0, 0, true, where); }
std::uint64_t exchange(unsigned mask, std::uint64_t bits, unsigned source, Where where) {
  return this_worker->warp_sync(mask, bits, source, false, where);
}
unsigned lane_id() { return this_worker->lane_id(); }
void* dynamic_shared_memory() { return this_worker->dynamic_memory(); }

}  // namespace simt

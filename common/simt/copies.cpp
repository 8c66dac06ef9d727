// Asynchronous copies from global to shared memory.
#include <algorithm>
#include <cstring>

#include "simt/worker.hpp"

namespace simt {

// Counted as a load of global memory and a store to shared memory.
void Worker::copy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros,
                        Where where) {
  const unsigned size = static_cast<unsigned>(bytes);
  zeros = std::min(zeros, bytes);
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    now_.site = sites_.number(where, 3, Kind::shared_store, 4);
    return fault(Fault::misaligned, reinterpret_cast<std::uintptr_t>(to));
  }
  const void* source = from;
  if (zeros < bytes) source = access(reinterpret_cast<std::uintptr_t>(from), size, false, where, 3);
  const void* target = access(reinterpret_cast<std::uintptr_t>(to), size, true, where, 3);
  Word* words = target == to ? shared_words(reinterpret_cast<std::uintptr_t>(to), size) : nullptr;
  if (!words) return;  // faulty, and reported
  const std::uint32_t site = words[0].store.site;
  for (unsigned w = 0; w < size / 4; ++w) words[w].store.when |= pending;
  running_->open.push_back(
      {static_cast<char*>(to), static_cast<const char*>(source), bytes, zeros, words, site});
}

void Worker::commit_copies() {
  running_->batches.push_back(std::move(running_->open));
  running_->open.clear();
}

// The words count as stored at this moment: for other threads to see them, a barrier must follow.
void Worker::wait_for_copies(std::size_t batches) {
  Thread& t = *running_;
  while (t.batches.size() > batches) {
    for (const Copy& c : t.batches.front()) {
      std::memcpy(c.to, c.from, c.bytes - c.zeros);
      std::memset(c.to + c.bytes - c.zeros, 0, c.zeros);
      for (unsigned w = 0; w < c.bytes / 4; ++w) c.words[w].store = {now_.when, t.clock, c.site};
    }
    t.batches.pop_front();
  }
}

// The face that kernels see.

void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes, std::size_t zeros,
                             Where where) {
  this_worker->copy_async(shared, global, bytes, zeros, where);
}
void __pipeline_commit() { this_worker->commit_copies(); }
void __pipeline_wait_prior(std::size_t batches) { this_worker->wait_for_copies(batches); }

}  // namespace simt

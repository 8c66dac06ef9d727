#include "simt/buffer.hpp"

#include <algorithm>
#include <stdexcept>

namespace simt {
namespace {
std::vector<GlobalArray*>& registry() {
  static std::vector<GlobalArray*> arrays;
  return arrays;
}
}  // namespace

const std::vector<GlobalArray*>& GlobalArray::all() { return registry(); }

GlobalArray::GlobalArray(std::string name, std::int64_t rows, std::int64_t cols,
                         std::size_t element_bytes, Role role)
    : name_(std::move(name)), rows_(rows), cols_(cols), element_bytes_(element_bytes), role_(role) {
  if (rows < 0 || cols < 0) throw std::invalid_argument("a buffer cannot have a negative extent");
  // Whole pages, so that the array starts on a page: cudaMalloc promises 256 bytes.
  pages_ = Pages<char>((words() * 4 + 4095) / 4096 * 4096, guard_bytes);
  begin_ = reinterpret_cast<std::uintptr_t>(bytes());
  touched_ = Pages<std::atomic<std::uint8_t>>(words());
  if (role == Role::output) ledger_ = Pages<WordLedger>(words());
  all_initialised_ = role == Role::input;
  registry().push_back(this);
}

GlobalArray::~GlobalArray() { std::erase(registry(), this); }

void GlobalArray::mark_initialised() { all_initialised_ = true; }

void GlobalArray::begin_launch(std::uint64_t launch) {
  launch_ = launch;
  if (loaded_words_ != 0 || stored_words_ != 0)
    for (std::size_t w = 0; w < words(); ++w)
      if (std::uint8_t bits = touched_[w].load(std::memory_order_relaxed))
        touched_[w].store(bits & ready, std::memory_order_relaxed);
  loaded_words_ = stored_words_ = 0;
  conflicts_.clear();
}

// Sets a bit and says whether it was clear. Most accesses find it set and only read.
bool GlobalArray::set(std::size_t word, std::uint8_t bit) {
  if (touched_[word].load(std::memory_order_relaxed) & bit) return false;
  return !(touched_[word].fetch_or(bit, std::memory_order_relaxed) & bit);
}

template <typename Add>
void GlobalArray::enter(std::size_t word, Add add) {
  std::lock_guard lock(locks_[word / 16 % 64]);
  WordLedger& w = ledger_[word];
  if (w.launch != launch_) w = {launch_, false, {}, {}};
  add(w);
  const bool two_storing = w.stores.several_blocks();
  const bool load_and_store =
      w.stores.any && w.loads.any &&
      (w.loads.several_blocks() || w.loads.first.block != w.stores.first.block);
  if (!w.listed && (two_storing || load_and_store)) {
    w.listed = true;
    std::lock_guard list(conflicts_lock_);
    conflicts_.push_back(word);
  }
}

void GlobalArray::note_load(std::size_t word, const Toucher& who) {
  if (set(word, loaded)) ++loaded_words_;
  if (role_ == Role::output) enter(word, [&](WordLedger& w) { w.loads.add(who); });
}

void GlobalArray::note_store(std::size_t word, const Toucher& who) {
  if (set(word, stored)) ++stored_words_;
  enter(word, [&](WordLedger& w) { w.stores.add(who); });
}

// What this launch has stored, a later one may read.
void GlobalArray::end_launch() {
  std::sort(conflicts_.begin(), conflicts_.end());
  if (stored_words_ == 0 || all_initialised_) return;
  for (std::size_t w = 0; w < words(); ++w)
    if (touched_[w].load(std::memory_order_relaxed) & stored) touched_[w].fetch_or(ready);
}

}  // namespace simt

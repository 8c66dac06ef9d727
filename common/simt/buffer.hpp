// Global memory of a traced kernel: matrices with a name, a shape and a role.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "simt/counted.hpp"
#include "simt/pages.hpp"

namespace simt {

/// input: the host has filled it. output: the kernel must store every element, and none can be read
/// before.
enum class Role { input, output };
constexpr Role input = Role::input;
constexpr Role output = Role::output;

/// Who touched a word: the block by its number in the grid, the thread by its number in the block.
struct Toucher {
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t site = 0;

  bool before(const Toucher& o) const {
    return block != o.block ? block < o.block : thread < o.thread;
  }
};

/// First and last of a set of touchers, in the order of blocks and threads. Unlike the order of
/// execution, this is the same however many cores run the blocks.
struct Extremes {
  bool any = false;
  Toucher first, last;

  void add(const Toucher& t) {
    if (!any || t.before(first)) first = t;
    if (!any || last.before(t)) last = t;
    any = true;
  }
  bool several_blocks() const { return any && first.block != last.block; }
};

/// What all blocks of a launch together did to one word of an output.
struct WordLedger {
  std::uint64_t launch = 0;  ///< the launch that the rest belongs to
  bool listed = false;       ///< already in `conflicts`
  Extremes stores, loads;
};

/// The part of a Buffer that does not depend on the element type; the tracer's view of global
/// memory.
class GlobalArray {
 public:
  GlobalArray(std::string name, std::int64_t rows, std::int64_t cols, std::size_t element_bytes,
              Role role);
  ~GlobalArray();
  GlobalArray(const GlobalArray&) = delete;
  GlobalArray& operator=(const GlobalArray&) = delete;

  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  Role role() const { return role_; }
  std::size_t element_bytes() const { return element_bytes_; }
  std::size_t words() const { return static_cast<std::size_t>(rows_ * cols_) * element_bytes_ / 4; }
  std::uintptr_t begin() const { return begin_; }
  bool holds(std::uintptr_t a, unsigned bytes) const {
    return a - begin_ <= words() * 4 - bytes && bytes <= words() * 4;
  }
  /// Whether the address is in the array or in the address space kept free round it.
  bool near(std::uintptr_t a) const {
    return a + guard_bytes - begin_ < words() * 4 + 2 * guard_bytes;
  }

  /// Says that the elements hold values already, as for a kernel that adds to C.
  void mark_initialised();

  /// The arrays that exist now. Not to be called while another thread makes or destroys one.
  static const std::vector<GlobalArray*>& all();

  // ---- for the tracer, during a launch
  void begin_launch(std::uint64_t launch);
  void note_load(std::size_t word, const Toucher& who);
  void note_store(std::size_t word, const Toucher& who);
  bool initialised(std::size_t word) const {
    return all_initialised_ || (touched_[word].load(std::memory_order_relaxed) & ready);
  }
  std::uint64_t loaded_words() const { return loaded_words_; }
  std::uint64_t stored_words() const { return stored_words_; }
  bool stored_in_launch(std::size_t word) const {
    return touched_[word].load(std::memory_order_relaxed) & stored;
  }
  const WordLedger& ledger(std::size_t word) const { return ledger_[word]; }
  const std::vector<std::size_t>& conflicts() const { return conflicts_; }
  void end_launch();

  // Room for any 32-bit index, in elements of up to 8 bytes.
  static constexpr std::size_t guard_bytes = std::size_t{1} << 35;

 protected:
  char* bytes() const { return pages_.data(); }

 private:
  static constexpr std::uint8_t loaded = 1, stored = 2, ready = 4;
  bool set(std::size_t word, std::uint8_t bit);
  template <typename Add>
  void enter(std::size_t word, Add add);

  std::string name_;
  std::int64_t rows_, cols_;
  std::size_t element_bytes_;
  Role role_;
  Pages<char> pages_;
  std::uintptr_t begin_ = 0;
  bool all_initialised_ = false;
  std::uint64_t launch_ = 0;
  Pages<std::atomic<std::uint8_t>> touched_;
  std::atomic<std::uint64_t> loaded_words_{0}, stored_words_{0};
  Pages<WordLedger> ledger_;  // outputs only
  std::mutex locks_[64];
  std::mutex conflicts_lock_;
  std::vector<std::size_t> conflicts_;
};

/// A row-major matrix in global memory. `data()` is what a kernel gets; `A(r, c)` is the host's
/// access, which is not counted.
template <typename F>
class Buffer : public GlobalArray {
 public:
  Buffer(std::string name, std::int64_t rows, std::int64_t cols, Role role)
      : GlobalArray(std::move(name), rows, cols, sizeof(F), role) {
    if (role == Role::output && rows * cols <= (1 << 24))  // larger ones stay untouched, hence zero
      for (std::int64_t i = 0; i < rows * cols; ++i) raw()[i] = poison();
  }
  Counted<F>* data() { return reinterpret_cast<Counted<F>*>(bytes()); }
  F& operator()(std::int64_t row, std::int64_t col) { return raw()[row * cols() + col]; }
  F operator()(std::int64_t row, std::int64_t col) const { return raw()[row * cols() + col]; }
  F* raw() const { return reinterpret_cast<F*>(bytes()); }

 private:
  static F poison() {
    return std::numeric_limits<F>::has_quiet_NaN ? std::numeric_limits<F>::quiet_NaN() : F(-77);
  }
};

}  // namespace simt

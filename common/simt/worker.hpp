// Runs blocks, one after the other, on one core.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "simt/fiber.hpp"
#include "simt/hazards.hpp"
#include "simt/matcher.hpp"
#include "simt/shapes.hpp"
#include "simt/site.hpp"
#include "simt/trace.hpp"

namespace simt {

/// Where an address lies.
struct Place {
  enum Space : std::uint8_t { nowhere, static_shared, dynamic_shared, global } space = nowhere;
  std::uint32_t array = 0;  ///< number in shared_arrays() or in GlobalArray::all()
  std::int64_t offset = 0;  ///< bytes from the start of the array; nowhere: the address itself
};

/// A finding before it is put into words: how often, and the first example.
struct Draft {
  std::uint64_t count = 0;
  Place place;
  Toucher who;
  bool has_other = false;
  Toucher other;
};
/// Fault, sites of both accesses, kind and number of the array.
using DraftKey = std::tuple<Fault, std::uint32_t, std::uint32_t, Place::Space, std::uint32_t>;
using Drafts = std::map<DraftKey, Draft>;

/// What the requests of one site add up to.
struct SiteCount {
  Site site;
  std::uint64_t requests = 0, lanes = 0, sectors = 0, lines = 0, wavefronts = 0, ideal = 0;
  Place place;
};

/// A request of the watched warp.
struct Watched {
  Site site;
  std::uint64_t epoch = 0;
  std::uint64_t order = 0;
  std::uint32_t lanes = 0;
  std::array<Place, 32> places;
};

/// Everything that a worker has seen.
struct Tally {
  std::vector<SiteCount> counts;  ///< by number of the site
  Drafts drafts;
  std::vector<Watched> watched;
  std::vector<bool> shared_used;  ///< by number in shared_arrays()
  std::uint64_t accesses = 0, barriers = 0, blocks = 0;
};

/// What the workers of a launch have in common.
struct Job {
  const Launch& launch;
  const Options& options;
  const std::function<void()>& kernel;
  SiteTable sites;
  /// For each word of static storage: 1 + number of its shared array; 0 if it is in none.
  std::vector<std::uint16_t> owner;
  std::uint64_t block_count = 0;
  std::atomic<std::uint64_t> next_block{0};

  uint3 block_index(std::uint64_t number) const {
    const dim3& g = launch.grid;
    return {unsigned(number % g.x), unsigned(number / g.x % g.y), unsigned(number / g.x / g.y)};
  }
};

class Worker {
 public:
  explicit Worker(Job& job);
  ~Worker();

  /// Runs blocks until none is left. Must be called on the thread that made the worker.
  void run();

  // ---- called by the running thread of the grid
  const void* access(std::uintptr_t a, unsigned bytes, bool store, Where where, unsigned operand);
  void barrier(Where where);
  std::uint64_t warp_sync(unsigned mask, std::uint64_t bits, unsigned source, bool orders_memory,
                          Where where);
  void copy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros, Where where);
  void commit_copies();
  void wait_for_copies(std::size_t batches);
  unsigned lane_id() const { return thread_ % 32; }
  void* dynamic_memory() const { return dynamic_.data(); }

  Tally tally;

 private:
  enum class Stop : std::uint8_t { ready, access, drain, warp_sync, barrier, done };
  struct Copy {
    char* to;
    const char* from;
    std::size_t bytes, zeros;
    Word* words;
    std::uint32_t site;
  };
  struct Thread {
    std::unique_ptr<Fiber> fiber;
    Stop stop = Stop::ready;
    uint3 index{};
    std::uint32_t clock = 0, warp_synced_at = 0;
    std::uint32_t undrained = 0;
    std::uint32_t site = 0;      // of the barrier, or of the access in lock step
    std::uintptr_t address = 0;  // of the access in lock step
    unsigned mask = 0;           // of the warp synchronisation
    bool orders_memory = false;
    std::uint64_t given = 0, shown = 0;
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> batches;
  };
  struct View {
    GlobalArray* array;
    Pages<Word> words;  // outputs only
  };
  struct Doubt {  // a load of a word that nobody had stored so far
    Word* word;
    Now now;
    std::uintptr_t address;
  };

  void run_block(std::uint64_t number);
  void run_warp(unsigned first, unsigned end);
  bool settle_warp_syncs(unsigned first, unsigned end, bool stuck);
  bool step_in_lock(unsigned first, unsigned end);
  void meet_at_barrier();
  void resume(unsigned thread);
  void suspend(Stop stop);

  // garbage: loads an uninitialised word. outside: nothing to load or store there.
  enum class Effect : std::uint8_t { normal, garbage, outside };
  Effect access_shared(std::uintptr_t a, unsigned bytes, bool store);
  Effect access_global(std::uintptr_t a, unsigned bytes, bool store);
  Effect out_of_bounds(std::uintptr_t a, unsigned bytes);
  bool in_shared_memory(std::uintptr_t a) const;
  Word* shared_words(std::uintptr_t a, unsigned bytes);
  View* view_of(std::uintptr_t a, unsigned bytes);
  Place place_of(std::uintptr_t a) const;
  bool stored_by_this_block(const Word& word) const;
  void enter_load_of(Word& word, std::uintptr_t a, bool initialised);
  void enter_store_of(Word& word, std::uintptr_t a);
  void check_footprint(const GlobalArray& array, std::uintptr_t a, unsigned bytes, bool store);
  void count(std::uint32_t site, std::uintptr_t a);
  void emit(std::uint32_t site, const Request& request);
  void drain_all();
  void end_epoch();

  void fault(Fault f, std::uintptr_t a);
  void fault(Fault f, std::uintptr_t a, const Access& other);
  void fault_at(Fault f, const Place& place, const Toucher& who, const Toucher* other = nullptr);
  void race(std::uintptr_t a, const Access& load, const Access& store);

  Job& job_;
  SiteCache sites_;
  Matcher matcher_;
  Pages<char> stacks_;
  std::deque<Thread> threads_;  // after the stacks that they run on
  std::exception_ptr error_;

  ThreadStorage storage_;  // static shared memory, among other things
  Pages<Word> static_words_;
  Pages<char> dynamic_;
  std::uintptr_t dynamic_begin_ = 0;
  Pages<Word> dynamic_words_;
  std::vector<View> views_;
  View* last_view_ = nullptr;

  std::uint64_t block_ = 0;        // number of the running block
  std::uint64_t epoch_ = 0;        // of this worker, never reset
  std::uint64_t block_began_ = 0;  // Access::when of anything before the running block is smaller
  unsigned thread_ = 0;            // number of the running thread in its block
  Thread* running_ = nullptr;
  Now now_;
  std::vector<Doubt> doubts_;
  bool watching_ = false;
  unsigned warp_ = 0;
};

/// The worker of this core, or null outside a launch.
extern constinit thread_local Worker* this_worker;

}  // namespace simt

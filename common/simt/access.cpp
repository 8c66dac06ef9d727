// The part of a Worker that looks at each access: checks it, counts it, and says where it goes.
#include "simt/worker.hpp"

#include <algorithm>

namespace simt {
namespace {

// A thread stops after so many accesses to let its warp's requests be counted. Few enough that they
// stay in the first-level cache.
constexpr std::uint32_t accesses_between_drains = 64;

// A kernel that reads this many uninitialised words in one epoch needs no further examples.
constexpr std::size_t most_doubts = 1 << 20;

// What faulty loads read: NaN. Where faulty stores go: nowhere.
alignas(16) const unsigned char poison[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                              255, 255, 255, 255, 255, 255, 255, 255};
alignas(16) thread_local unsigned char nowhere[16];

}  // namespace

const void* Worker::access(std::uintptr_t a, unsigned bytes, bool store, Where where,
                           unsigned operand) {
  ++tally.accesses;
  const bool shared = in_shared_memory(a);
  const Kind kind = shared ? (store ? Kind::shared_store : Kind::shared_load)
                           : (store ? Kind::global_store : Kind::global_load);
  now_.site = sites_.number(where, operand, kind, bytes);
  now_.clock = ++running_->clock;
  if (a % bytes != 0) [[unlikely]]
    fault(Fault::misaligned, a);
  a -= a % 4;  // memory is followed in whole words
  const Effect effect = shared ? access_shared(a, bytes, store) : access_global(a, bytes, store);
  if (effect == Effect::outside) [[unlikely]]
    return store ? nowhere : poison;
  count(now_.site, a);
  return effect == Effect::garbage ? poison : reinterpret_cast<const void*>(a);
}

bool Worker::in_shared_memory(std::uintptr_t a) const {
  return a - storage_.begin < storage_.bytes || a - dynamic_begin_ < dynamic_.size();
}

// The words at an address, or null unless all of them are in one array.
Word* Worker::shared_words(std::uintptr_t a, unsigned bytes) {
  if (const std::size_t offset = a - storage_.begin; offset < storage_.bytes) {
    const std::size_t first = offset / 4, last = (offset + bytes - 1) / 4;
    const bool in_one_array =
        last < job_.owner.size() && job_.owner[first] != 0 && job_.owner[first] == job_.owner[last];
    return in_one_array ? &static_words_[first] : nullptr;
  }
  const std::size_t offset = a - dynamic_begin_;
  return offset + bytes <= dynamic_.size() ? &dynamic_words_[offset / 4] : nullptr;
}

Worker::Effect Worker::access_shared(std::uintptr_t a, unsigned bytes, bool store) {
  Word* words = shared_words(a, bytes);
  if (!words) [[unlikely]]
    return out_of_bounds(a, bytes);
  bool initialised = true;
  for (unsigned w = 0; w < bytes / 4; ++w) {
    if (store) {
      enter_store_of(words[w], a + 4 * w);
    } else {
      initialised &= stored_by_this_block(words[w]);
      enter_load_of(words[w], a + 4 * w, false);
    }
  }
  return initialised ? Effect::normal : Effect::garbage;
}

Worker::Effect Worker::access_global(std::uintptr_t a, unsigned bytes, bool store) {
  View* view = view_of(a, bytes);
  if (!view) [[unlikely]]
    return out_of_bounds(a, bytes);
  GlobalArray& array = *view->array;
  if (job_.options.allowed) check_footprint(array, a, bytes, store);
  if (store && array.role() == Role::input) [[unlikely]] {
    fault(Fault::store_to_input, a);
    return Effect::outside;
  }
  const Toucher who{block_, thread_, now_.site};
  const std::size_t first = (a - array.begin()) / 4;
  bool initialised = true;
  for (unsigned w = 0; w < bytes / 4; ++w) {
    const std::size_t word = first + w;
    if (store) {
      array.note_store(word, who);
      enter_store_of(view->words[word], a + 4 * w);
    } else {
      array.note_load(word, who);
      if (array.role() == Role::input) continue;
      const bool ready = array.initialised(word);
      initialised &= ready || stored_by_this_block(view->words[word]);
      enter_load_of(view->words[word], a + 4 * w, ready);
    }
  }
  return initialised ? Effect::normal : Effect::garbage;
}

bool Worker::stored_by_this_block(const Word& word) const {
  return word.store.when >= block_began_ && word.store.when < pending;
}

void Worker::enter_load_of(Word& word, std::uintptr_t a, bool initialised) {
  if (word.store.when & pending) [[unlikely]] {
    if ((word.store.when & ~pending) >= block_began_)
      return fault(Fault::pending_read, a, word.store);
    word.store = {};  // left over from another block
  }
  if (!initialised && word.store.when < block_began_ && doubts_.size() < most_doubts) [[unlikely]]
    doubts_.push_back({&word, now_, a});
  if (const Access* store = enter_load(word, now_)) [[unlikely]]
    race(a, now_, *store);
}

void Worker::enter_store_of(Word& word, std::uintptr_t a) {
  if (word.store.when & pending) [[unlikely]] {
    if ((word.store.when & ~pending) >= block_began_) fault(Fault::pending_read, a, word.store);
    word.store = {};
  }
  enter_store(word, now_, [&](const Access& past, bool past_is_store) {
    if (past_is_store) {
      fault(Fault::write_after_write, a, past);
    } else {
      race(a, past, now_);
    }
  });
}

// A load and a store that nothing orders. What the author meant to come first is what comes first
// in each thread's own program, whichever of the two this program has run first.
void Worker::race(std::uintptr_t a, const Access& load, const Access& store) {
  const Toucher loader{block_, load.thread(), load.site},
      storer{block_, store.thread(), store.site};
  if (store.clock <= load.clock) {
    fault_at(Fault::read_after_write, place_of(a), loader, &storer);
  } else {
    fault_at(Fault::write_after_read, place_of(a), storer, &loader);
  }
}

// A load that found nothing stored is a read of an uninitialised word, unless the epoch shows that
// another thread stores it: then it is a race and has been reported as one.
void Worker::end_epoch() {
  for (const Doubt& d : doubts_) {
    const Access& store = d.word->store;
    if (store.epoch() == d.now.epoch() && store.thread() != d.now.thread()) continue;
    fault_at(Fault::uninitialised_read, place_of(d.address), {block_, d.now.thread(), d.now.site});
  }
  doubts_.clear();
}

Worker::View* Worker::view_of(std::uintptr_t a, unsigned bytes) {
  if (last_view_ && last_view_->array->holds(a, bytes)) return last_view_;
  for (View& v : views_)
    if (v.array->holds(a, bytes)) return last_view_ = &v;
  return nullptr;
}

void Worker::check_footprint(const GlobalArray& array, std::uintptr_t a, unsigned bytes,
                             bool store) {
  const auto size = static_cast<unsigned>(array.element_bytes());
  for (unsigned done = 0; done < bytes; done += size) {
    const auto element = static_cast<std::int64_t>((a + done - array.begin()) / size);
    const std::int64_t row = element / array.cols(), col = element % array.cols();
    if (!job_.options.allowed({blockIdx, threadIdx, array, row, col, store})) [[unlikely]]
      fault(Fault::outside_footprint, a + done);
  }
}

Worker::Effect Worker::out_of_bounds(std::uintptr_t a, unsigned bytes) {
  // Of a vector access, the first word that is outside.
  while (bytes > 4 &&
         (in_shared_memory(a) ? shared_words(a, 4) != nullptr : view_of(a, 4) != nullptr)) {
    a += 4;
    bytes -= 4;
  }
  const Place place = place_of(a);
  Fault f = Fault::out_of_bounds;
  if (place.space == Place::global) {
    const GlobalArray& array = *views_[place.array].array;
    const std::int64_t element = place.offset / static_cast<std::int64_t>(array.element_bytes());
    const std::int64_t unwrapped = element + (std::int64_t{1} << 32);
    if (element < 0 && unwrapped < array.rows() * array.cols()) f = Fault::index_overflow;
  }
  fault(f, a);
  return Effect::outside;
}

Place Worker::place_of(std::uintptr_t a) const {
  if (const std::uintptr_t offset = a - storage_.begin; offset < storage_.bytes) {
    const unsigned owner = job_.owner[offset / 4];
    if (owner != 0) return {Place::static_shared, owner - 1, static_cast<std::int64_t>(offset)};
    return {Place::static_shared, ~0u, static_cast<std::int64_t>(offset)};
  }
  const std::uintptr_t dynamic_offset = a - dynamic_begin_;
  if (dynamic_offset + (1 << 20) < dynamic_.size() + (2 << 20))
    return {Place::dynamic_shared, 0, static_cast<std::int64_t>(dynamic_offset)};
  for (std::uint32_t i = 0; i < views_.size(); ++i)
    if (views_[i].array->near(a))
      return {Place::global, i, static_cast<std::int64_t>(a - views_[i].array->begin())};
  return {Place::nowhere, 0, static_cast<std::int64_t>(a)};
}

void Worker::count(std::uint32_t site, std::uintptr_t a) {
  if (job_.options.lock_step) {
    running_->site = site;
    running_->address = a;
    suspend(Stop::access);
    return;
  }
  matcher_.put(site, lane_id(), a);
  if (++running_->undrained >= accesses_between_drains) suspend(Stop::drain);
}

void Worker::drain_all() {
  matcher_.drain_all([this](std::uint32_t site, const Request& r) { emit(site, r); });
}

void Worker::emit(std::uint32_t site, const Request& request) {
  if (site >= tally.counts.size()) tally.counts.resize(site + 1);
  SiteCount& c = tally.counts[site];
  const std::uintptr_t any = request.address[std::countr_zero(request.lanes)];
  if (c.requests == 0) {
    c.site = job_.sites.site(site);
    c.place = place_of(any);
  }
  const Cost cost = is_global(c.site.kind) ? global_cost(request, c.site.bytes)
                                           : shared_cost(request, c.site.bytes);
  if (any - storage_.begin < storage_.bytes)
    tally.shared_used[job_.owner[(any - storage_.begin) / 4] - 1] = true;
  ++c.requests;
  c.lanes += std::popcount(request.lanes);
  c.sectors += cost.sectors;
  c.lines += cost.lines;
  c.wavefronts += cost.wavefronts;
  c.ideal += cost.ideal;
  if (watching_) {
    Watched w{c.site, epoch_, request.order, request.lanes, {}};
    request.each_lane([&](int lane) { w.places[lane] = place_of(request.address[lane]); });
    tally.watched.push_back(w);
  }
}

void Worker::fault(Fault f, std::uintptr_t a) {
  fault_at(f, place_of(a), {block_, thread_, now_.site});
}

void Worker::fault(Fault f, std::uintptr_t a, const Access& other) {
  const Toucher second{block_, other.thread(), other.site};
  fault_at(f, place_of(a), {block_, thread_, now_.site}, &second);
}

void Worker::fault_at(Fault f, const Place& place, const Toucher& who, const Toucher* other) {
  Draft draft{1, place, who, other != nullptr, other ? *other : Toucher{}};
  auto [it, fresh] =
      tally.drafts.try_emplace({f, who.site, draft.other.site, place.space, place.array}, draft);
  if (!fresh) ++it->second.count;
}

// The face that kernels see.

const void* on_load(const void* p, unsigned bytes, Where where, unsigned operand) {
  if (!this_worker) return p;
  return this_worker->access(reinterpret_cast<std::uintptr_t>(p), bytes, false, where, operand);
}

void* on_store(void* p, unsigned bytes, Where where) {
  if (!this_worker) return p;
  const auto a = reinterpret_cast<std::uintptr_t>(p);
  return const_cast<void*>(this_worker->access(a, bytes, true, where, 0));
}

}  // namespace simt

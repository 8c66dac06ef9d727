#include "simt/wording.hpp"

#include <algorithm>

namespace simt {
namespace {

// Of several examples of a fault the one to show: the same whichever worker found it.
bool earlier(const Draft& a, const Draft& b) {
  return std::tuple(a.who.block, a.who.thread, a.place.offset, a.other.block, a.other.thread) <
         std::tuple(b.who.block, b.who.thread, b.place.offset, b.other.block, b.other.thread);
}

const char* does(const Site& site) {
  return site.bytes == 0 ? "reached" : is_store(site.kind) ? "stored" : "loaded";
}

std::string note_of_outside(Fault fault, const Place& place) {
  const GlobalArray& array = *GlobalArray::all()[place.array];
  const std::int64_t element = place.offset / static_cast<std::int64_t>(array.element_bytes());
  if (fault == Fault::index_overflow) {
    const std::int64_t meant = element + (std::int64_t{1} << 32);
    return "the index " + std::to_string(meant) + " (row " + std::to_string(meant / array.cols()) +
           ", column " + std::to_string(meant % array.cols()) +
           ") does not fit in 32 bits and wrapped to " + std::to_string(element);
  }
  return array.name() + " is " + std::to_string(array.rows()) + " x " +
         std::to_string(array.cols()) +
         (element < 0 ? "; the index is negative, or 32 bits could not hold it" : "");
}

}  // namespace

Position position(const Site& site) { return {site.file, site.line}; }

std::string array_name(const Place& place) {
  switch (place.space) {
    case Place::static_shared:
      return place.array < shared_arrays().size() ? shared_arrays()[place.array].name
                                                  : "shared memory";
    case Place::dynamic_shared:
      return "dynamic shared memory";
    case Place::global:
      return GlobalArray::all()[place.array]->name();
    case Place::nowhere:
      break;
  }
  return "";
}

std::string element_name(const Place& place) {
  switch (place.space) {
    case Place::static_shared: {
      if (place.array >= shared_arrays().size()) return "shared memory that belongs to no array";
      const SharedArray& array = shared_arrays()[place.array];
      return array.element(static_cast<std::uint64_t>(place.offset) - array.offset);
    }
    case Place::dynamic_shared:
      return "word " + std::to_string(place.offset / 4) + " of dynamic shared memory";
    case Place::global: {
      const GlobalArray& array = *GlobalArray::all()[place.array];
      const std::int64_t size = static_cast<std::int64_t>(array.element_bytes());
      const std::int64_t element = place.offset / size;
      const std::int64_t cols = std::max<std::int64_t>(array.cols(), 1);
      if (place.offset < 0) return "element " + std::to_string(element) + " of " + array.name();
      return "row " + std::to_string(element / cols) + ", column " +
             std::to_string(element % cols) + " of " + array.name();
    }
    case Place::nowhere:
      break;
  }
  return "";
}

void Findings::add(Fault fault, const Draft& draft) {
  const Position other = draft.has_other ? position(sites_[draft.other.site]) : Position{};
  auto [it, fresh] = drafts_.try_emplace(
      {fault, position(sites_[draft.who.site]), other, array_name(draft.place)}, draft);
  if (fresh) return;
  const std::uint64_t count = it->second.count + draft.count;
  if (earlier(draft, it->second)) it->second = draft;
  it->second.count = count;
}

std::vector<Finding> Findings::in_words() const {
  std::vector<Finding> findings;
  for (const auto& [key, draft] : drafts_)
    findings.push_back(in_words(std::get<Fault>(key), draft));
  return findings;
}

ThreadId Findings::thread_id(const Toucher& t) const {
  const dim3& b = job_.launch.block;
  return {job_.block_index(t.block),
          {t.thread % b.x, t.thread / b.x % b.y, t.thread / (b.x * b.y)}};
}

Finding Findings::in_words(Fault fault, const Draft& draft) const {
  Finding f;
  f.fault = fault;
  f.count = draft.count;
  f.where = position(sites_[draft.who.site]);
  f.who = thread_id(draft.who);
  f.does = does(sites_[draft.who.site]);
  f.array = array_name(draft.place);
  f.element = element_name(draft.place);
  if (draft.has_other) {
    f.has_other = true;
    f.other_where = position(sites_[draft.other.site]);
    f.other_who = thread_id(draft.other);
    const bool missing = fault == Fault::barrier_not_reached || fault == Fault::warp_sync_mismatch;
    f.other_does = missing                            ? "not"
                   : fault == Fault::barrier_mismatch ? "the other"
                                                      : does(sites_[draft.other.site]);
  }
  const bool outside = fault == Fault::out_of_bounds || fault == Fault::index_overflow;
  if (outside && draft.place.space == Place::global) f.note = note_of_outside(fault, draft.place);
  return f;
}

}  // namespace simt

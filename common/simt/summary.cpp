#include "simt/summary.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "simt/wording.hpp"

namespace simt {
namespace {

// One row for each line, kind and array: the operands of an expression and the columns are put
// together.
std::vector<LineCount> line_counts(const std::vector<Tally>& tallies) {
  std::map<std::tuple<Position, Kind, std::string>, LineCount> rows;
  std::map<std::uint32_t, Place> places;  // of a site, the same whichever worker came by first
  for (const Tally& t : tallies)
    for (std::uint32_t s = 0; s < t.counts.size(); ++s) {
      const SiteCount& c = t.counts[s];
      if (c.requests == 0) continue;
      auto [it, fresh] = places.emplace(s, c.place);
      if (!fresh &&
          std::tuple(c.place.space, c.place.array) < std::tuple(it->second.space, it->second.array))
        it->second = c.place;
    }
  for (const Tally& t : tallies)
    for (std::uint32_t s = 0; s < t.counts.size(); ++s) {
      const SiteCount& c = t.counts[s];
      if (c.requests == 0) continue;
      const std::string array = array_name(places[s]);
      LineCount& row = rows[{position(c.site), c.site.kind, array}];
      row.where = position(c.site);
      row.kind = c.site.kind;
      row.array = array;
      row.requests += c.requests;
      row.requested_bytes += c.lanes * c.site.bytes;
      row.sectors += c.sectors;
      row.lines += c.lines;
      row.wavefronts += c.wavefronts;
      row.ideal += c.ideal;
    }
  std::vector<LineCount> result;
  for (auto& [key, row] : rows) result.push_back(std::move(row));
  return result;
}

ladder::Traffic totals(const std::vector<LineCount>& lines) {
  ladder::Traffic t;
  for (const LineCount& l : lines) {
    switch (l.kind) {
      case Kind::global_load:
        t.global_load_requests += l.requests, t.global_load_sectors += l.sectors, t.global_load_lines += l.lines;
        break;
      case Kind::global_store:
        t.global_store_requests += l.requests, t.global_store_sectors += l.sectors, t.global_store_lines += l.lines;
        break;
      case Kind::shared_load:
        t.shared_load_requests += l.requests, t.shared_load_wavefronts += l.wavefronts;
        break;
      case Kind::shared_store:
        t.shared_store_requests += l.requests, t.shared_store_wavefronts += l.wavefronts;
        break;
    }
  }
  return t;
}

// Blocks of one launch have no order: whatever two of them do to one word, one of them storing, is
// a fault.
void find_block_conflicts(Findings& findings) {
  const auto& arrays = GlobalArray::all();
  for (std::uint32_t a = 0; a < arrays.size(); ++a)
    for (std::size_t word : arrays[a]->conflicts()) {
      const WordLedger& w = arrays[a]->ledger(word);
      const Place place{Place::global, a, static_cast<std::int64_t>(word * 4)};
      const Toucher &first = w.stores.first, &last = w.stores.last;
      if (w.stores.several_blocks())
        findings.add(Fault::blocks_store, {1, place, first, true, last});
      if (!w.loads.any) continue;
      if (w.loads.first.block != last.block) {
        findings.add(Fault::blocks_load_store, {1, place, w.loads.first, true, last});
      } else if (w.loads.last.block != first.block) {
        findings.add(Fault::blocks_load_store, {1, place, w.loads.last, true, first});
      }
    }
}

void find_unwritten(std::vector<Finding>& findings) {
  for (const GlobalArray* a : GlobalArray::all()) {
    if (a->role() != Role::output || a->stored_words() == a->words()) continue;
    const std::size_t words_each = a->element_bytes() / 4;
    std::size_t word = 0;
    while (a->stored_in_launch(word)) ++word;
    const std::size_t element = word / words_each;
    Finding f;
    f.fault = Fault::never_written;
    f.count = (a->words() - a->stored_words()) / words_each;
    f.array = a->name();
    f.element = "row " + std::to_string(element / a->cols()) + ", column " +
                std::to_string(element % a->cols()) + " of " + a->name();
    f.note = "of " + std::to_string(a->rows() * a->cols()) + " elements";
    findings.push_back(f);
  }
}

std::vector<WatchedRequest> watched_requests(std::vector<Tally>& tallies, const Watch& watch) {
  std::vector<WatchedRequest> result;
  for (Tally& t : tallies) {  // one worker alone has run the block
    std::sort(t.watched.begin(), t.watched.end(), [](const Watched& a, const Watched& b) {
      return std::tuple(a.epoch, a.order) < std::tuple(b.epoch, b.order);
    });
    for (const Watched& w : t.watched) {
      if (result.size() >= watch.most) return result;
      WatchedRequest r;
      r.where = position(w.site);
      r.kind = w.site.kind;
      r.bytes = w.site.bytes;
      for (int l = 0; l < 32; ++l) {
        if (!(w.lanes >> l & 1)) continue;
        const Place& p = w.places[l];
        if (r.array.empty()) r.array = array_name(p);
        auto& lane = r.lanes[l];
        lane.active = true;
        lane.offset = p.offset;
        if (p.space == Place::global) {
          const GlobalArray& a = *GlobalArray::all()[p.array];
          const std::int64_t element = p.offset / static_cast<std::int64_t>(a.element_bytes());
          lane.row = element / a.cols(), lane.col = element % a.cols();
        } else {
          if (p.space == Place::static_shared)
            lane.offset -= static_cast<std::int64_t>(shared_arrays()[p.array].offset);
          lane.row = lane.offset / 128, lane.col = lane.offset / 4 % 32;
        }
      }
      result.push_back(std::move(r));
    }
  }
  return result;
}

// The shared memory of a block is known only now that it has run: the arrays that it touched.
void check_shared_memory(const Job& job, const std::vector<bool>& used,
                         std::vector<Finding>& findings) {
  std::uint64_t bytes = job.launch.dynamic_bytes;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] && shared_arrays()[i].known) bytes += shared_arrays()[i].bytes;
  if (bytes > job.options.shared_limit)
    findings.push_back(limit_finding(std::to_string(bytes) +
                                     " bytes of shared memory a block; the limit is " +
                                     std::to_string(job.options.shared_limit)));
}

}  // namespace

Finding limit_finding(const std::string& note) {
  Finding f;
  f.fault = Fault::launch_limits;
  f.count = 1;
  f.note = note;
  return f;
}

Report summarise(const Job& job, std::vector<Tally>& tallies) {
  Report report;
  report.lines = line_counts(tallies);
  report.total = totals(report.lines);
  Findings findings(job);
  std::vector<bool> used(shared_arrays().size());
  for (const Tally& t : tallies) {
    report.accesses += t.accesses;
    report.blocks += t.blocks;
    report.total.barriers += t.barriers;
    for (const auto& [key, draft] : t.drafts) findings.add(std::get<Fault>(key), draft);
    for (std::size_t i = 0; i < t.shared_used.size(); ++i)
      if (t.shared_used[i]) used[i] = true;
  }
  find_block_conflicts(findings);
  report.findings = findings.in_words();
  for (const GlobalArray* a : GlobalArray::all())
    report.arrays.push_back({a->name(), a->loaded_words() * 4, a->stored_words() * 4});
  if (job.options.all_written && !job.options.only) find_unwritten(report.findings);
  check_shared_memory(job, used, report.findings);
  if (job.options.watch) report.watched = watched_requests(tallies, *job.options.watch);
  return report;
}

}  // namespace simt

#include "simt/trace.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include "simt/summary.hpp"
#include "simt/worker.hpp"

namespace simt {
namespace {

// What no launch on real hardware gets away with; such a launch is not run.
std::string broken_limit(const Launch& l, const Options& options) {
  const dim3 &g = l.grid, &b = l.block;
  auto text = [](const dim3& d) {
    return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
  };
  if (std::uint64_t{b.x} * b.y * b.z == 0) return "a block of " + text(b) + " threads is empty";
  if (std::uint64_t{b.x} * b.y * b.z > 1024)
    return "a block of " + text(b) + " threads has more than 1024";
  if (b.z > 64) return "a block of " + text(b) + " threads is deeper than 64 in z";
  if (std::uint64_t{g.x} * g.y * g.z == 0) return "a grid of " + text(g) + " blocks is empty";
  if (g.x > 0x7fffffffu) return "a grid of " + text(g) + " blocks is wider than 2147483647 in x";
  if (g.y > 65535 || g.z > 65535)
    return "a grid of " + text(g) + " blocks is larger than 65535 in y or z";
  if (l.dynamic_bytes > options.shared_limit)
    return std::to_string(l.dynamic_bytes) + " bytes of dynamic shared memory; the limit is " +
           std::to_string(options.shared_limit);
  return "";
}

std::uint64_t next_launch() {
  static std::uint64_t launches = 0;
  return ++launches;
}

std::vector<Tally> run_workers(Job& job) {
  unsigned count = job.options.threads != 0 ? job.options.threads
                                            : std::max(1u, std::thread::hardware_concurrency());
  count = static_cast<unsigned>(std::min<std::uint64_t>(count, job.block_count));
  std::vector<Tally> tallies(count);
  std::vector<std::exception_ptr> errors(count);
  auto work = [&](unsigned i) {
    try {
      Worker worker(job);
      worker.run();
      tallies[i] = std::move(worker.tally);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < count; ++i) threads.emplace_back(work, i);
  work(0);
  threads.clear();  // joins
  for (auto& e : errors)
    if (e) std::rethrow_exception(e);
  return tallies;
}

}  // namespace

const Finding* Report::find(Fault fault) const {
  for (const Finding& f : findings)
    if (f.fault == fault) return &f;
  return nullptr;
}

Report trace(const Launch& launch, const Options& options, const std::function<void()>& kernel) {
  if (const std::string limit = broken_limit(launch, options); !limit.empty()) {
    Report report;
    report.findings.push_back(limit_finding(limit));
    return report;
  }

  Job job{launch, options, kernel, {}, {}, 0, {}};
  job.block_count = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  job.owner.resize(thread_storage().bytes / 4 + 1);
  for (std::size_t i = 0; i < shared_arrays().size(); ++i) {
    const SharedArray& a = shared_arrays()[i];
    std::fill_n(job.owner.begin() + a.offset / 4, a.bytes / 4, static_cast<std::uint16_t>(i + 1));
  }
  const std::uint64_t number = next_launch();
  for (GlobalArray* a : GlobalArray::all()) a->begin_launch(number);
  std::vector<Tally> tallies = run_workers(job);
  for (GlobalArray* a : GlobalArray::all()) a->end_launch();
  return summarise(job, tallies);
}

}  // namespace simt

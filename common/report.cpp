#include "report.hpp"

#include "numbers.hpp"
#include "record.hpp"
#include "version.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace ladder {
namespace {

using Json = nlohmann::ordered_json;

const char* role_name(Role role) {
  switch (role) {
    case Role::own: return "own";
    case Role::previous: return "previous";
    case Role::library: return "library";
  }
  return "";
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return format("%.1f us", seconds * 1e6);
  if (seconds < 1) return format("%.3f ms", seconds * 1e3);
  return format("%.3f s ", seconds);
}

Json to_json(const Result& result) {
  Json json = {{"shape", {{"M", result.shape.M}, {"N", result.shape.N}, {"K", result.shape.K}}},
               {"variant", result.variant},
               {"role", role_name(result.role)}};
  if (!result.refused.empty()) {
    json["refused"] = result.refused;
    return json;
  }
  const Verdict& verdict = result.verdict;
  json["verdict"] = {{"right", verdict.right}, {"method", verdict.method}, {"error", verdict.error},
                     {"bound", verdict.bound}, {"worst_error_over_bound", verdict.worst_ratio}};
  if (!verdict.right) json["verdict"]["message"] = verdict.message;
  if (!result.timing) return json;
  const Timing& timing = *result.timing;
  json["time"] = {{"first_s", timing.first}, {"min_s", timing.min}, {"median_s", timing.median},
                  {"p95_s", timing.p95}, {"spread", timing.spread}, {"batches", timing.batches},
                  {"launches_per_batch", timing.launches}};
  json["flops_per_s"] = result.flops_per_second();
  return json;
}

}  // namespace

void print_table(const std::vector<Result>& results, const MachineFacts& machine, const Options& options) {
  const Shape& shape = results.front().shape;
  const bool gpu = machine.kind == "gpu";
  const double unit = gpu ? 1e12 : 1e9;
  std::printf("\nM = %ld, N = %ld, K = %ld; %s cache; %s inputs\n", long(shape.M), long(shape.N), long(shape.K),
              options.schedule.cold ? "cold" : "warm", std::string(to_string(options.fill)).c_str());
  std::printf("%-24s %11s %7s %9s %6s %8s %7s\n", "variant", "median", "spread", gpu ? "TFLOP/s" : "GFLOP/s",
              "% peak", "% library", "err/tol");
  for (const Result& result : results) {
    const char* note = result.role == Role::previous ? " (before)" : result.role == Role::library ? " (library)" : "";
    const std::string name = result.variant + note;
    if (!result.refused.empty()) {
      std::printf("%s\n", wrapped(format("%-24s refused: ", name.c_str()) + result.refused, 76, "    ").c_str());
    } else if (!result.verdict.right) {
      std::printf("%s\n", wrapped(format("%-24s WRONG: ", name.c_str()) + result.verdict.message, 76, "    ").c_str());
    } else if (!result.timing) {
      std::printf("%-24s right; not timed: there is nothing to compute\n", name.c_str());
    } else {
      const double rate = result.flops_per_second();
      std::printf("%-24s %11s %6.1f%% %9.3g %6.1f %8s %8.2f\n", name.c_str(), time_text(result.timing->median).c_str(),
                  100 * result.timing->spread, rate / unit, 100 * rate / machine.ceiling_flops,
                  result.library_ratio ? format("%.1f", 100 * *result.library_ratio).c_str() : "-",
                  result.verdict.worst_ratio);
    }
  }
  std::fflush(stdout);
}

Record::Record(std::string file, std::string chapter, const Options& options)
    : file_(std::move(file)), chapter_(std::move(chapter)), options_(options) {}

void Record::add(const std::vector<Result>& results) {
  results_.insert(results_.end(), results.begin(), results.end());
}

void Record::write(const MachineFacts& machine) const {
  if (file_.empty()) return;
  Json json = {{"chapter", chapter_},
               {"commit", git_commit},
               {"compiler", __VERSION__},
               {"machine", facts_json(machine)},
               {"cache", options_.schedule.cold ? "cold" : "warm"},
               {"fill", to_string(options_.fill)},
               {"seed", options_.seed},
               {"results", Json::array()}};
  for (const Result& result : results_) {
    Json one = to_json(result);
    if (result.timing) {
      one["ceiling_fraction"] = result.flops_per_second() / machine.ceiling_flops;
      if (result.library_ratio) one["library_ratio"] = *result.library_ratio;
    }
    json["results"].push_back(std::move(one));
  }
  write_json("--json", file_, json);
}

}  // namespace ladder

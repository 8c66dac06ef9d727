// probe: the levels of a GPU's memory, measured. See docs/memory-hierarchy.md.
#include "memory.hpp"

#include "command_line.hpp"
#include "errors.hpp"
#include "machine.hpp"
#include "numbers.hpp"
#include "program.hpp"
#include "record.hpp"
#include "version.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace ladder::probe {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Latency& l) {
  return {{"footprint_bytes", l.bytes}, {"cycles", l.cycles}, {"seconds", l.seconds}};
}

Json to_json(const Level& level) {
  Json json = {{"level", level.name},
               {"capacity_bytes", level.capacity},
               {"capacity_of", level.per_sm ? "SM" : "device"},
               {"capacity_from", level.capacity_from},
               {"latency", to_json(level.latency)},
               {"bytes_per_s", level.rate.bytes_per_s}};
  if (level.rate.bytes_per_cycle > 0) json["bytes_per_cycle_per_sm"] = level.rate.bytes_per_cycle;
  return json;
}

void print(const Hierarchy& hierarchy) {
  std::printf("\n%-10s %19s %16s %12s %16s\n", "level", "capacity", "latency", "read", "bytes/cycle/SM");
  for (const Level& level : hierarchy.levels)
    std::printf("%-10s %12s per %-3s %5.0f cy %4.0f ns %7.2f TB/s %16s\n", level.name.c_str(),
                bytes_text(level.capacity).c_str(), level.per_sm ? "SM" : "GPU", level.latency.cycles,
                level.latency.seconds * 1e9, level.rate.bytes_per_s * 1e-12,
                level.rate.bytes_per_cycle > 0 ? format("%.1f", level.rate.bytes_per_cycle).c_str() : "-");
}

int run(int argc, char** argv) {
  CLI::App app("What each level of a GPU's memory holds, how long it lets a thread wait, and how fast it delivers.",
               "probe");
  std::string device = "0", json;
  app.add_option("--device", device, "CUDA device (default 0)")->type_name("D");
  app.add_option("--json", json, "Write a record of everything measured")->type_name("FILE");
  if (!read_command_line(app, argc, argv)) return exit_right;
  const int number = int(parse_whole("--device", device, 0, 1 << 20));
  check_can_write("--json", json);
  const std::unique_ptr<Machine> machine = open_gpu(number);
  std::printf("%s\n", machine->facts().headline.c_str());
  const Hierarchy hierarchy = measure(machine->facts().ceiling_flops, progress);
  print(hierarchy);
  if (json.empty()) return exit_right;
  Json record = {{"commit", git_commit},
                 {"machine", facts_json(machine->facts())},
                 {"levels", Json::array()},
                 {"latency", Json::array()}};
  for (const Level& level : hierarchy.levels) record["levels"].push_back(to_json(level));
  for (const Latency& latency : hierarchy.sweep) record["latency"].push_back(to_json(latency));
  write_json("--json", json, record);
  return exit_right;
}

}  // namespace
}  // namespace ladder::probe

int main(int argc, char** argv) {
  return ladder::end_with_exit_code("probe", [=] { return ladder::probe::run(argc, argv); });
}

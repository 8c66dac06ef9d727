#include "record.hpp"

#include "errors.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace ladder {

void check_can_write(const std::string& option, const std::string& file) {
  if (!file.empty() && !std::ofstream(file, std::ios::app)) throw UsageError(option + ": cannot write '" + file + "'");
}

void write_json(const std::string& option, const std::string& file, const nlohmann::ordered_json& json) {
  std::ofstream out(file);
  out << json.dump(1) << '\n';
  if (!out.flush()) throw UsageError(option + ": cannot write '" + file + "'");
}

nlohmann::ordered_json facts_json(const MachineFacts& machine) {
  nlohmann::ordered_json facts = {{"kind", machine.kind},
                                  {"name", machine.name},
                                  {machine.kind == "gpu" ? "sms" : "threads", machine.units},
                                  {"clock_hz", machine.clock_hz},
                                  {"memory_bytes", machine.memory_bytes},
                                  {"l2_bytes", machine.l2_bytes},
                                  {"ceiling_flops_per_s", machine.ceiling_flops},
                                  {"ceiling_bytes_per_s", machine.ceiling_bandwidth}};
  for (const auto& [key, value] : machine.more) facts[key] = value;
  return facts;
}

}  // namespace ladder

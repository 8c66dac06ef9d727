// Records in JSON: what all of them share.
#pragma once

#include "machine.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ladder {

/// Throws UsageError, which names the option, if its file cannot be written; nothing for "". Called before the
/// work whose results the file is for.
void check_can_write(const std::string& option, const std::string& file);

/// Writes a record whole; throws UsageError if it cannot be written.
void write_json(const std::string& option, const std::string& file, const nlohmann::ordered_json& json);

/// A machine's facts as they stand in records.
nlohmann::ordered_json facts_json(const MachineFacts& machine);

}  // namespace ladder

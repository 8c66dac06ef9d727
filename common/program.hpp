// What every program of this project does around its work: it says how far it is, and how it ended.
#pragma once

#include <functional>
#include <string>

namespace ladder {

/// Runs `work` and returns its exit code. Every exception becomes one sentence on standard error, begun with the
/// program's name, and its exit code of errors.hpp; an output that could not be written is bad usage.
int end_with_exit_code(const std::string& name, const std::function<int()>& work);

/// A line on standard error that the next one overwrites, "" to wipe it; nothing when nobody watches.
void progress(const std::string& text);

}  // namespace ladder

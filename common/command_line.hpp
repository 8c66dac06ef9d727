// What every command line of this project does with CLI11: help, and one sentence for what cannot be read.
#pragma once

#include <CLI/CLI.hpp>

namespace ladder {

/// Reads the command line into what the app's options are bound to. False if it asked for help, which is printed;
/// throws UsageError for what cannot be read and for empty values.
bool read_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace ladder

#include "command_line.hpp"

#include "errors.hpp"

#include <cstdio>

namespace ladder {

bool read_command_line(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (--help lists the options)");
  }
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) throw UsageError(option->get_name() + " needs a value (--help lists the options)");
  return true;
}

}  // namespace ladder

// The command line, the same in every chapter.
#pragma once

#include "matrix.hpp"
#include "timing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ladder {

struct Options {
  std::vector<Shape> shapes;          ///< empty: the chapter's own sizes
  std::vector<std::string> variants;  ///< empty: all
  bool list = false;
  Schedule schedule;
  Fill fill = Fill::random;
  std::uint64_t seed = 1;
  std::string json;                   ///< file for the record; empty: none
  std::optional<int> device;
  bool trace = false;                 ///< run on the CPU and count instead of measuring
  std::string trace_map;              ///< file for the addresses of one warp; empty: none
  unsigned trace_warp = 0;            ///< which warp of the first block that is
  std::string broken;                 ///< name of the broken kernel to run instead; empty: none
};

/// Parses the command line. Returns the exit code instead if the program should end now (--help was printed).
/// Throws UsageError that names the option and what it takes.
struct Parsed {
  Options options;
  std::optional<int> exit;
};
Parsed parse_options(int argc, const char* const* argv, const std::string& chapter, const std::string& idea);

}  // namespace ladder

// What a run says: a table for the terminal and a record in JSON.
#pragma once

#include "machine.hpp"
#include "options.hpp"
#include "timing.hpp"
#include "verify.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ladder {

/// One variant at one shape.
struct Result {
  Shape shape;
  std::string variant;
  Role role = Role::own;
  std::string refused;              ///< why the variant does not take this shape; nothing else is set then
  Verdict verdict;
  std::optional<Timing> timing;     ///< of right results only
  std::optional<double> library_ratio;  ///< the library's median time / this one's, of the same run

  double flops_per_second() const { return shape.flops() / timing->median; }
};

/// The table of one shape, at most 80 columns wide.
void print_table(const std::vector<Result>& results, const MachineFacts& machine, const Options& options);

/// Collects results and writes them as one JSON document.
class Record {
 public:
  /// No file name: writes nothing.
  Record(std::string file, std::string chapter, const Options& options);
  void add(const std::vector<Result>& results);
  /// Writes the file whole; called after every shape so that an interrupted run keeps what it measured.
  void write(const MachineFacts& machine) const;

 private:
  std::string file_, chapter_;
  Options options_;
  std::vector<Result> results_;
};

}  // namespace ladder

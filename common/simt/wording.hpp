// From places and drafts to names and findings.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simt/worker.hpp"

namespace simt {

Position position(const Site& site);
std::string array_name(const Place& place);    ///< "B" or "tile_A"
std::string element_name(const Place& place);  ///< "row 3, column 7 of B" or "tile_A[3][7]"

/// Gathers what the workers found and puts it into words: one Finding for each fault, pair of
/// source lines and array, whichever worker, column or operand it came from.
class Findings {
 public:
  explicit Findings(const Job& job) : job_(job), sites_(job.sites.sites()) {}

  void add(Fault fault, const Draft& draft);
  std::vector<Finding> in_words() const;

 private:
  ThreadId thread_id(const Toucher& t) const;
  Finding in_words(Fault fault, const Draft& draft) const;

  const Job& job_;
  std::vector<Site> sites_;
  std::map<std::tuple<Fault, Position, Position, std::string>, Draft> drafts_;
};

}  // namespace simt

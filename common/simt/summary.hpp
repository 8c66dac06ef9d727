// From what the workers have seen to the report.
#pragma once

#include <string>
#include <vector>

#include "simt/worker.hpp"

namespace simt {

/// A launch that hardware would refuse.
Finding limit_finding(const std::string& note);

/// The report of a launch that has run. It is the same in whichever order the blocks have run.
Report summarise(const Job& job, std::vector<Tally>& tallies);

}  // namespace simt

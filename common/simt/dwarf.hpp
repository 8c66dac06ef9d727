// The shapes of thread-local arrays, from debug information.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace simt {

/// Extents of every thread-local array, by its place in the thread's static storage. Takes the
/// sections .debug_info and .debug_abbrev, in DWARF 4 or 5; a unit in any other form is passed
/// over.
std::map<std::uint64_t, std::vector<std::uint64_t>> thread_array_extents(std::string_view info,
                                                                         std::string_view abbrev);

}  // namespace simt

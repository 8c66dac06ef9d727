// Numbers as people write them: parsing what a command line gives, printing what a table shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder {

/// A whole number from `low` to `high`; anything else throws UsageError that starts with `what`.
std::int64_t parse_whole(const std::string& what, std::string_view text, std::int64_t low, std::int64_t high);

/// Kernels take their dimensions as int, and must be able to add a tile to an index without overflow.
constexpr std::int64_t largest_dimension = (std::int64_t{1} << 31) - 1025;

/// A matrix dimension: 0 to largest_dimension.
std::int64_t parse_dimension(const std::string& what, std::string_view text);

/// printf into a string.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

/// Breaks a text at spaces into lines of at most `width` characters; all but the first begin with `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent);

std::string bytes_text(double bytes);  ///< "1.5 GiB"

}  // namespace ladder

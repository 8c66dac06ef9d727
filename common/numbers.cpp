#include "numbers.hpp"

#include "errors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdio>

namespace ladder {

std::int64_t parse_whole(const std::string& what, std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || value < low || value > high)
    throw UsageError(what + " must be a whole number from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not '" + std::string(text) + "'");
  return value;
}

std::int64_t parse_dimension(const std::string& what, std::string_view text) {
  return parse_whole(what, text, 0, largest_dimension);
}

std::string format(const char* pattern, ...) {
  std::va_list arguments, again;
  va_start(arguments, pattern);
  va_copy(again, arguments);
  std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, pattern, arguments)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  va_end(arguments);
  return text;
}

std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string lines;
  std::size_t start = 0;
  while (text.size() - start > width) {
    std::size_t end = text.rfind(' ', start + width);
    if (end == std::string::npos || end <= start) end = std::min(text.find(' ', start), text.size());
    if (end == text.size()) break;
    lines += text.substr(start, end - start) + "\n" + indent;
    start = end + 1;
  }
  return lines + text.substr(start);
}

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 5; ++unit) bytes /= 1024;
  return format(unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

}  // namespace ladder

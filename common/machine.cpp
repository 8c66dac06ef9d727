#include "machine.hpp"

#include "numbers.hpp"
#include "verify.hpp"

namespace ladder {

std::string guard_damage(const std::string& name, const float* band, bool before) {
  std::int64_t damaged = 0, nearest = 0;
  for (std::int64_t i = 0; i < guard_words; ++i) {
    if (is_poison(band[i])) continue;
    const std::int64_t distance = before ? guard_words - i : i + 1;
    if (damaged++ == 0 || distance < nearest) nearest = distance;
  }
  if (damaged == 0) return "";
  return format("%ld words were written outside %s, the nearest %ld words %s", long(damaged), name.c_str(),
                long(nearest), before ? "before its start" : "after its end");
}

std::string broken_limit(const Geometry& geometry, const LaunchLimits& limits) {
  const Extent &grid = geometry.grid, &block = geometry.block;
  if (block.count() > limits.threads_per_block)
    return format("--variant: a block of %ld x %ld x %ld = %ld threads; CUDA's limit is %ld", long(block.x),
                  long(block.y), long(block.z), long(block.count()), long(limits.threads_per_block));
  const std::string x = geometry.x_along_rows ? "-m" : "-n", y = geometry.x_along_rows ? "-n" : "-m";
  const struct { std::string what; std::int64_t is, limit; } rows[] = {
      {"--variant: block x", block.x, limits.block.x},
      {"--variant: block y", block.y, limits.block.y},
      {"--variant: block z", block.z, limits.block.z},
      {x + ": grid x", grid.x, limits.grid.x},
      {y + ": grid y", grid.y, limits.grid.y},
      {y + ": grid z", grid.z, limits.grid.z},
      {"--variant: bytes of shared memory", geometry.shared_bytes, limits.shared_bytes},
  };
  for (const auto& row : rows)
    if (row.is > row.limit)
      return format("%s is %ld; CUDA's limit is %ld", row.what.c_str(), long(row.is), long(row.limit));
  return "";
}

}  // namespace ladder

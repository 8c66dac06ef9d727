// The order in which a pointer chase visits its places.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace ladder::probe {

/// next[i] is the place after i: one cycle through all `places`, in random order, so that neither a prefetcher nor
/// a row of DRAM that is still open can help (Sattolo's algorithm: S. Sattolo, "An algorithm to generate a random
/// cyclic permutation", Information Processing Letters 22, 1986).
inline std::vector<std::uint32_t> ring(std::uint32_t places, std::uint64_t seed = 1) {
  std::vector<std::uint32_t> next(places);
  std::iota(next.begin(), next.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::uint32_t i = places; i-- > 1;) std::swap(next[i], next[random() % i]);
  return next;
}

}  // namespace ladder::probe

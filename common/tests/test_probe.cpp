// The part of the probe that needs no GPU: the order in which a chase visits its places.
#include "probe/ring.hpp"

#include <doctest/doctest.h>

using namespace ladder::probe;

TEST_SUITE("probe") {

TEST_CASE("a ring is one cycle through all places") {
  for (const std::uint32_t places : {1u, 2u, 3u, 64u, 4096u, 100'003u}) {
    CAPTURE(places);
    const std::vector<std::uint32_t> next = ring(places);
    REQUIRE(next.size() == places);
    std::uint32_t at = 0, steps = 0;
    do {
      REQUIRE(next[at] < places);
      at = next[at];
      ++steps;
    } while (at != 0 && steps <= places);
    CHECK(steps == places);  // a shorter cycle would be a smaller footprint than is said
  }
}

TEST_CASE("a ring goes to neighbours as rarely as chance has it, and is the same each time") {
  const std::vector<std::uint32_t> next = ring(10'000);
  int neighbours = 0;
  for (std::uint32_t i = 0; i < next.size(); ++i) neighbours += next[i] == i + 1 || next[i] + 1 == i;
  CHECK(neighbours < 20);  // 2 are expected
  CHECK(next == ring(10'000));
  CHECK(next != ring(10'000, 2));
}

}

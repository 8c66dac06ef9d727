// The page's worked numbers of chapter 04.
#include "traffic.hpp"
#include "trace_run.hpp"

#include "../03_tiled/traffic.hpp"
#include "broken.cuh"
#include "simt/counted.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_SUITE("arithmetic") {

TEST_CASE("1000 is 62.5 tiles of 16: 63 tiles, the last with 8 live columns") {
  const Geometry geometry = bounded_geometry<16>({1000, 1000, 1000});
  CHECK(geometry.grid.x == 63);
  CHECK(geometry.grid.y == 63);
  CHECK(1000 - 62 * 16 == 8);
}

TEST_CASE("on multiples of the tile the checks change nothing that is asked of memory") {
  for (const Shape& shape : {Shape{64, 64, 64}, {96, 32, 160}, {1024, 1024, 1024}}) {
    CHECK(bounded_traffic<8>(shape) == tiled_traffic<8>(shape));
    CHECK(bounded_traffic<16>(shape) == tiled_traffic<16>(shape));
    CHECK(bounded_traffic<32>(shape) == tiled_traffic<32>(shape));
  }
}

TEST_CASE("grids taller than y allows are folded along z, and every row is still computed once") {
  const Shape tall{8 * 65535 + 13, 1, 1};
  const Geometry geometry = bounded_geometry<8>(tall);
  CHECK(geometry.grid.y == 32769);  // half of 65 537 rows of blocks, rounded up
  CHECK(geometry.grid.z == 2);
  CHECK_FALSE(blocks_alike(bounded_geometry<8>({524800, 64, 8}), {524800 - 8, 64, 8}));
  CHECK(broken_limit(geometry) == "");
  KernelChapter<simt::Counted<float>> chapter;
  chapter.own("bounded-8", bounded<simt::Counted<float>, 8>, bounded_geometry<8>, bounded_traffic<8>);
  const Traced traced = trace_variant(chapter.variants[0], tall);
  CHECK(traced.as_predicted());
  CHECK_MESSAGE(traced.report.clean(), traced.report.text());
  CHECK_MESSAGE(traced.verdict.right, traced.verdict.message);
}

TEST_CASE("each fault at the edges is called by its name") {
  KernelChapter<simt::Counted<float>> chapter;
  describe_broken(chapter);
  const std::pair<const char*, simt::Fault> faults[] = {
      {"floor-grid", simt::Fault::never_written},
      {"guard-on-B-only", simt::Fault::out_of_bounds},
      {"guard-on-B-only", simt::Fault::outside_footprint},
      {"early-return", simt::Fault::barrier_not_reached},
      {"early-return", simt::Fault::uninitialised_read},
      {"needs-both-outside", simt::Fault::out_of_bounds},
      {"linear-guard", simt::Fault::outside_footprint},
  };
  for (const auto& [name, fault] : faults) {
    CAPTURE(name);
    CAPTURE(simt::to_string(fault));
    CHECK(trace_variant(find_broken(chapter, name).variant, {100, 70, 50}).report.find(fault) != nullptr);
  }
}

}

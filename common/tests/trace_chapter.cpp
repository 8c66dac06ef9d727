// Every kernel of one chapter under the tracer: the chapter's arithmetic is what is counted, to the digit, on
// any shape; correct kernels give no finding; and of every broken one it is known who notices.
#include "edge_shapes.hpp"
#include "trace_run.hpp"

#include "simt/counted.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

using namespace ladder;
using namespace ladder::test;

namespace {

const Chapter& this_chapter() {
  static const KernelChapter<simt::Counted<float>> chapter = [] {
    KernelChapter<simt::Counted<float>> c;
    describe(c);
    return c;
  }();
  return chapter;
}

void check_as_predicted(const Traced& traced) {
  const Traffic &p = traced.predicted, &t = traced.traced;
  CHECK(p.global_load_requests == t.global_load_requests);
  CHECK(p.global_load_sectors == t.global_load_sectors);
  CHECK(p.global_load_lines == t.global_load_lines);
  CHECK(p.global_store_requests == t.global_store_requests);
  CHECK(p.global_store_sectors == t.global_store_sectors);
  CHECK(p.global_store_lines == t.global_store_lines);
  CHECK(p.shared_load_requests == t.shared_load_requests);
  CHECK(p.shared_load_wavefronts == t.shared_load_wavefronts);
  CHECK(p.shared_store_requests == t.shared_store_requests);
  CHECK(p.shared_store_wavefronts == t.shared_store_wavefronts);
  CHECK(p.barriers == t.barriers);
  CHECK(traced.as_predicted());
}

}  // namespace

TEST_SUITE("trace") {

TEST_CASE("formula = trace, no findings and a right result, on every edge shape") {
  std::vector<Shape> shapes = edge_shapes();
  for (const Shape& shape : {Shape{130, 100, 70}, {64, 160, 96}, {128, 128, 128}, {1, 300, 40}, {300, 1, 33}, {9, 9, 500}})
    shapes.push_back(shape);
  for (const Variant& variant : this_chapter().variants) {
    int traced_shapes = 0;
    for (const Shape& shape : shapes) {
      if (!refusal(variant, shape).empty()) continue;
      ++traced_shapes;
      CAPTURE(variant.name);
      CAPTURE(shape.text());
      const Traced traced = trace_variant(variant, shape);
      check_as_predicted(traced);
      CHECK_MESSAGE(traced.report.clean(), traced.report.text());
      CHECK_MESSAGE(traced.verdict.right, traced.verdict.message);
    }
    CHECK(traced_shapes >= 5);
  }
}

TEST_CASE("one block of many that are alike stands for all of them") {
  for (const Variant& variant : this_chapter().variants)
    for (const Shape& shape : {Shape{64, 64, 64}, {96, 128, 32}, {128, 64, 104}}) {
      if (!refusal(variant, shape).empty() || !blocks_alike(variant.geometry(shape), shape)) continue;
      CAPTURE(variant.name);
      CAPTURE(shape.text());
      const Traced all = trace_variant(variant, shape), one = trace_variant(variant, shape, {.one_block = true});
      CHECK(one.alike == variant.geometry(shape).grid.count());
      CHECK(one.traced == all.traced);
    }
}

TEST_CASE("blocks at an edge or with unaligned rows are not taken to be alike") {
  const Geometry geometry{{2, 2, 1}, {32, 32, 1}};
  CHECK(blocks_alike(geometry, {64, 64, 64}));
  CHECK_FALSE(blocks_alike(geometry, {63, 64, 64}));
  CHECK_FALSE(blocks_alike(geometry, {64, 63, 64}));
  CHECK_FALSE(blocks_alike(geometry, {64, 64, 63}));
}

TEST_CASE("no index wraps in matrices of more than 2^31 elements") {
  const Shape large{262144, 32, 16384};  // A has 2^32 elements; the last block is run, at addresses never filled
  for (Variant variant : this_chapter().variants) {
    if (!refusal(variant, large).empty()) continue;
    CAPTURE(variant.name);
    variant.traffic = [](const Shape&) { return Traffic{}; };
    const Traced traced = trace_variant(variant, large, {.one_block = true});
    CHECK_MESSAGE(traced.report.clean(), traced.report.text());
    CHECK(traced.report.accesses > 0);
  }
}

TEST_CASE("of every broken kernel it is known who notices: the verifier, the tracer or both") {
  REQUIRE_FALSE(this_chapter().broken.empty());
  for (const Broken& broken : this_chapter().broken) {
    CAPTURE(broken.variant.name);
    const Shape shape = shape_of(broken, this_chapter());
    const bool huge = shape.flops() > 1e10;  // one block is run, and the result as a whole is not known
    const Traced traced = trace_variant(broken.variant, shape, {.one_block = huge});
    const bool tracer = !traced.as_predicted() || !traced.report.clean();
    const bool wrong = broken.seen_by == SeenBy::verifier || broken.seen_by == SeenBy::both;
    if (!huge) CHECK(traced.verdict.right == !wrong);
    CHECK(tracer == (broken.seen_by == SeenBy::tracer || broken.seen_by == SeenBy::both));
  }
}

// The third witness. Without the record of a GPU there is nothing to compare, and the test says so by failing.
TEST_CASE("formula = trace = hardware counter at 1024") {
  const char* path = std::getenv("COUNTERS");
  REQUIRE_MESSAGE(path, "COUNTERS must name the record of the hardware's counters");
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  const nlohmann::json record = nlohmann::json::parse(file);
  int compared = 0;
  for (const Variant& variant : this_chapter().variants) {
    for (const auto& row : record.at("counters")) {
      if (row.at("variant") != variant.name || row.at("chapter") != this_chapter().name) continue;
      ++compared;
      CAPTURE(variant.name);
      const Shape shape{row.at("shape").at("M"), row.at("shape").at("N"), row.at("shape").at("K")};
      const auto counted = [&](const char* name) { return row.at("counted").at(name).get<std::uint64_t>(); };
      const Traced traced = trace_variant(variant, shape, {.one_block = true});
      check_as_predicted(traced);
      const Traffic& t = traced.traced;
      CHECK(counted("global_load_requests") == t.global_load_requests);
      CHECK(counted("global_load_sectors") == t.global_load_sectors);
      CHECK(counted("global_load_lines") == t.global_load_lines);
      CHECK(counted("global_store_requests") == t.global_store_requests);
      CHECK(counted("global_store_sectors") == t.global_store_sectors);
      CHECK(counted("global_store_lines") == t.global_store_lines);
      CHECK(counted("shared_store_requests") == t.shared_store_requests);
      CHECK(counted("shared_store_wavefronts") == t.shared_store_wavefronts);

      // Shared loads are as the source has them, unless the compiler joins some: where a thread reads along a
      // row of tile_A whose start is aligned to 16 bytes, nvcc loads four k at a time (LDS.128). Of the 4 + 4
      // requests for four k, 1 + 4 are left, and a 128-bit request that is the same for a whole row of lanes
      // takes two wavefronts: 2 + 4.
      const bool joined = row.at("shared_loads_in_sass").value("LDS.128", 0) > 0;
      CHECK(counted("shared_load_requests") == t.shared_load_requests * (joined ? 5 : 8) / 8);
      CHECK(counted("shared_load_wavefronts") == t.shared_load_wavefronts * (joined ? 6 : 8) / 8);
    }
  }
  CHECK(compared == int(this_chapter().variants.size()));
}

}

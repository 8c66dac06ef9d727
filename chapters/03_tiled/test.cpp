// The page's worked numbers of chapter 03.
#include "traffic.hpp"
#include "trace_run.hpp"

#include "broken.cuh"
#include "simt/counted.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <set>
#include <tuple>

using namespace ladder;

namespace {

using T = simt::Counted<float>;

const simt::Finding* finding(const char* broken, simt::Fault fault) {
  static std::vector<Traced> kept;  // findings point into these
  KernelChapter<T> chapter;
  describe_broken(chapter);
  kept.push_back(trace_variant(find_broken(chapter, broken).variant, {96, 96, 96}));
  return kept.back().report.find(fault);
}

}  // namespace

TEST_SUITE("arithmetic") {

TEST_CASE("thread (3,1) of block (1,2) with TILE 4 computes C[9][7], from row 9 of A and column 7 of B") {
  simt::Buffer<float> A("A", 12, 8, simt::input), B("B", 8, 8, simt::input), C("C", 12, 8, simt::output);
  std::mutex lock;
  std::set<std::tuple<std::string, std::int64_t, std::int64_t>> touched;
  simt::Options options;
  options.allowed = [&](const simt::Touch& t) {
    if (t.block.x == 1 && t.block.y == 2 && t.thread.x == 3 && t.thread.y == 1) {
      const std::lock_guard guard(lock);
      touched.insert({t.array.name(), t.row, t.col});
    }
    return true;
  };
  simt::trace({{2, 3}, {4, 4}}, options, [&] { tiled<T, 4>(A.data(), B.data(), C.data(), 12, 8, 8); });
  // In step 0 it loads A[9][0 + 3] and B[0 + 1][7], in step 1 A[9][4 + 3] and B[4 + 1][7].
  const decltype(touched) expected{{"A", 9, 3}, {"A", 9, 7}, {"B", 1, 7}, {"B", 5, 7}, {"C", 9, 7}};
  CHECK(touched == expected);
}

TEST_CASE("N = 8, TILE = 4: a quarter of the naive kernel's element reads") {
  simt::Buffer<float> A("A", 8, 8, simt::input), B("B", 8, 8, simt::input), C("C", 8, 8, simt::output);
  const auto report = simt::trace({{2, 2}, {4, 4}}, {}, [&] { tiled<T, 4>(A.data(), B.data(), C.data(), 8, 8, 8); });
  std::uint64_t read = 0;
  for (const simt::LineCount& line : report.lines)
    if (line.kind == simt::Kind::global_load) read += line.requested_bytes / 4;
  CHECK(read == 2 * 8 * 8 * 8 / 4);
}

TEST_CASE("at 1024 the formula gives the numbers that Nsight Compute counted on an H200") {
  const Shape N{1024, 1024, 1024};
  CHECK(tiled_traffic<16>(N).global_load_requests == 4194304);
  CHECK(tiled_traffic<16>(N).global_load_sectors == 16777216);
  CHECK(tiled_traffic<16>(N).shared_store_wavefronts == 4194304);
  CHECK(tiled_traffic<32>(N).global_load_requests == 2097152);
  CHECK(tiled_traffic<32>(N).global_load_sectors == 8388608);
  CHECK(tiled_traffic<32>(N).shared_store_wavefronts == 2097152);
  // Element reads: 32 lanes a request.
  CHECK(32 * tiled_traffic<16>(N).global_load_requests == 134217728);
}

TEST_CASE("each missing barrier gives its own kind of race") {
  CHECK(finding("no-first-barrier", simt::Fault::read_after_write) != nullptr);
  CHECK(finding("no-second-barrier", simt::Fault::write_after_read) != nullptr);
  CHECK(finding("wrong-tile-index", simt::Fault::read_after_write) == nullptr);
}

TEST_CASE("a loop of a thousand steps has no false alarm") {
  simt::Buffer<float> A("A", 4, 8192, simt::input), B("B", 8192, 4, simt::input), C("C", 4, 4, simt::output);
  const auto report = simt::trace({{1, 1}, {4, 4}}, {}, [&] { tiled<T, 4>(A.data(), B.data(), C.data(), 4, 4, 8192); });
  CHECK_MESSAGE(report.clean(), report.text());
  CHECK(report.total.barriers == 2 * 8192 / 4);
}

}

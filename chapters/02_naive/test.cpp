// The page's worked numbers of chapter 02.
#include "traffic.hpp"
#include "trace_run.hpp"

#include "broken.cuh"
#include "simt/counted.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_SUITE("arithmetic") {

TEST_CASE("a 16 x 16 block's warp is two rows of 16 columns: two sectors of A and two of B for each k") {
  static_assert(piece(1024, 0, 5, 2, 1).sectors == 2);   // A[0][5], A[1][5]: 4096 bytes apart
  static_assert(piece(1024, 5, 16, 1, 16).sectors == 2); // B[5][16..32): 64 bytes
  static_assert(piece(1024, 0, 0, 32, 1).sectors == 32); // swapped 32 x 32: A[0..32)[0]
  static_assert(piece(1024, 0, 0, 1, 1).sectors == 1);   // and one word of B for all lanes
  CHECK(naive_traffic<16, 16>({64, 64, 64}).global_load_sectors == 4ull * 64 * 64 * 64 / 32);
}

TEST_CASE("lines of 128 bytes for each k: 2 + 1 with 16 x 16, 1 + 1 with 32 x 32, and swapped 16 + 1 and 32 + 1") {
  static_assert(piece(1024, 0, 5, 2, 1).lines == 2);    // two rows of A
  static_assert(piece(1024, 5, 16, 1, 16).lines == 1);  // half a line of B
  static_assert(piece(8, 0, 0, 4, 8).lines == 1);       // four rows of 32 bytes lie in one line
  static_assert(piece(24, 1, 0, 2, 24).lines == 3);     // bytes 96 to 288
  const std::uint64_t warps_and_k = 1024ull * 1024 * 1024 / 32;
  const Shape N{1024, 1024, 1024};
  CHECK(naive_traffic<16, 16>(N).global_load_lines == (2 + 1) * warps_and_k);
  CHECK(naive_traffic<32, 32>(N).global_load_lines == (1 + 1) * warps_and_k);
  CHECK(swapped_traffic<16, 16>(N).global_load_lines == (16 + 1) * warps_and_k);
  CHECK(swapped_traffic<32, 32>(N).global_load_lines == (32 + 1) * warps_and_k);
}

TEST_CASE("at 1024 the formula gives the numbers that Nsight Compute counted on an H200") {
  const Shape N{1024, 1024, 1024};
  CHECK(naive_traffic<16, 16>(N).global_load_requests == 67108864);
  CHECK(naive_traffic<16, 16>(N).global_load_sectors == 134217728);
  CHECK(swapped_traffic<16, 16>(N).global_load_sectors == 570425344);
  CHECK(swapped_traffic<32, 32>(N).global_load_sectors == 1107296256);
}

TEST_CASE("the naive kernel asks for 2 M N K elements, of which M K + K N are different") {
  simt::Buffer<float> A("A", 40, 24, simt::input), B("B", 24, 56, simt::input), C("C", 40, 56, simt::output);
  const auto report = simt::trace({{4, 3}, {16, 16}}, {}, [&] {
    naive<simt::Counted<float>>(A.data(), B.data(), C.data(), 40, 56, 24);
  });
  std::uint64_t asked = 0, different = 0;
  for (const simt::LineCount& line : report.lines)
    if (line.array != "C") asked += line.requested_bytes / 4;
  for (const simt::ArrayUse& array : report.arrays) different += array.loaded_bytes / 4;
  CHECK(asked == 2 * 40 * 56 * 24);
  CHECK(different == 40 * 24 + 24 * 56);
}

TEST_CASE("a 32-bit index that wraps is called by its name") {
  KernelChapter<simt::Counted<float>> chapter;
  describe_broken(chapter);
  const Broken& broken = find_broken(chapter, "int-index");
  const Traced traced = trace_variant(broken.variant, broken.shape, {.one_block = true});
  CHECK(traced.report.find(simt::Fault::index_overflow) != nullptr);
}

}

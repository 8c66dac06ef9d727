// The page's worked numbers of chapter 05.
#include "traffic.hpp"
#include "trace_run.hpp"

#include "broken.cuh"
#include "simt/counted.hpp"

#include <doctest/doctest.h>

using namespace ladder;

TEST_SUITE("arithmetic") {

TEST_CASE("which words of one warp's request share a bank") {
  static_assert(wavefronts([](int lane) { return lane; }) == 1);                        // a row of 32 words
  static_assert(wavefronts([](int) { return 7; }) == 1);                                // one word for all
  static_assert(wavefronts([](int lane) { return 32 * lane; }) == 32);                  // a column of a 32 x 32 tile
  static_assert(wavefronts([](int lane) { return 33 * lane; }) == 1);                   // padded to 33
  static_assert(wavefronts([](int lane) { return 32 * lane + (lane ^ 5); }) == 1);      // swizzled
  static_assert(wavefronts([](int lane) { return lane / 16 * 16 + lane % 16; }) == 1);  // two rows of 16
  static_assert(wavefronts([](int lane) { return lane / 16 * 17 + lane % 16; }) == 2);  // two rows of 17: 0 and 32
  CHECK(true);  // the assertions above are the test: this file does not compile without them
}

TEST_CASE("at 1024 the formula gives the numbers that Nsight Compute counted on an H200") {
  const Shape N{1024, 1024, 1024};
  CHECK(padded_traffic<16, 1>(N).shared_store_wavefronts == 8388608);
  CHECK(padded_traffic<32, 1>(N).shared_store_wavefronts == 2097152);
  CHECK(padded_traffic<32, 1>(N).shared_load_wavefronts == 67108864);
  CHECK(transposed_traffic<32, 0>(N).shared_store_wavefronts == 34603008);
  CHECK(transposed_traffic<32, 1>(N).shared_store_wavefronts == 2097152);
  CHECK(swizzled_traffic<32>(N).shared_store_wavefronts == 2097152);
}

TEST_CASE("a vector load from a row of 33 words is misaligned, though a CPU reads it all the same") {
  KernelChapter<simt::Counted<float>> chapter;
  describe_broken(chapter);
  const Traced traced = trace_variant(find_broken(chapter, "misaligned-float4").variant, {96, 96, 96});
  CHECK(traced.report.find(simt::Fault::misaligned) != nullptr);
  CHECK(traced.verdict.right);
}

}

#include "../04_bounds/kernel.cuh"
#include "broken.cuh"
#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

void ladder::describe(KernelChapter<Element>& chapter) {
  chapter.name = "05_padding";
  chapter.idea = "The 32 banks of shared memory: when padding loses, when it pays, and a swizzle that needs none.";
  chapter.previous("bounded-16", bounded<Element, 16>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.previous("bounded-32", bounded<Element, 32>, bounded_geometry<32>, bounded_traffic<32>);
  chapter.own("padded-16", padded<Element, 16, 1>, bounded_geometry<16>, padded_traffic<16, 1>);
  chapter.own("padded-32", padded<Element, 32, 1>, bounded_geometry<32>, padded_traffic<32, 1>);
  chapter.own("transposed-32", transposed<Element, 32, 0>, bounded_geometry<32>, transposed_traffic<32, 0>);
  chapter.own("transposed-padded-32", transposed<Element, 32, 1>, bounded_geometry<32>, transposed_traffic<32, 1>);
  chapter.own("swizzled-32", swizzled<Element, 32, 2>, bounded_geometry<32>, swizzled_traffic<32>);
  chapter.own("swizzled-32-greedy", swizzled<Element, 32, 1>, bounded_geometry<32>, swizzled_traffic<32>);
  describe_broken(chapter);
}

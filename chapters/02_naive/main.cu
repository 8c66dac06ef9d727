#include "broken.cuh"
#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

void ladder::describe(KernelChapter<Element>& chapter) {
  chapter.name = "02_naive";
  chapter.idea = "One thread computes one element of C, straight from global memory.";
  chapter.own("naive-16x16", naive<Element>, naive_geometry<16, 16>, naive_traffic<16, 16>);
  chapter.own("naive-32x32", naive<Element>, naive_geometry<32, 32>, naive_traffic<32, 32>);
  chapter.own("naive-32x8", naive<Element>, naive_geometry<32, 8>, naive_traffic<32, 8>);
  chapter.own("swapped-16x16", swapped<Element>, swapped_geometry<16, 16>, swapped_traffic<16, 16>);
  chapter.own("swapped-32x32", swapped<Element>, swapped_geometry<32, 32>, swapped_traffic<32, 32>);
  chapter.own("swapped-32x8", swapped<Element>, swapped_geometry<32, 8>, swapped_traffic<32, 8>);
  describe_broken(chapter);
}

#include "../02_naive/kernel.cuh"
#include "../02_naive/traffic.hpp"
#include "broken.cuh"
#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

void ladder::describe(KernelChapter<Element>& chapter) {
  chapter.name = "03_tiled";
  chapter.idea = "A block loads tiles of A and B into shared memory and uses every element TILE times.";
  chapter.previous("naive-32x8", naive<Element>, naive_geometry<32, 8>, naive_traffic<32, 8>);
  chapter.own("tiled-8", tiled<Element, 8>, tiled_geometry<8>, tiled_traffic<8>, multiples_only<8>);
  chapter.own("tiled-16", tiled<Element, 16>, tiled_geometry<16>, tiled_traffic<16>, multiples_only<16>);
  chapter.own("tiled-32", tiled<Element, 32>, tiled_geometry<32>, tiled_traffic<32>, multiples_only<32>);
  describe_broken(chapter);
}

#include "../03_tiled/kernel.cuh"
#include "../03_tiled/traffic.hpp"
#include "broken.cuh"
#include "chapter.hpp"
#include "kernel.cuh"
#include "traffic.hpp"

void ladder::describe(KernelChapter<Element>& chapter) {
  chapter.name = "04_bounds";
  chapter.idea = "The tiled kernel for any M, N and K: what lies outside the matrices counts as zero.";
  chapter.trace_shape = {100, 70, 50};
  chapter.previous("tiled-16", tiled<Element, 16>, tiled_geometry<16>, tiled_traffic<16>, multiples_only<16>);
  chapter.previous("tiled-32", tiled<Element, 32>, tiled_geometry<32>, tiled_traffic<32>, multiples_only<32>);
  chapter.own("bounded-8", bounded<Element, 8>, bounded_geometry<8>, bounded_traffic<8>);
  chapter.own("bounded-16", bounded<Element, 16>, bounded_geometry<16>, bounded_traffic<16>);
  chapter.own("bounded-32", bounded<Element, 32>, bounded_geometry<32>, bounded_traffic<32>);
  describe_broken(chapter);
}

// Every variant of one chapter, on the GPU: right on every edge shape, or refused with a reason.
#include "chapter.hpp"
#include "edge_shapes.hpp"
#include "errors.hpp"
#include "gpu.hpp"
#include "run.hpp"

#include <doctest/doctest.h>

using namespace ladder;
using namespace ladder::test;

namespace {

KernelChapter<float> this_chapter() {
  KernelChapter<float> chapter;
  describe(chapter);
  return chapter;
}

void check_all(const std::vector<Shape>& shapes, Fill kind) {
  const KernelChapter<float> chapter = this_chapter();
  const std::unique_ptr<Machine> machine = open_gpu(0);
  for (const Shape& shape : shapes) {
    Matrix A(shape.M, shape.K), B(shape.K, shape.N);
    fill(A, kind, 3);
    fill(B, kind, 4);
    const Reference reference(A, B, kind == Fill::integers);
    machine->load(A, B);
    std::vector<Variant> variants = chapter.variants;
    variants.push_back(machine->library());
    for (const Variant& variant : variants) {
      if (variant.refuses && !variant.refuses(shape).empty()) continue;
      CAPTURE(variant.name);
      CAPTURE(shape.text());
      const Verdict verdict = verify(*machine, variant, reference).verdict;
      CHECK_MESSAGE(verdict.right, verdict.message);
    }
  }
}

}  // namespace

TEST_SUITE("device") {

TEST_CASE("every variant is right on the edge shapes") { check_all(edge_shapes(), Fill::random); }

TEST_CASE("every variant gives the same bits on integers") { check_all(edge_shapes(), Fill::integers); }

TEST_CASE("every variant is right on larger shapes that are no multiples, and on long sums") {
  check_all({{513, 1025, 700}, {1000, 1000, 1000}, {96, 96, 16384}, {64, 32, 100000}, {2048, 64, 4096}}, Fill::unit);
}

TEST_CASE("every variant is timed warm and cold, below the device's ceiling") {
  const KernelChapter<float> chapter = this_chapter();
  const std::unique_ptr<Machine> machine = open_gpu(0);
  for (const bool cold : {false, true}) {
    Options options;
    options.schedule = {.repeats = 3, .warmup = 1, .cold = cold};
    for (const Result& result : measure(*machine, chapter.variants, {512, 512, 512}, options)) {
      CAPTURE(result.variant);
      REQUIRE(result.timing);
      CHECK(result.flops_per_second() > 1e9);
      CHECK(result.flops_per_second() < machine->facts().ceiling_flops);
    }
  }
}

}

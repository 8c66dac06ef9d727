// main() of the chapters that run on a GPU.
#include "gpu.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  ladder::KernelChapter<float> chapter;
  chapter.sizes = {{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}};
  describe(chapter);
  return ladder::run_chapter(
      chapter, [](const ladder::Options& options) { return ladder::open_gpu(options.device.value_or(0)); }, argc, argv);
}

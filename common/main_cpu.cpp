// main() of the chapter that runs on the CPU.
#include "chapter.hpp"
#include "cpu.hpp"
#include "run.hpp"

int main(int argc, char** argv) {
  ladder::CpuChapter chapter;
  chapter.sizes = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}};
  describe(chapter);
  return ladder::run_chapter(chapter, [](const ladder::Options&) { return ladder::open_cpu(); }, {}, argc, argv);
}

#include "chapter.hpp"
#include "kernel.hpp"

void ladder::describe(CpuChapter& chapter) {
  chapter.name = "01_cpu";
  chapter.idea = "Three loops on the CPU; then the same loops in another order; then blocked for the caches.";
  chapter.own("ijk", ijk);
  chapter.own("ikj", ikj);
  chapter.own("blocked", blocked);
}

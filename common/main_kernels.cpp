// main() of the chapters whose variants are kernels: on a GPU if this build and this machine have one, and under
// the tracer in any case that the build has it.
#include "chapter.hpp"
#include "errors.hpp"
#include "machine.hpp"
#include "run.hpp"

#ifdef HAVE_TRACER
#include "simt/counted.hpp"
#include "trace_run.hpp"
#endif

namespace ladder {
namespace {

std::unique_ptr<Machine> open_machine([[maybe_unused]] const Options& options) {
#ifdef HAVE_CUDA
  return open_gpu(options.device.value_or(0));
#else
  throw NoDeviceError("no CUDA device here: this program was built without the CUDA Toolkit");
#endif
}

/// The chapter as both compilers see it: its kernels for the GPU and, under the same names, for the tracer.
Chapter this_chapter() {
  Chapter chapter;
#ifdef HAVE_CUDA
  KernelChapter<float> compiled;
  describe(compiled);
  chapter = compiled;
#endif
#ifdef HAVE_TRACER
  KernelChapter<simt::Counted<float>> traced;
  describe(traced);
  if (chapter.variants.empty()) chapter = traced;
  for (std::size_t i = 0; i < traced.variants.size(); ++i) chapter.variants[i].body = traced.variants[i].body;
  for (std::size_t i = 0; i < traced.broken.size(); ++i)
    chapter.broken[i].variant.body = traced.broken[i].variant.body;
#endif
  chapter.sizes = {{512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}};
  return chapter;
}

}  // namespace
}  // namespace ladder

int main(int argc, char** argv) {
#ifdef HAVE_TRACER
  const ladder::TraceChapter trace = ladder::run_trace;
#else
  const ladder::TraceChapter trace;
#endif
  return ladder::run_chapter(ladder::this_chapter(), ladder::open_machine, trace, argc, argv);
}

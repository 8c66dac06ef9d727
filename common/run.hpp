// Running a chapter: verify every variant, time those that are right, report.
#pragma once

#include "chapter.hpp"
#include "machine.hpp"
#include "options.hpp"
#include "report.hpp"

#include <functional>
#include <memory>

namespace ladder {

/// Opens the machine that a chapter runs on, given --device.
using OpenMachine = std::function<std::unique_ptr<Machine>(const Options&)>;

/// Traces a chapter on the CPU, as run_trace of trace_run.hpp; empty in a build without the tracer.
using TraceChapter = std::function<int(const Chapter&, const Options&)>;

/// The whole program: parses the command line, runs the chapter on the machine, and turns every failure into
/// one sentence on standard error and an exit code of errors.hpp. Without a CUDA device, and unless --device
/// asks for one, the chapter is traced instead.
int run_chapter(const Chapter& chapter, const OpenMachine& open, const TraceChapter& trace, int argc,
                const char* const* argv);

/// A variant's first run on a problem.
struct FirstRun {
  Verdict verdict;
  double seconds = 0;
};

/// Runs one variant on the problem that the machine holds, and checks its result and the guard bands.
FirstRun verify(Machine& machine, const Variant& variant, const Reference& reference, bool cold = false);

/// Verifies and times variants at one shape. A variant that refuses the shape or is wrong is not timed.
std::vector<Result> measure(Machine& machine, const std::vector<Variant>& variants, const Shape& shape,
                            const Options& options);

}  // namespace ladder

#include "run.hpp"

#include "cpu.hpp"
#include "errors.hpp"
#include "numbers.hpp"
#include "program.hpp"
#include "record.hpp"

#include <algorithm>
#include <cstdio>

namespace ladder {
namespace {

/// Refuses what cannot be served before a machine is opened: shapes that no variant of the chapter takes,
/// sums that --fill integers cannot keep exact, matrices that the host cannot hold.
void check_shapes(const std::vector<Shape>& shapes, const std::vector<Variant>& variants, const Options& options) {
  for (const Shape& shape : shapes) {
    if (options.fill == Fill::integers && shape.K > integers_largest_K)
      throw UsageError(format("--fill integers: K = %ld, but sums are exact only up to K = %ld", long(shape.K),
                              long(integers_largest_K)));
    // On the host: A, B, the machine's copies on a CPU, the result, and what the check keeps for each row of A
    // (its products with the sign vectors, errors, bounds), row of B and column of B.
    const double need = 2 * shape.compulsory_bytes() + 96.0 * double(shape.M) + 80.0 * double(shape.K) +
                        136.0 * double(shape.N);
    const double have = host_free_bytes();
    if (need > have)
      throw UsageError(format("--size: %s needs %s of host memory, %s is free", shape.text().c_str(),
                              bytes_text(need).c_str(), bytes_text(have).c_str()));
  }
  require_taken(variants, shapes);
}

void check_rate(const Result& result, const MachineFacts& machine) {
  const double limit = 1.01 * std::max(machine.limit_flops, machine.ceiling_flops);
  const double rate = result.flops_per_second();
  if (machine.limit_flops > 0 && rate > limit)
    throw MeasurementError(format("%s at %s: %.3g TFLOP/s is above what this device can do (%.3g TFLOP/s)",
                                  result.variant.c_str(), result.shape.text().c_str(), rate * 1e-12, limit * 1e-12));
}

/// Measures the variants on the machine, shape by shape.
int run_on(Machine& machine, const Chapter& chapter, std::vector<Variant> variants, const std::vector<Shape>& shapes,
           const Options& options) {
  Record record(options.json, chapter.name, options);
  if (Variant library = machine.library(); library.run) variants.push_back(library);
  std::printf("%s\n", machine.facts().headline.c_str());

  bool wrong = false;
  for (const Shape& shape : shapes) {
    const double need = shape.compulsory_bytes() + 6.0 * guard_words * sizeof(float), have = machine.free_bytes();
    if (need > have)
      throw UsageError(format("--size: %s needs %s, %s is free on %s", shape.text().c_str(), bytes_text(need).c_str(),
                              bytes_text(have).c_str(), machine.facts().name.c_str()));
    const std::vector<Result> results = measure(machine, variants, shape, options);
    print_table(results, machine.facts(), options);
    record.add(results);
    record.write(machine.facts());
    for (const Result& result : results) {
      wrong |= result.refused.empty() && !result.verdict.right;
      if (result.timing) check_rate(result, machine.facts());
    }
  }
  return wrong ? exit_wrong : exit_right;
}

int run(const Chapter& chapter, const OpenMachine& open, const TraceChapter& trace, int argc, const char* const* argv) {
  const Parsed parsed = parse_options(argc, argv, chapter.name, chapter.idea);
  if (parsed.exit) return *parsed.exit;
  const Options& options = parsed.options;
  if (options.list) {
    list(chapter);
    return exit_right;
  }
  std::vector<Variant> variants = chosen(chapter, options);
  std::vector<Shape> shapes = options.shapes.empty() ? chapter.sizes : options.shapes;
  if (!options.broken.empty()) {
    const Broken& broken = find_broken(chapter, options.broken);
    variants = {broken.variant};
    if (options.shapes.empty()) shapes = {shape_of(broken, chapter)};
  }
  if (options.trace && !variants.front().geometry) throw UsageError("--trace: this chapter has no kernel to trace");
  if (options.trace && !trace)
    throw UsageError("--trace: built without the tracer; install libboost-context-dev and set up again");
  if (!options.trace) check_shapes(shapes, variants, options);
  check_can_write("--json", options.json);

  std::printf("%s\n", wrapped(chapter.name + ": " + chapter.idea, 78, "  ").c_str());
  std::fflush(stdout);
  if (options.trace) return trace(chapter, options);
  std::unique_ptr<Machine> machine;
  try {
    machine = open(options);
  } catch (const NoDeviceError& error) {
    if (options.device) throw EnvironmentError(error.what());
    if (!trace) throw;
    std::printf("%s.\nThe kernels run on the CPU instead, traced.\n", error.what());
    return trace(chapter, options);
  }
  return run_on(*machine, chapter, variants, shapes, options);
}

}  // namespace

FirstRun verify(Machine& machine, const Variant& variant, const Reference& reference, bool cold) {
  FirstRun first;
  first.seconds = machine.time(variant, 1, cold);
  first.verdict = reference.check(machine.result());
  if (std::string text = machine.damage(); !text.empty()) {
    first.verdict.right = false;
    first.verdict.message = first.verdict.message.empty() ? text : text + "; " + first.verdict.message;
  }
  return first;
}

std::vector<Result> measure(Machine& machine, const std::vector<Variant>& variants, const Shape& shape,
                            const Options& options) {
  const bool cold = options.schedule.cold;
  progress(shape.text() + ": inputs and reference");
  Matrix A(shape.M, shape.K), B(shape.K, shape.N);
  fill(A, options.fill, options.seed);
  fill(B, options.fill, options.seed + 1);
  const Reference reference(A, B, options.fill == Fill::integers, options.seed);
  machine.load(A, B);

  std::vector<Result> results;
  for (const Variant& variant : variants)
    results.push_back({shape, variant.name, variant.role, refusal(variant, shape), {}, {}, {}});

  std::vector<Timed> timed;
  std::vector<Result*> right;  // of the same order as `timed`
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& variant = variants[i];
    Result& result = results[i];
    if (!result.refused.empty()) continue;
    progress(shape.text() + ": verifying " + variant.name);
    const FirstRun first = verify(machine, variant, reference, cold);
    result.verdict = first.verdict;
    if (!result.verdict.right) machine.load(A, B);  // what is wrong may have written anywhere, also over the inputs
    if (!result.verdict.right || shape.flops() == 0) continue;
    // The last batch's result is judged again: a kernel that is right alone and wrong in a row (it reads what
    // the launch before it left) must not keep its time.
    const auto judge_again = [&machine, &reference, &result] {
      if (Verdict again = reference.check(machine.result()); !again.right) {
        again.message = "when launched several times in a row: " + again.message;
        result.verdict = again;
      }
    };
    timed.push_back({[&](int launches) { return machine.time(variant, launches, cold); }, first.seconds, judge_again});
    right.push_back(&result);
  }
  const std::vector<Timing> timings = time_interleaved(timed, options.schedule, [&](int round) {
    progress(shape.text() + ": timing, round " + std::to_string(round));
  });

  double library_seconds = 0;
  for (std::size_t t = 0; t < timings.size(); ++t) {
    if (!right[t]->verdict.right) continue;
    right[t]->timing = timings[t];
    if (right[t]->role == Role::library) library_seconds = timings[t].median;
  }
  if (library_seconds > 0)
    for (Result& result : results)
      if (result.timing) result.library_ratio = library_seconds / result.timing->median;
  progress("");
  return results;
}

int run_chapter(const Chapter& chapter, const OpenMachine& open, const TraceChapter& trace, int argc,
                const char* const* argv) {
  return end_with_exit_code(chapter.name, [&] { return run(chapter, open, trace, argc, argv); });
}

}  // namespace ladder

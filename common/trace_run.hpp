// Tracing a chapter: its kernels run on the CPU, counted, and are held against the chapter's predictions.
#pragma once

#include "chapter.hpp"
#include "options.hpp"
#include "verify.hpp"

#include "simt/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder {

/// One variant, traced at one shape.
struct Traced {
  std::string variant;
  Shape shape;
  Traffic predicted;
  Traffic traced;
  Verdict verdict;                ///< on the result, unless only one block was run
  simt::Report report;
  std::int64_t alike = 1;         ///< the one block that was run stands for so many

  bool as_predicted() const { return predicted == traced; }
  bool right() const { return as_predicted() && report.clean() && (alike > 1 || verdict.right); }
};

/// How to trace.
struct TraceOptions {
  Fill fill = Fill::random;
  std::uint64_t seed = 1;
  bool one_block = false;             ///< run one block and multiply: for shapes whose blocks are all alike
  std::optional<simt::Watch> watch{};  ///< write down the requests of one warp
};

/// Whether all blocks of a launch ask the same of memory: the blocks cover C exactly, and rows of all three
/// matrices are whole lines, so that every block sees its rows at the same place within a line, or a whole number of
/// sectors further on where a block is narrower than a line.
bool blocks_alike(const Geometry& geometry, const Shape& shape);

/// Runs a variant under the tracer. Every thread may touch only the rows of A, columns of B and elements of C
/// that its block is responsible for: an index that runs into the next row is found though it stays inside
/// the matrix.
Traced trace_variant(const Variant& variant, const Shape& shape, const TraceOptions& options = {});

/// The part of a chapter's program that needs no GPU: traces the variants (or, with --break, a broken kernel),
/// prints predicted and traced counts and all findings, and writes --trace-map and --json. Returns the exit
/// code: exit_right only if every variant is as predicted, without finding, and right.
int run_trace(const Chapter& chapter, const Options& options);

}  // namespace ladder

#include "trace_run.hpp"

#include "errors.hpp"
#include "numbers.hpp"
#include "record.hpp"
#include "version.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace ladder {
namespace {

using Json = nlohmann::ordered_json;

struct Field {
  const char* name;
  std::uint64_t Traffic::*value;
};
constexpr Field fields[] = {
    {"global load requests", &Traffic::global_load_requests},
    {"global load sectors", &Traffic::global_load_sectors},
    {"global load lines", &Traffic::global_load_lines},
    {"global store requests", &Traffic::global_store_requests},
    {"global store sectors", &Traffic::global_store_sectors},
    {"global store lines", &Traffic::global_store_lines},
    {"shared load requests", &Traffic::shared_load_requests},
    {"shared load wavefronts", &Traffic::shared_load_wavefronts},
    {"shared store requests", &Traffic::shared_store_requests},
    {"shared store wavefronts", &Traffic::shared_store_wavefronts},
    {"barriers", &Traffic::barriers},
};

/// From here on, a shape whose blocks are all alike is traced by one of them.
constexpr double much = 1e8;
/// Beyond this, counted in multiply-adds, a trace would take minutes.
constexpr double too_much = 1.1e9;

/// What it costs to run so many threads, in multiply-adds: starting a thread is as long as 64 of them.
double trace_cost(const Shape& shape, double threads) {
  return 64 * threads + threads * double(shape.K);
}

/// What it costs to evaluate the prediction, which goes through the rows and columns of the three matrices.
double prediction_cost(const Shape& s) {
  return double(s.M) * double(s.K) + double(s.K) * double(s.N) + double(s.M) * double(s.N);
}

/// How a job is to be traced; throws UsageError if it would take minutes.
TraceOptions plan(const Variant& variant, const Shape& shape, const Options& options) {
  TraceOptions how{options.fill, options.seed, false, {}};
  const Geometry geometry = variant.geometry(shape);
  const double block = double(geometry.block.count()), threads = double(geometry.grid.count()) * block;
  const bool broken = !options.broken.empty();
  how.one_block = trace_cost(shape, threads) > (broken ? too_much : much) && (broken || blocks_alike(geometry, shape));
  if (trace_cost(shape, how.one_block ? block : threads) > too_much || prediction_cost(shape) > 3 * too_much)
    throw UsageError(format("--trace: %s at %s would take minutes; give a smaller --size%s", variant.name.c_str(),
                            shape.text().c_str(),
                            how.one_block ? "" : ", or a multiple of the block, of which one block is enough"));
  if (options.trace_map.empty()) return how;
  if (32 * options.trace_warp >= block)
    throw UsageError(format("--trace-warp: a block of %s has %.0f warps, numbered from 0", variant.name.c_str(),
                            std::ceil(block / 32)));
  how.watch = simt::Watch{.block = {}, .warp = options.trace_warp};
  return how;
}

struct Interval {
  std::int64_t first, last;  // half open
  bool holds(std::int64_t i) const { return first <= i && i < last; }
};

/// The rows and columns of C that a block is responsible for.
std::pair<Interval, Interval> piece_of(const Geometry& g, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::int64_t along_y = z * g.grid.y + y;
  const Interval by_x{x * g.block.x, (x + 1) * g.block.x}, by_y{along_y * g.block.y, (along_y + 1) * g.block.y};
  return g.x_along_rows ? std::pair{by_x, by_y} : std::pair{by_y, by_x};
}

dim3 to_dim3(const Extent& e) { return dim3(unsigned(e.x), unsigned(e.y), unsigned(e.z)); }

Traffic times(Traffic traffic, std::uint64_t factor) {
  for (const Field& field : fields) traffic.*field.value *= factor;
  return traffic;
}

void fill(simt::Buffer<float>& buffer, const Matrix& from) { std::copy_n(from.data(), from.size(), buffer.raw()); }

/// `by_line` adds the counts of each source line.
void print(const Traced& traced, bool by_line) {
  std::printf("\n%-28s %18s %18s\n", traced.variant.c_str(), "predicted", "traced");
  for (const Field& field : fields) {
    const std::uint64_t predicted = traced.predicted.*field.value, counted = traced.traced.*field.value;
    if (predicted == 0 && counted == 0) continue;
    std::printf("  %-26s %18lu %18lu%s\n", field.name, predicted, counted, predicted == counted ? "" : "  DIFFERS");
  }
  if (traced.alike > 1)
    std::printf("  one block was run; all %ld are alike\n", long(traced.alike));
  else if (traced.verdict.right)
    std::printf("  the result is right (error / tolerance %.2f)\n", traced.verdict.worst_ratio);
  else
    std::printf("  the result is WRONG: %s\n", wrapped(traced.verdict.message, 80 - 8, "        ").c_str());
  for (const simt::Finding& finding : traced.report.findings)
    std::printf("  FOUND %s\n", wrapped(finding.text(), 80 - 8, "        ").c_str());
  if (traced.report.clean()) std::printf("  no findings\n");
  if (by_line) std::printf("\n%s", traced.report.counts_text().c_str());
  std::fflush(stdout);
}

Json to_json(const Traffic& traffic) {
  Json json;
  for (const Field& field : fields) {
    std::string key = field.name;
    std::replace(key.begin(), key.end(), ' ', '_');
    json[key] = traffic.*field.value;
  }
  json["flops"] = traffic.flops;
  return json;
}

Json to_json(const Traced& traced) {
  Json json = {{"shape", {{"M", traced.shape.M}, {"N", traced.shape.N}, {"K", traced.shape.K}}},
               {"variant", traced.variant},
               {"predicted", to_json(traced.predicted)},
               {"traced", to_json(traced.traced)},
               {"one_block_of", traced.alike},
               {"findings", Json::array()}};
  for (const simt::Finding& finding : traced.report.findings) json["findings"].push_back(finding.text());
  std::uint64_t distinct = 0;
  for (const simt::ArrayUse& array : traced.report.arrays) distinct += array.loaded_bytes + array.stored_bytes;
  if (traced.alike == 1) json["distinct_bytes"] = distinct;
  return json;
}

Json map_of(const Traced& traced, const simt::Watch& watch) {
  Json json = {{"variant", traced.variant},
               {"block", {watch.block.x, watch.block.y, watch.block.z}},
               {"warp", watch.warp},
               {"requests", Json::array()}};
  for (const simt::WatchedRequest& request : traced.report.watched) {
    Json lanes = Json::array();
    for (const auto& lane : request.lanes)
      lanes.push_back(lane.active ? Json{{"offset", lane.offset}, {"row", lane.row}, {"col", lane.col}} : Json());
    json["requests"].push_back({{"where", request.where.text()},
                                {"kind", simt::to_string(request.kind)},
                                {"array", request.array},
                                {"bytes", request.bytes},
                                {"lanes", std::move(lanes)}});
  }
  return json;
}

/// What is to be traced: the chosen variants, or the broken kernel of --break with its shape.
std::vector<std::pair<Variant, Shape>> jobs(const Chapter& chapter, const Options& options) {
  std::vector<Variant> variants = chosen(chapter, options);
  std::vector<Shape> shapes = options.shapes.empty() ? std::vector{chapter.trace_shape} : options.shapes;
  if (!options.broken.empty()) {
    const Broken& broken = find_broken(chapter, options.broken);
    variants = {broken.variant};
    if (options.shapes.empty()) shapes = {shape_of(broken, chapter)};
  }
  require_taken(variants, shapes);
  std::vector<std::pair<Variant, Shape>> all;
  for (const Shape& shape : shapes)
    for (const Variant& variant : variants)
      if (refusal(variant, shape).empty()) all.push_back({variant, shape});
  return all;
}

}  // namespace

bool blocks_alike(const Geometry& geometry, const Shape& shape) {
  const Extent &grid = geometry.grid, &block = geometry.block;
  const std::int64_t along_x = grid.x * block.x, along_y = grid.y * grid.z * block.y;
  const std::int64_t rows = geometry.x_along_rows ? along_x : along_y;
  const std::int64_t cols = geometry.x_along_rows ? along_y : along_x;
  return grid.count() > 0 && shape.M == rows && shape.N == cols && shape.N % 32 == 0 && shape.K % 32 == 0 &&
         (geometry.x_along_rows ? block.y : block.x) % 8 == 0;
}

Traced trace_variant(const Variant& variant, const Shape& shape, const TraceOptions& options) {
  const auto [M, N, K] = shape;
  const Geometry geometry = variant.geometry(shape);
  Traced traced{variant.name, shape, variant.traffic(shape), {}, {}, {}};
  const std::uint64_t flops = std::exchange(traced.predicted.flops, 0);  // the tracer does not count them

  simt::Buffer<float> A("A", M, K, simt::input), B("B", K, N, simt::input), C("C", M, N, simt::output);
  simt::Options how;
  how.watch = options.watch;
  how.allowed = [&](const simt::Touch& touch) {
    const auto [rows, cols] = piece_of(geometry, touch.block.x, touch.block.y, touch.block.z);
    return (&touch.array == &B || rows.holds(touch.row)) && (&touch.array == &A || cols.holds(touch.col));
  };
  if (options.one_block) {  // inputs stay zeros, untouched: they may be larger than memory
    const simt::uint3 block{unsigned(geometry.grid.x - 1), unsigned(geometry.grid.y - 1), unsigned(geometry.grid.z - 1)};
    how.only = [=](simt::uint3 b) { return b.x == block.x && b.y == block.y && b.z == block.z; };
    how.all_written = false;
  }
  Matrix a, b;
  if (!options.one_block) {
    a = Matrix(M, K), b = Matrix(K, N);
    fill(a, options.fill, options.seed);
    fill(b, options.fill, options.seed + 1);
    fill(A, a);
    fill(B, b);
  }
  if (geometry.grid.count() > 0)
    traced.report = simt::trace({to_dim3(geometry.grid), to_dim3(geometry.block), std::size_t(geometry.shared_bytes)},
                                how, [&] { variant.body(A.data(), B.data(), C.data(), shape); });
  if (options.one_block) {
    traced.alike = geometry.grid.count();
    traced.traced = times(traced.report.total, std::uint64_t(traced.alike));
  } else {
    traced.traced = traced.report.total;
    Matrix c(M, N);
    std::copy_n(C.raw(), c.size(), c.data());
    traced.verdict = Reference(a, b, options.fill == Fill::integers, options.seed).check(c);
  }
  traced.predicted.flops = traced.traced.flops = flops;
  return traced;
}

int run_trace(const Chapter& chapter, const Options& options) {
  bool all_right = true;
  Json record = {{"chapter", chapter.name}, {"commit", git_commit}, {"trace", Json::array()}};
  Json maps = Json::array();
  const std::vector<std::pair<Variant, Shape>> todo = jobs(chapter, options);
  for (const auto& [variant, shape] : todo) plan(variant, shape, options);  // refuse before anything is run
  check_can_write("--trace-map", options.trace_map);
  if (!options.broken.empty() && find_broken(chapter, options.broken).seen_by == SeenBy::gpu)
    std::printf("%s, compiled for the CPU, is right: it is wrong on a GPU only.\n", options.broken.c_str());
  Shape last;
  for (const auto& [variant, shape] : todo) {
    if (!(shape == last))
      std::printf("\nTraced on the CPU: M = %ld, N = %ld, K = %ld\n", long(shape.M), long(shape.N), long(shape.K));
    last = shape;
    const TraceOptions how = plan(variant, shape, options);
    const Traced traced = trace_variant(variant, shape, how);
    print(traced, todo.size() == 1);
    all_right &= traced.right();
    record["trace"].push_back(to_json(traced));
    if (how.watch) maps.push_back(map_of(traced, *how.watch));
  }
  if (!options.trace_map.empty()) write_json("--trace-map", options.trace_map, maps);
  if (!options.json.empty()) write_json("--json", options.json, record);
  return all_right ? exit_right : exit_wrong;
}

}  // namespace ladder

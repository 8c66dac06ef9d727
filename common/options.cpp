#include "options.hpp"

#include "command_line.hpp"
#include "errors.hpp"
#include "numbers.hpp"

#include <limits>

namespace ladder {

Parsed parse_options(int argc, const char* const* argv, const std::string& chapter, const std::string& idea) {
  CLI::App app(idea, chapter);
  // Values arrive as text: parse_whole's message names the option and the limit.
  std::vector<std::string> sizes, variants;
  std::string m, n, k, shapes, repeats = "0", warmup = "3", fill = "random", seed = "1", json, device;
  std::string trace_map, trace_warp, broken;
  bool list = false, cold = false, trace = false;

  app.add_option("--size,--sizes", sizes, "Square products, M = N = K: 1024 or 512,1024,2048")
      ->delimiter(',')->type_name("N,...");
  app.add_option("-m", m, "Rows of A and C")->type_name("M");
  app.add_option("-n", n, "Columns of B and C")->type_name("N");
  app.add_option("-k", k, "Columns of A, rows of B")->type_name("K");
  app.add_option("--shapes", shapes, "A CSV file with columns M, N and K, a shape a line")->type_name("FILE");
  app.add_option("--variant", variants, "Only this variant, by its name from --list (may be given again)")
      ->delimiter(',')->type_name("NAME");
  app.add_flag("--list", list, "Print the variants and end");
  app.add_option("--repeats", repeats, "Timed batches of each variant; 0: until the median is stable")->type_name("R");
  app.add_option("--warmup", warmup, "Untimed products before them (default 3)")->type_name("W");
  app.add_flag("--cold", cold, "Flush the caches before every timed product");
  app.add_option("--fill", fill, "random [-1,1), unit [0,1), integers (exact sums) or zeros")->type_name("KIND");
  app.add_option("--seed", seed, "Seed of the random inputs (default 1)")->type_name("S");
  app.add_option("--json", json, "Write a record of everything measured")->type_name("FILE");
  app.add_option("--device", device, "CUDA device (default 0)")->type_name("D");
  app.add_flag("--trace", trace, "Run the kernels on the CPU and count their memory accesses");
  app.add_option("--trace-map", trace_map, "With --trace: write the addresses of one warp")->type_name("FILE");
  app.add_option("--trace-warp", trace_warp, "Which warp of the first block --trace-map writes (default 0)")
      ->type_name("W");
  app.add_option("--break", broken, "Run the kernel with this fault (--list shows them)")->type_name("FAULT");

  if (!read_command_line(app, argc, argv)) return {{}, exit_right};

  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  Options options;
  for (const std::string& size : sizes) {
    const std::int64_t N = parse_dimension("--size", size);
    options.shapes.push_back({N, N, N});
  }
  if (!m.empty() || !n.empty() || !k.empty()) {
    if (m.empty() || n.empty() || k.empty()) throw UsageError("-m, -n and -k must be given together");
    options.shapes.push_back({parse_dimension("-m", m), parse_dimension("-n", n), parse_dimension("-k", k)});
  }
  if (!shapes.empty())
    for (const Shape& shape : read_shapes(shapes)) options.shapes.push_back(shape);
  options.variants = variants;
  options.list = list;
  options.schedule.repeats = static_cast<int>(parse_whole("--repeats", repeats, 0, 1'000'000));
  options.schedule.warmup = static_cast<int>(parse_whole("--warmup", warmup, 0, 1'000'000));
  options.schedule.cold = cold;
  options.fill = parse_fill(fill);
  options.seed = static_cast<std::uint64_t>(parse_whole("--seed", seed, 0, std::numeric_limits<std::int64_t>::max()));
  options.json = json;
  if (!device.empty()) options.device = static_cast<int>(parse_whole("--device", device, 0, most));
  options.trace = trace;
  options.trace_map = trace_map;
  if (!trace_warp.empty()) options.trace_warp = static_cast<unsigned>(parse_whole("--trace-warp", trace_warp, 0, 31));
  options.broken = broken;
  if (!trace_map.empty() && !trace) throw UsageError("--trace-map needs --trace");
  if (!trace_warp.empty() && trace_map.empty()) throw UsageError("--trace-warp needs --trace-map");
  if (!broken.empty() && !variants.empty()) throw UsageError("--break and --variant exclude each other");
  return {options, std::nullopt};
}

}  // namespace ladder

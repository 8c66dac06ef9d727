#include "matrix.hpp"

#include "errors.hpp"
#include "numbers.hpp"

#include <fstream>
#include <sstream>

namespace ladder {
namespace {

/// SplitMix64's output function (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators",
/// 2014): turns a counter into 64 well-mixed bits, so that every element can be made independently.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

float element(Fill kind, std::uint64_t bits) {
  const auto top = static_cast<std::int32_t>(bits >> 40);  // 24 bits: every value is exact in fp32
  switch (kind) {
    case Fill::random: return static_cast<float>(top - (1 << 23)) * 0x1p-23f;
    case Fill::unit: return static_cast<float>(top) * 0x1p-24f;
    case Fill::integers: return static_cast<float>(static_cast<std::int32_t>((bits >> 32) * 5 >> 32) - 2);
    case Fill::zeros: return 0.0f;
  }
  return 0.0f;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    const auto first = cell.find_first_not_of(" \t\r"), last = cell.find_last_not_of(" \t\r");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return cells;
}

}  // namespace

std::string Shape::text() const {
  if (M == N && N == K) return std::to_string(M);
  return std::to_string(M) + "x" + std::to_string(N) + "x" + std::to_string(K);
}

Fill parse_fill(std::string_view name) {
  for (Fill kind : {Fill::random, Fill::unit, Fill::integers, Fill::zeros})
    if (name == to_string(kind)) return kind;
  throw UsageError("--fill takes random, unit, integers or zeros, not '" + std::string(name) + "'");
}

std::string_view to_string(Fill kind) {
  switch (kind) {
    case Fill::random: return "random";
    case Fill::unit: return "unit";
    case Fill::integers: return "integers";
    case Fill::zeros: return "zeros";
  }
  return "";
}

void fill(Matrix& matrix, Fill kind, std::uint64_t seed) {
  float* data = matrix.data();
  const std::int64_t size = matrix.size();
  const std::uint64_t stream = mix(seed);
#pragma omp parallel for
  for (std::int64_t i = 0; i < size; ++i) data[i] = element(kind, mix(stream + static_cast<std::uint64_t>(i)));
}

std::vector<Shape> read_shapes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("--shapes: cannot read '" + path + "'");
  std::vector<Shape> shapes;
  int columns[3] = {-1, -1, -1};
  bool have_header = false;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    if (++number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // a byte order mark
    const std::vector<std::string> cells = split(line.substr(0, line.find('#')));
    if (cells.empty() || (cells.size() == 1 && cells[0].empty())) continue;
    const std::string where = "--shapes: " + path + ", line " + std::to_string(number) + ": ";
    if (!have_header) {
      for (std::size_t i = 0; i < cells.size(); ++i)
        for (int d = 0; d < 3; ++d)
          if (cells[i] == std::string(1, "MNK"[d])) columns[d] = static_cast<int>(i);
      for (int d = 0; d < 3; ++d)
        if (columns[d] < 0) throw UsageError(where + "the header has no column " + "MNK"[d]);
      have_header = true;
      continue;
    }
    std::int64_t dims[3];
    for (int d = 0; d < 3; ++d) {
      if (columns[d] >= static_cast<int>(cells.size())) throw UsageError(where + "there is no " + "MNK"[d]);
      dims[d] = parse_dimension(where + "MNK"[d], cells[columns[d]]);
    }
    shapes.push_back({dims[0], dims[1], dims[2]});
  }
  if (shapes.empty()) throw UsageError("--shapes: " + path + " lists no shape");
  return shapes;
}

}  // namespace ladder

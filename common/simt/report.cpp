#include <algorithm>
#include <array>

#include "simt/trace.hpp"

namespace simt {
namespace {

constexpr std::size_t columns = 10;
using Row = std::array<std::string, columns>;

// The first three columns are words and stand to the left, the others numbers.
std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, columns> width{};
  for (const Row& row : rows)
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string blanks(width[c] - row[c].size(), ' ');
      text += c == 0 ? "" : "  ";
      text += c < 3 ? row[c] + blanks : blanks + row[c];
    }
    text += "\n";
  }
  return text;
}

Row row_of(const LineCount& l) {
  const bool global = is_global(l.kind);
  auto number = [](bool applies, std::uint64_t n) { return applies ? std::to_string(n) : "-"; };
  return {l.where.text(),
          to_string(l.kind),
          l.array,
          std::to_string(l.requests),
          std::to_string(l.requested_bytes),
          number(global, l.moved_bytes()),
          number(global, l.sectors),
          number(global, l.lines),
          number(!global, l.wavefronts),
          number(!global, l.ideal)};
}

}  // namespace

std::string Report::counts_text() const {
  std::vector<Row> rows{{"line", "access", "array", "requests", "bytes asked", "bytes moved",
                         "sectors", "128-byte lines", "wavefronts", "ideal"}};
  for (const LineCount& l : lines) rows.push_back(row_of(l));
  std::string s = table(rows);
  for (const ArrayUse& a : arrays)
    s += a.name + ": " + std::to_string(a.loaded_bytes) + " distinct bytes loaded, " +
         std::to_string(a.stored_bytes) + " stored\n";
  s += std::to_string(total.barriers) + " barriers in " + std::to_string(blocks) + " blocks\n";
  return s;
}

std::string Report::text() const {
  std::string s = counts_text();
  if (findings.empty()) s += "no findings\n";
  for (const Finding& f : findings) s += f.text() + "\n";
  return s;
}

}  // namespace simt

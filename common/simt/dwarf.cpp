#include "simt/dwarf.hpp"

#include <cstring>
#include <stdexcept>

namespace simt {
namespace {

// The numbers are those of the DWARF standard, chapter 7.
enum Tag : std::uint64_t {
  tag_array = 0x01,
  tag_typedef = 0x16,
  tag_subrange = 0x21,
  tag_const = 0x26,
  tag_variable = 0x34
};
enum Attribute : std::uint64_t {
  at_location = 0x02,
  at_upper_bound = 0x2f,
  at_abstract_origin = 0x31,
  at_count = 0x37,
  at_specification = 0x47,
  at_type = 0x49
};
enum Operation : std::uint8_t {
  op_const4u = 0x0c,
  op_const8u = 0x0e,
  op_form_tls_address = 0x9b,
  op_gnu_push_tls_address = 0xe0
};

struct Unreadable : std::runtime_error {
  Unreadable() : std::runtime_error("unknown debug information") {}
};

/// Reads numbers one after the other.
struct Cursor {
  std::string_view data;
  std::size_t at = 0;

  void skip(std::uint64_t bytes) {
    if (bytes > data.size() - at) throw Unreadable();
    at += bytes;
  }
  std::uint64_t fixed(unsigned bytes) {
    const std::size_t from = at;
    skip(bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + from, bytes < 8 ? bytes : 8);
    return value;
  }
  std::uint64_t leb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = fixed(1);
      if (shift < 64) value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
};

struct Field {
  std::uint64_t attribute, form, implicit_value;
};
struct Abbreviation {
  std::uint64_t tag = 0;
  bool has_children = false;
  std::vector<Field> fields;
};

std::map<std::uint64_t, Abbreviation> read_abbreviations(std::string_view abbrev,
                                                         std::size_t offset) {
  std::map<std::uint64_t, Abbreviation> table;
  Cursor in{abbrev, offset};
  while (const std::uint64_t code = in.leb128()) {
    Abbreviation& a = table[code];
    a.tag = in.leb128();
    a.has_children = in.fixed(1);
    for (;;) {
      Field f{in.leb128(), in.leb128(), 0};
      if (f.form == 0x21) f.implicit_value = in.leb128();
      if (f.attribute == 0 && f.form == 0) break;
      a.fields.push_back(f);
    }
  }
  return table;
}

/// A field's value: a number, or the bytes of an expression.
struct Value {
  std::uint64_t number = 0;
  std::string_view bytes;
};

Value read_value(Cursor& in, const Field& field, unsigned address_bytes) {
  auto block = [&](std::uint64_t size) {
    const std::size_t from = in.at;
    in.skip(size);
    return Value{0, in.data.substr(from, size)};
  };
  switch (field.form) {
    case 0x19:
      return {1, {}};  // flag_present
    case 0x21:
      return {field.implicit_value, {}};  // implicit_const
    case 0x01:
      return {in.fixed(address_bytes), {}};  // addr
    case 0x0b:
    case 0x0c:
    case 0x11:
    case 0x25:
    case 0x29:
      return {in.fixed(1), {}};
    case 0x05:
    case 0x12:
    case 0x26:
    case 0x2a:
      return {in.fixed(2), {}};
    case 0x27:
    case 0x2b:
      return {in.fixed(3), {}};
    case 0x06:
    case 0x0e:
    case 0x10:
    case 0x13:
    case 0x17:
    case 0x1c:
    case 0x1d:
    case 0x1f:
    case 0x28:
    case 0x2c:
      return {in.fixed(4), {}};
    case 0x07:
    case 0x14:
    case 0x20:
    case 0x24:
      return {in.fixed(8), {}};
    case 0x1e:
      return {in.fixed(16), {}};  // data16
    case 0x0d:
    case 0x0f:
    case 0x15:
    case 0x1a:
    case 0x1b:
    case 0x22:
    case 0x23:
      return {in.leb128(), {}};
    case 0x08:
      while (in.fixed(1) != 0) {
      }
      return {};  // string
    case 0x0a:
      return block(in.fixed(1));
    case 0x03:
      return block(in.fixed(2));
    case 0x04:
      return block(in.fixed(4));
    case 0x09:
    case 0x18:
      return block(in.leb128());  // block, exprloc
  }
  throw Unreadable();
}

/// Place of a thread-local variable, from its location expression: "push this constant, make it an
/// address in the thread's storage".
bool thread_offset(std::string_view expression, std::uint64_t& offset) {
  Cursor in{expression};
  if (expression.empty()) return false;
  const std::uint64_t push = in.fixed(1);
  if (push != op_const8u && push != op_const4u) return false;
  offset = in.fixed(push == op_const8u ? 8 : 4);
  const std::uint64_t last = in.fixed(1);
  return last == op_form_tls_address || last == op_gnu_push_tls_address;
}

/// What matters of a type or variable: the type it is made of, and for an array the extents.
struct Node {
  std::uint64_t type = 0;  // place of another node in the unit; 0: none
  std::vector<std::uint64_t> extents;
};

class Unit {
 public:
  void read(Cursor in, const std::map<std::uint64_t, Abbreviation>& table, unsigned address_bytes) {
    std::vector<std::uint64_t> parents;  // 0 for those that are no arrays
    while (in.at < in.data.size()) {
      const std::uint64_t place = in.at;
      const std::uint64_t code = in.leb128();
      if (code == 0) {
        if (!parents.empty()) parents.pop_back();
        continue;
      }
      const auto found = table.find(code);
      if (found == table.end()) throw Unreadable();
      const Abbreviation& a = found->second;
      std::uint64_t type = 0, extent = 0, offset = 0;
      bool thread_local_variable = false;
      for (const Field& f : a.fields) {
        const Value v = read_value(in, f, address_bytes);
        if (f.attribute == at_type) type = v.number;
        if ((f.attribute == at_abstract_origin || f.attribute == at_specification) && type == 0)
          type = v.number;
        if (f.attribute == at_upper_bound) extent = v.number + 1;
        if (f.attribute == at_count) extent = v.number;
        if (f.attribute == at_location) thread_local_variable = thread_offset(v.bytes, offset);
      }
      const bool relevant =
          a.tag == tag_array || a.tag == tag_typedef || a.tag == tag_const || a.tag == tag_variable;
      if (relevant) nodes_[place].type = type;
      if (a.tag == tag_variable && thread_local_variable) variables_.emplace_back(offset, place);
      if (a.tag == tag_subrange && !parents.empty() && parents.back() != 0)
        nodes_[parents.back()].extents.push_back(extent);
      if (a.has_children) parents.push_back(a.tag == tag_array ? place : 0);
    }
  }

  void collect(std::map<std::uint64_t, std::vector<std::uint64_t>>& result) const {
    for (const auto& [offset, place] : variables_) {
      std::vector<std::uint64_t> extents;
      std::uint64_t at = place;
      for (auto it = nodes_.find(at); it != nodes_.end() && extents.size() < 8;
           it = nodes_.find(at)) {
        extents.insert(extents.end(), it->second.extents.begin(), it->second.extents.end());
        at = it->second.type;
      }
      if (!extents.empty()) result[offset] = extents;
    }
  }

 private:
  std::map<std::uint64_t, Node> nodes_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> variables_;
};

}  // namespace

std::map<std::uint64_t, std::vector<std::uint64_t>> thread_array_extents(std::string_view info,
                                                                         std::string_view abbrev) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> result;
  while (info.size() > 12) {
    Cursor in{info};
    const std::uint64_t length = in.fixed(4);
    if (length > info.size() - 4) break;  // includes the 64-bit format, whose mark is 0xffffffff
    in.data = info.substr(0, 4 + length);
    try {
      const std::uint64_t version = in.fixed(2);
      std::uint64_t unit_type = 1, address_bytes = 8, table = 0;
      if (version == 5) {
        unit_type = in.fixed(1);
        address_bytes = in.fixed(1);
        table = in.fixed(4);
      } else if (version == 4) {
        table = in.fixed(4);
        address_bytes = in.fixed(1);
      }
      if ((version == 4 || version == 5) && unit_type == 1) {
        Unit unit;
        unit.read(in, read_abbreviations(abbrev, table), static_cast<unsigned>(address_bytes));
        unit.collect(result);
      }
    } catch (const Unreadable&) {
    }
    info.remove_prefix(4 + length);
  }
  return result;
}

}  // namespace simt

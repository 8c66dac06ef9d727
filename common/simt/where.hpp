// The source position of an access, known at compile time.
#pragma once

#include <bit>
#include <cstdint>
#include <version>

#if defined(__cpp_lib_source_location)

#include <source_location>

namespace simt {

using Where = std::source_location;

/// A number that tells places apart quickly. (One place can have several: a template's instances
/// do.)
inline std::uint64_t key_of(Where where) {
  return std::bit_cast<std::uint64_t>(where);  // a pointer to the compiler's record of the place
}

}  // namespace simt

#else  // clang before 16 has the parts but not the class

namespace simt {

class Where {
 public:
  static constexpr Where current(const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE(),
                                 unsigned column = __builtin_COLUMN()) {
    Where where;
    where.file_ = file, where.line_ = line, where.column_ = column;
    return where;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }
  constexpr unsigned column() const { return column_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0, column_ = 0;
};

inline std::uint64_t key_of(Where where) {
  const auto file = reinterpret_cast<std::uintptr_t>(where.file_name());
  return std::uint64_t(file) << 32 | std::uint64_t(where.line()) << 12 | where.column();
}

}  // namespace simt

#endif

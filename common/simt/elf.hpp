// The sections and thread-local symbols of an ELF executable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace simt {

/// A view of a 64-bit ELF image of this machine's byte order. What it cannot read it takes as
/// absent.
class Elf {
 public:
  explicit Elf(std::string_view image);

  /// Contents of a section; empty if there is none or if it is compressed.
  std::string_view section(std::string_view name) const;

  struct ThreadVariable {
    const char* name;             ///< mangled
    std::uint64_t offset, bytes;  ///< place in every thread's static storage
  };
  std::vector<ThreadVariable> thread_variables() const;

 private:
  std::string_view image_;
};

}  // namespace simt

#include "simt/shapes.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simt/dwarf.hpp"
#include "simt/elf.hpp"

namespace simt {
namespace {

// "tile_A" from "void tiled<...>(...)::tile_A".
std::string short_name(const char* mangled) {
  int status = 0;
  char* full = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 ? full : mangled;
  std::free(full);
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// The program's own file, mapped for as long as it runs.
std::string_view own_image() {
  const int file = open("/proc/self/exe", O_RDONLY);
  struct stat facts {};
  if (file < 0 || fstat(file, &facts) != 0) return {};
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* image = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (image == MAP_FAILED) return {};
  return {static_cast<const char*>(image), size};
}

const Elf& own_elf() {
  static const Elf elf(own_image());
  return elf;
}

std::vector<SharedArray> read_arrays() {
  std::vector<SharedArray> arrays;
  for (const Elf::ThreadVariable& v : own_elf().thread_variables()) {
    // A function's own static has a mangled name that begins with _ZZ.
    if (std::strncmp(v.name, "_ZZ", 3) != 0 || std::strstr(v.name, "simt_gap_")) continue;
    arrays.push_back({short_name(v.name), v.offset, v.bytes});
  }
  std::sort(arrays.begin(), arrays.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
  if (arrays.empty()) arrays.push_back({"shared memory", 0, thread_storage().bytes / 4 * 4, false});
  return arrays;
}

// Read only when a finding needs to name an element: it takes a while in a large program.
std::vector<std::uint64_t> extents_at(std::uint64_t offset) {
  static const auto extents =
      thread_array_extents(own_elf().section(".debug_info"), own_elf().section(".debug_abbrev"));
  const auto found = extents.find(offset);
  return found == extents.end() ? std::vector<std::uint64_t>{} : found->second;
}

}  // namespace

std::string SharedArray::element(std::uint64_t byte) const {
  std::vector<std::uint64_t> extents = extents_at(offset);
  std::uint64_t elements = 1;
  for (std::uint64_t e : extents) elements *= e;
  if (extents.empty() || elements == 0) {
    elements = bytes / 4;
    extents = {elements};
  }
  std::uint64_t index = byte / (bytes / elements);
  std::string s = name;
  for (std::uint64_t e : extents) {
    elements /= e;
    s.append(1, '[').append(std::to_string(index / elements)).append(1, ']');
    index %= elements;
  }
  return s;
}

const std::vector<SharedArray>& shared_arrays() {
  static const std::vector<SharedArray> arrays = read_arrays();
  return arrays;
}

ThreadStorage thread_storage() {
  ThreadStorage storage;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_TLS)
            *static_cast<ThreadStorage*>(out) = {
                reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
        return 1;  // the executable comes first
      },
      &storage);
  return storage;
}

}  // namespace simt

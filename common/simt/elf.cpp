#include "simt/elf.hpp"

#include <elf.h>

namespace simt {

Elf::Elf(std::string_view image) {
  if (image.size() < sizeof(Elf64_Ehdr) || !image.starts_with(ELFMAG)) return;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(image.data());
  const std::uint64_t table_end =
      header.e_shoff + std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_ident[EI_CLASS] == ELFCLASS64 && table_end <= image.size()) image_ = image;
}

std::string_view Elf::section(std::string_view name) const {
  if (image_.empty()) return {};
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(image_.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image_.data() + header.e_shoff);
  for (int i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr& s = sections[i];
    if (name != image_.data() + sections[header.e_shstrndx].sh_offset + s.sh_name) continue;
    const bool readable = s.sh_type != SHT_NOBITS && !(s.sh_flags & SHF_COMPRESSED);
    if (readable && s.sh_offset + s.sh_size <= image_.size())
      return image_.substr(s.sh_offset, s.sh_size);
  }
  return {};
}

std::vector<Elf::ThreadVariable> Elf::thread_variables() const {
  const std::string_view table = section(".symtab"), names = section(".strtab");
  const auto* symbols = reinterpret_cast<const Elf64_Sym*>(table.data());
  std::vector<ThreadVariable> variables;
  for (std::size_t i = 0; i < table.size() / sizeof(Elf64_Sym); ++i) {
    const Elf64_Sym& s = symbols[i];
    if (ELF64_ST_TYPE(s.st_info) == STT_TLS && s.st_size != 0 && s.st_name < names.size())
      variables.push_back({names.data() + s.st_name, s.st_value, s.st_size});
  }
  return variables;
}

}  // namespace simt

// Places in a kernel's source that touch memory or wait.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "simt/request.hpp"
#include "simt/where.hpp"

namespace simt {

/// One access expression. Two lanes execute the same instruction when they are at the same Site.
struct Site {
  const char* file = "";
  std::uint32_t line = 0;
  std::uint16_t column = 0;
  std::uint8_t operand = 0;  ///< which operand of the operator; compilers give both the same column
  Kind kind{};
  std::uint32_t bytes = 0;  ///< per lane; 0 for a barrier

  bool operator==(const Site&) const = default;
};

inline Site site_of(Where where, unsigned operand, Kind kind, unsigned bytes) {
  return {where.file_name(),
          where.line(),
          static_cast<std::uint16_t>(where.column()),
          static_cast<std::uint8_t>(operand),
          kind,
          bytes};
}

/// All sites of a launch, numbered. Shared by the workers.
class SiteTable {
 public:
  std::uint32_t number(const Site& site) {
    std::lock_guard guard(lock_);
    for (std::uint32_t i = 0; i < sites_.size(); ++i)
      if (sites_[i] == site) return i;
    sites_.push_back(site);
    return static_cast<std::uint32_t>(sites_.size() - 1);
  }
  Site site(std::uint32_t number) const {
    std::lock_guard guard(lock_);
    return sites_[number];
  }
  std::vector<Site> sites() const {
    std::lock_guard guard(lock_);
    return sites_;
  }

 private:
  mutable std::mutex lock_;
  std::vector<Site> sites_;
};

/// A worker's memory of the numbers it has asked for: one probe for almost every access.
class SiteCache {
 public:
  explicit SiteCache(SiteTable& table) : table_(table), entries_{} {}

  std::uint32_t number(Where where, unsigned operand, Kind kind, unsigned bytes) {
    const std::uint64_t place = key_of(where);
    const std::uint32_t way = bytes << 8 | operand << 4 | unsigned(kind);
    Entry& e = entries_[(place / 8 + way * 37) % entries_.size()];
    if (e.place != place || e.way != way) [[unlikely]]
      e = {place, way, table_.number(site_of(where, operand, kind, bytes))};
    return e.number;
  }

 private:
  struct Entry {
    std::uint64_t place = 0;
    std::uint32_t way = ~0u;
    std::uint32_t number = 0;
  };
  SiteTable& table_;
  std::array<Entry, 1024> entries_;
};

}  // namespace simt

#include "simt/request.hpp"

#include <algorithm>

namespace simt {

Cost global_cost(const Request& request, unsigned bytes) {
  // A misaligned 16-byte access can span two sectors.
  std::uintptr_t sectors[64], lines[64];
  Cost cost;
  auto add = [](std::uintptr_t* set, std::uint32_t& size, std::uintptr_t x) {
    for (std::uint32_t i = size; i-- > 0;)  // neighbours tend to repeat: newest first
      if (set[i] == x) return;
    set[size++] = x;
  };
  request.each_lane([&](int lane) {
    const std::uintptr_t a = request.address[lane];
    for (std::uintptr_t s = a / 32; s <= (a + bytes - 1) / 32; ++s) {
      const std::uint32_t before = cost.sectors;
      add(sectors, cost.sectors, s);
      if (cost.sectors != before) add(lines, cost.lines, s / 4);
    }
  });
  return cost;
}

namespace {

// Passes for the lanes of `group`, all served at once: the most distinct words of any bank.
std::uint32_t passes(const Request& request, unsigned bytes, std::uint32_t group) {
  std::uintptr_t word[32][32];  // word[b]: the distinct words wanted from bank b
  std::uint8_t words[32] = {};
  std::uint8_t busiest = 0;
  for (std::uint32_t left = request.lanes & group; left != 0; left &= left - 1) {
    const std::uintptr_t a = request.address[std::countr_zero(left)];
    for (std::uintptr_t w = a / 4; w < (a + bytes) / 4; ++w) {
      const unsigned bank = w % 32;
      int i = 0;
      while (i < words[bank] && word[bank][i] != w) ++i;
      if (i < words[bank]) continue;
      word[bank][words[bank]++] = w;
      busiest = std::max(busiest, words[bank]);
    }
  }
  return busiest;
}

// Whether each lane of the group asks for the same as the lane whose number differs in `bit`.
bool pairs_agree(const Request& request, std::uint32_t group, unsigned bit) {
  for (std::uint32_t left = request.lanes & group; left != 0; left &= left - 1) {
    const unsigned lane = std::countr_zero(left), other = lane ^ bit;
    const bool present = request.lanes >> other & 1;
    if (present && request.address[lane] != request.address[other]) return false;
  }
  return true;
}

}  // namespace

Cost shared_cost(const Request& request, unsigned bytes) {
  Cost cost;
  auto serve = [&](std::uint32_t group) {
    const std::uint32_t n = passes(request, bytes, group);
    cost.wavefronts += n;
    cost.ideal += n != 0;
  };
  if (bytes <= 4) {
    serve(~0u);
    return cost;
  }
  // Two neighbouring groups, of 16 lanes for 8 bytes and of 8 lanes for 16 bytes, are served as one
  // if their lanes agree in pairs.
  const unsigned size = bytes == 8 ? 16 : 8;
  const std::uint32_t group = (1u << size) - 1;
  for (unsigned first = 0; first < 32; first += 2 * size) {
    const std::uint32_t low = group << first, high = low << size;
    if (pairs_agree(request, low | high, 1) || pairs_agree(request, low | high, 2)) {
      serve(low | high);
    } else {
      serve(low);
      serve(high);
    }
  }
  return cost;
}

}  // namespace simt

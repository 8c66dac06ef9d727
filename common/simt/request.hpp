// One memory instruction of one warp, and what it costs by the hardware's rules.
#pragma once

#include <bit>
#include <cstdint>

namespace simt {

enum class Kind : std::uint8_t { global_load, global_store, shared_load, shared_store };
constexpr bool is_global(Kind k) { return k == Kind::global_load || k == Kind::global_store; }
constexpr bool is_store(Kind k) { return k == Kind::global_store || k == Kind::shared_store; }
constexpr const char* to_string(Kind k) {
  constexpr const char* names[] = {"global load", "global store", "shared load", "shared store"};
  return names[static_cast<int>(k)];
}

/// The addresses that the lanes of one warp give to one instruction.
struct Request {
  std::uint64_t order = 0;  ///< place in the warp's program order
  std::uint32_t lanes = 0;  ///< bit l is set when lane l takes part
  std::uintptr_t address[32];

  template <typename Use>
  void each_lane(Use use) const {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) use(std::countr_zero(left));
  }
};

struct Cost {
  std::uint32_t sectors = 0;     ///< distinct aligned 32-byte pieces (global memory)
  std::uint32_t lines = 0;       ///< distinct aligned 128-byte lines (global memory)
  std::uint32_t wavefronts = 0;  ///< passes through the banks (shared memory)
  std::uint32_t ideal = 0;       ///< passes if no two lanes met in a bank
};

/// `bytes` is what each lane moves: 4, 8 or 16.
Cost global_cost(const Request& request, unsigned bytes);

/// Shared memory has 32 banks of 4 bytes. In one pass each bank gives one word, to any number of
/// lanes, so a request takes as many passes as the busiest bank has distinct words. Accesses of 8
/// bytes are served 16 lanes at a time and those of 16 bytes 8 lanes at a time; or twice as many
/// lanes, if each asks for the same as its neighbour (lane l as lane l ^ 1, or each as lane l ^ 2).
Cost shared_cost(const Request& request, unsigned bytes);

}  // namespace simt

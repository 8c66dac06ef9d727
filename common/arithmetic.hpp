// Memory traffic of one kernel launch, in the units of the hardware's own counters.
#pragma once

#include "matrix.hpp"

#include <cstdint>

namespace ladder {

/// Pieces of a row-major matrix, each for one request, and what they touch together.
struct Pieces {
  std::uint64_t count = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
};

/// What the warps of one launch ask of the memory system. A chapter's traffic.hpp predicts it, the tracer
/// counts it, and Nsight Compute reads it from the hardware (metric names in docs/tracing.md).
///   request    one load or store instruction of one warp (at least one lane active)
///   sector     an aligned 32-byte piece of global memory that a request touches
///   line       four sectors: an aligned 128-byte piece. L1 looks up and passes one line at a time
///   wavefront  a pass through the 32 banks of shared memory; a conflict-free request of 32-bit words takes one
struct Traffic {
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;
  std::uint64_t global_load_lines = 0;
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_store_lines = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t barriers = 0;  ///< barriers completed, counted once a block
  std::uint64_t flops = 0;     ///< useful ones: two for each term of each element of C

  bool operator==(const Traffic&) const = default;

  /// So many loads of each piece from global memory.
  constexpr void load(std::uint64_t times, const Pieces& pieces) {
    global_load_requests += times * pieces.count;
    global_load_sectors += times * pieces.sectors;
    global_load_lines += times * pieces.lines;
  }
  /// One store of each piece.
  constexpr void store(const Pieces& pieces) {
    global_store_requests += pieces.count;
    global_store_sectors += pieces.sectors;
    global_store_lines += pieces.lines;
  }
};

// ---- The arithmetic from which the chapters' predictions are made.

/// Counts the aligned parts of memory, of BYTES each, that one request touches. Its lanes' words are given in
/// ascending order, as ranges of word indices in an array whose start is aligned (cudaMalloc aligns to 256 bytes).
template <int BYTES>
class Touched {
 public:
  constexpr void add(std::int64_t first_word, std::int64_t words) {
    const std::int64_t first = first_word / words_in_part, last = (first_word + words - 1) / words_in_part;
    if (last <= last_) return;
    count_ += static_cast<std::uint64_t>(last - (first > last_ ? first - 1 : last_));
    last_ = last;
  }
  constexpr std::uint64_t count() const { return count_; }

 private:
  static constexpr std::int64_t words_in_part = BYTES / 4;
  std::int64_t last_ = -1;  // the highest part counted so far
  std::uint64_t count_ = 0;
};

/// One piece of a row-major matrix with `width` columns: `rows` x `cols` elements from (row, col) on.
constexpr Pieces piece(std::int64_t width, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) {
  Touched<32> sectors;
  Touched<128> lines;
  for (std::int64_t r = row; r < row + rows; ++r) {
    sectors.add(r * width + col, cols);
    lines.add(r * width + col, cols);
  }
  return {1, sectors.count(), lines.count()};
}

/// A row-major matrix of `height` x `width` elements, cut into pieces of `rows` x `cols`; those at its lower and
/// right edge are smaller.
constexpr Pieces pieces(std::int64_t height, std::int64_t width, std::int64_t rows, std::int64_t cols) {
  Pieces all;
  for (std::int64_t row = 0; row < height; row += rows)
    for (std::int64_t col = 0; col < width; col += cols) {
      const Pieces one = piece(width, row, col, row + rows < height ? rows : height - row,
                               col + cols < width ? cols : width - col);
      all.count += one.count;
      all.sectors += one.sectors;
      all.lines += one.lines;
    }
  return all;
}

/// Wavefronts of one request of 32-bit words from shared memory: as many as the busiest of the 32 banks has
/// distinct words. `word(lane)` is the index of a lane's word, counted from the array's start, which must be
/// aligned to 32 words.
constexpr std::uint64_t wavefronts(auto word) {
  std::int64_t seen[32][32] = {};  // distinct words of each bank
  int count[32] = {}, busiest = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const std::int64_t w = word(lane);
    const int bank = static_cast<int>(w % 32);
    bool known = false;
    for (int i = 0; i < count[bank]; ++i) known |= seen[bank][i] == w;
    if (!known) seen[bank][count[bank]++] = w;
    busiest = count[bank] > busiest ? count[bank] : busiest;
  }
  return static_cast<std::uint64_t>(busiest);
}

}  // namespace ladder

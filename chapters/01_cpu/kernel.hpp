// C[M,N] = A[M,K] * B[K,N] on the CPU, in three steps: as everyone writes it (ijk), in an order that memory
// likes (ikj), and cut to fit caches and registers (blocked). All matrices are row-major and dense, so that
// element (r, c) of an R x S matrix X is X[r * S + c]. What C held before never matters.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "../../common/matrix.hpp"  // ceil_div

namespace ladder {

// [ijk]
inline void ijk(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N, std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < K; ++k)
        sum += A[i * K + k]     // row i of A: the next float
             * B[k * N + j];    // column j of B: N floats further down, another cache line for every k
      C[i * N + j] = sum;
    }
}
// [/ijk]

// [ikj]
inline void ikj(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N, std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i) {
    float* c = C + i * N;                    // row i of C, N floats: the sums live here now, not in a register
    std::fill(c, c + N, 0.0f);
    for (std::int64_t k = 0; k < K; ++k) {
      const float a = A[i * K + k];          // A[i,k]: one float for a whole row of work
      const float* b = B + k * N;            // row k of B, N floats
      for (std::int64_t j = 0; j < N; ++j)
        c[j] += a * b[j];                    // both walk along a row, and no j waits for another: a vector each
    }
  }
}
// [/ikj]

// [blocked-sizes]
namespace blocking {  // A *tile* is MR x NR of C, summed in registers. A *panel* is what a tile reads of A or of B.
using std::int64_t;
#if defined(__AVX512F__)
constexpr int64_t W = 16, MR = 14;  // floats in a vector; rows in a tile: 14*2 sums + 2 of B + 1 of A, of 32 registers
#elif defined(__AVX__)
constexpr int64_t W = 8, MR = 6;    // 6*2 sums + 2 of B + 1 of A, of 16 registers
#else
constexpr int64_t W = 4, MR = 6;    // likewise (SSE)
#endif
constexpr int64_t NR = 2 * W;       // columns in a tile: each float of A that is loaded feeds two vectors
constexpr int64_t KC = W == 16 ? 256 : 384;  // K is cut into chunks of at most KC: a panel of B, KC*NR floats or at
                                    // most 32 KiB, stays in L1, and a block of panels of A in L2, while they are reused
using vec [[gnu::vector_size(4 * W), gnu::may_alias]] = float;                            // aligned: in panels
using vec_anywhere [[gnu::vector_size(4 * W), gnu::may_alias, gnu::aligned(4)]] = float;  // unaligned: in C
struct alignas(64) Line { float x[16]; };  // panels are allocated in cache lines, hence begin on one
// [/blocked-sizes]
// [blocked-tile]
/// One tile, C[rows,cols] = (add ? C : 0) + a * b.  a: panel of A, [kc][MR]; b: panel of B, [kc][NR];
/// C: top left of the tile, row-major, N floats from row to row; rows <= MR, cols <= NR.
inline void tile(const float* a, const float* b, float* C, int64_t N, int64_t kc, int64_t rows, int64_t cols,
                 bool add) {
  for (int64_t i = 0; i < rows; ++i) __builtin_prefetch(C + i * N);  // row i of the tile: on its way while we sum
  vec sum[MR][2] = {};                                      // the tile, [MR][NR], in registers from here to the stores
  for (int64_t k = 0; k < kc; ++k, a += MR, b += NR) {      // a, b: step k of each panel, read front to back
    const vec b0 = *(const vec*)b, b1 = *(const vec*)(b + W);  // B[k, 0..W) and B[k, W..NR)
#pragma GCC unroll 16
    for (int64_t i = 0; i < MR; ++i) {
      sum[i][0] += a[i] * b0;                               // a[i]: A[i,k], one float, broadcast to W lanes
      sum[i][1] += a[i] * b1;
    }
  }
  const bool whole = rows == MR && cols == NR;
  float edge[MR * NR];                                      // a tile that hangs over C's edge lands here, [MR][NR],
  float* out = whole ? C : edge;                            // and only its rows x cols are copied on
  const int64_t ld = whole ? N : NR;                        // floats from row to row of out
#pragma GCC unroll 16
  for (int64_t i = 0; i < MR; ++i)
    for (int64_t v = 0; v < 2; ++v) {
      vec_anywhere& o = *(vec_anywhere*)(out + i * ld + v * W);  // row i, columns v*W .. v*W+W-1, at any address
      o = whole && add ? o + sum[i][v] : sum[i][v];
    }
  if (!whole)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)                    // element (i, j) of the tile, in C and in edge
        C[i * N + j] = (add ? C[i * N + j] : 0.0f) + edge[i * NR + j];
}
// [/blocked-tile]
}  // namespace blocking

// [blocked-loops]
inline void blocked(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N, std::int64_t K) {
  using namespace blocking;
  const int64_t chunks = std::max<int64_t>(1, ceil_div(K, KC));        // K = 0: one empty chunk, which writes zeros
  const int64_t depth = ceil_div(K, chunks);                           // equal chunks: K = KC + 1 is not KC and 1
  const int64_t a_panels = ceil_div(M, MR), b_panels = ceil_div(N, NR);
  const auto a_lines = std::make_unique_for_overwrite<Line[]>(ceil_div(a_panels * depth * MR, 16));
  const auto b_lines = std::make_unique_for_overwrite<Line[]>(ceil_div(b_panels * depth * NR, 16));
  float* PA = (float*)a_lines.get();                                   // one chunk of A, [a_panels][kc][MR]
  float* PB = (float*)b_lines.get();                                   // one chunk of B, [b_panels][kc][NR]
  int64_t tm = 32, tn = 8;               // a task: tm x tn tiles of C; smaller if that is too few for every thread
  while (tm * tn > 1 && ceil_div(a_panels, tm) * ceil_div(b_panels, tn) < 8 * omp_get_max_threads())
    (tm > tn ? tm : tn) /= 2;
#pragma omp parallel if (M * N * K > 64 * 64 * 64)                     // below, waking threads costs more
  for (int64_t k0 = 0, c = 0; c < chunks; ++c, k0 += depth) {
    const int64_t kc = std::min(depth, K - k0);                        // this chunk: k0 <= k < k0 + kc
#pragma omp for schedule(dynamic) nowait
    for (int64_t p = 0; p < a_panels; ++p)                             // panel p: rows p*MR .. of A, transposed;
      for (int64_t i = 0; i < MR; ++i)                                 // rows below A's last are zeros
        for (int64_t k = 0; k < kc; ++k)
          PA[(p * kc + k) * MR + i] = p * MR + i < M ? A[(p * MR + i) * K + k0 + k] : 0.0f;
#pragma omp for schedule(dynamic)                                      // ends in a barrier: all is packed
    for (int64_t q = 0; q < b_panels; ++q)                             // panel q: columns q*NR .. of B;
      for (int64_t k = 0; k < kc; ++k)                                 // columns right of B's last are zeros
        for (int64_t j = 0; j < NR; ++j)
          PB[(q * kc + k) * NR + j] = q * NR + j < N ? B[(k0 + k) * N + q * NR + j] : 0.0f;
#pragma omp for collapse(2) schedule(dynamic)                          // and here: nobody reads the panels any more
    for (int64_t q0 = 0; q0 < b_panels; q0 += tn)
      for (int64_t p0 = 0; p0 < a_panels; p0 += tm)
        for (int64_t q = q0; q < std::min(q0 + tn, b_panels); ++q)     // panel q of B stays in L1 ...
          for (int64_t p = p0; p < std::min(p0 + tm, a_panels); ++p)   // ... while tm panels of A pass, from L2
            tile(PA + p * kc * MR, PB + q * kc * NR, C + p * MR * N + q * NR, N, kc,
                 std::min(MR, M - p * MR), std::min(NR, N - q * NR), c > 0);  // c = 0 overwrites, later chunks add
  }
}
// [/blocked-loops]

}  // namespace ladder

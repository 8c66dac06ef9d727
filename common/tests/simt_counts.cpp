// The tracer counts what the hardware counts.
#include <doctest/doctest.h>

#include <vector>

#include "simt_kernels.cuh"

using ladder::Traffic;
using probe::Ways;
using simt::Buffer;
using simt::Report;
using T = simt::Counted<float>;

namespace {

/// C = A * B by one kernel on small whole numbers, whose product is exact. `right` says whether C
/// was.
struct Run {
  Report report;
  bool right = true;
};

template <typename Kernel>
Run multiply(int M, int N, int K, dim3 grid, dim3 block, Kernel kernel,
             simt::Options options = {}) {
  Buffer<float> A("A", M, K, simt::input), B("B", K, N, simt::input), C("C", M, N, simt::output);
  for (int i = 0; i < M * K; ++i) A.raw()[i] = float(i * 7 % 11 - 5);
  for (int i = 0; i < K * N; ++i) B.raw()[i] = float(i * 5 % 13 - 6);
  Run run;
  run.report =
      simt::trace({grid, block}, options, [&] { kernel(A.data(), B.data(), C.data(), M, N, K); });
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < N; ++col) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += A(row, k) * B(k, col);
      run.right &= sum == C(row, col);
    }
  return run;
}

constexpr int N = 64;
constexpr std::uint64_t products = std::uint64_t{N} * N * N / 32;  // warp-wide multiplications
constexpr std::uint64_t stores = std::uint64_t{N} * N / 32;

/// A kernel on an N^3 problem with square blocks, which has to be clean and right.
template <typename Kernel>
Traffic cube(int side, Kernel kernel) {
  const unsigned blocks = unsigned(N / side), threads = unsigned(side);
  const Run run = multiply(N, N, N, {blocks, blocks}, {threads, threads}, kernel);
  INFO(run.report.text());
  CHECK(run.report.clean());
  CHECK(run.right);
  return run.report.total;
}

}  // namespace

// The hardware's counters at 1024^3, scaled to N: see the table of counters in docs.
TEST_CASE("simt: naive kernels") {
  const Traffic naive16 = cube(16, [](auto... x) { probe::naive<T>(x...); });
  CHECK(naive16.global_load_requests == 2 * products);
  CHECK(naive16.global_load_sectors == (2 + 2) * products);
  CHECK(naive16.global_store_requests == stores);
  CHECK(naive16.global_store_sectors == 4 * stores);
  CHECK(naive16.barriers == 0);

  CHECK(cube(32, [](auto... x) { probe::naive<T>(x...); }).global_load_sectors ==
        (1 + 4) * products);
  CHECK(cube(16, [](auto... x) { probe::swapped<T>(x...); }).global_load_sectors ==
        (16 + 1) * products);
  CHECK(cube(32, [](auto... x) { probe::swapped<T>(x...); }).global_load_sectors ==
        (32 + 1) * products);
}

TEST_CASE("simt: tiled kernels") {
  const Traffic tiled16 = cube(16, [](auto... x) { probe::tiled<T, 16>(x...); });
  CHECK(tiled16.global_load_requests == 2 * products / 16);
  CHECK(tiled16.global_load_sectors == 8 * products / 16);
  CHECK(tiled16.shared_store_requests == 2 * products / 16);
  CHECK(tiled16.shared_store_wavefronts == 2 * products / 16);
  CHECK(tiled16.shared_load_requests == 2 * products);
  CHECK(tiled16.shared_load_wavefronts == 2 * products);
  CHECK(tiled16.barriers == std::uint64_t(N / 16) * (N / 16) * (N / 16) * 2);

  const Traffic tiled32 = cube(32, [](auto... x) { probe::tiled<T, 32>(x...); });
  CHECK(tiled32.global_load_requests == 2 * products / 32);
  CHECK(tiled32.global_load_sectors == 8 * products / 32);
  CHECK(tiled32.shared_store_wavefronts == 2 * products / 32);
  CHECK(tiled32.shared_load_wavefronts == 2 * products);
}

TEST_CASE("simt: bank conflicts come and go with padding") {
  const Traffic padded16 = cube(16, [](auto... x) { probe::tiled<T, 16, 1>(x...); });
  CHECK(padded16.shared_store_wavefronts == 2 * 2 * products / 16);  // rows of 17 words collide
  CHECK(padded16.shared_load_wavefronts == 2 * products);
  const Traffic padded32 = cube(32, [](auto... x) { probe::tiled<T, 32, 1>(x...); });
  CHECK(padded32.shared_store_wavefronts == 2 * products / 32);

  const Traffic transposed = cube(32, [](auto... x) { probe::transposed<T, 32>(x...); });
  CHECK(transposed.shared_store_wavefronts == (32 + 1) * products / 32);
  CHECK(transposed.shared_load_wavefronts == 2 * products);
  const Traffic padded = cube(32, [](auto... x) { probe::transposed<T, 32, 1>(x...); });
  CHECK(padded.shared_store_wavefronts == (1 + 1) * products / 32);
}

TEST_CASE("simt: a column of a 32-word row takes 32 wavefronts, of a 33-word row one") {
  auto columns = [](auto kernel) {
    Buffer<float> A("A", 32, 32, simt::input), C("C", 32, 32, simt::output);
    const Report r = simt::trace({1, {32, 32}}, {}, [&] { kernel(A.data(), C.data(), 32); });
    CHECK(r.clean());
    return r.total.shared_load_wavefronts;
  };
  CHECK(columns([](auto... x) { probe::transpose<T, 0>(x...); }) == 32 * 32);
  CHECK(columns([](auto... x) { probe::transpose<T, 1>(x...); }) == 32);
}

TEST_CASE("simt: 128-bit accesses are served eight lanes at a time") {
  auto run = [](auto kernel) {
    Buffer<float> A("A", 1, 128, simt::input), C("C", 1, 128, simt::output);
    for (int i = 0; i < 128; ++i) A(0, i) = float(i);
    const Report r = simt::trace({1, 32}, {}, [&] { kernel(A.data(), C.data()); });
    INFO(r.text());
    CHECK(r.clean());
    for (int i = 0; i < 128; ++i) CHECK(C(0, i) == float(i + (i % 4 == 0)));
    return r.total;
  };
  const Traffic dense = run([](auto... x) { probe::vectors<T, 1>(x...); });
  CHECK(dense.global_load_requests == 1);
  CHECK(dense.global_load_sectors == 16);
  CHECK(dense.global_store_sectors == 16);
  CHECK(dense.shared_store_requests == 1);
  CHECK(dense.shared_store_wavefronts == 4);
  CHECK(dense.shared_load_wavefronts == 4);
  // 8 lanes, 32 bytes apart, want two words from each of half the banks.
  CHECK(run([](auto... x) { probe::vectors<T, 2>(x...); }).shared_load_wavefronts == 8);
}

TEST_CASE("simt: asynchronous copies count as a global load and a shared store") {
  Buffer<float> A("A", 1, 128, simt::input), C("C", 1, 128, simt::output);
  for (int i = 0; i < 128; ++i) A(0, i) = float(i + 1);
  const Report r = simt::trace({1, 32}, {}, [&] { probe::copies(A.data(), C.data()); });
  CHECK(r.clean());
  CHECK(r.total.global_load_requests == 1);
  CHECK(r.total.global_load_sectors == 16);
  CHECK(r.total.shared_store_requests == 1);
  CHECK(r.total.shared_store_wavefronts == 4);
  for (int i = 0; i < 128; ++i) CHECK(C(0, i) == (i < 126 ? float(i + 1) : 0));
}

TEST_CASE("simt: cost of single requests") {
  auto request = [](unsigned lanes, auto address) {
    simt::Request r;
    r.lanes = lanes;
    for (unsigned l = 0; l < 32; ++l) r.address[l] = 4096 + address(l);
    return r;
  };
  // Lanes, bytes from lane to lane, offset of the first: sectors and lines.
  CHECK(simt::global_cost(request(~0u, [](unsigned l) { return l * 4; }), 4).sectors == 4);
  CHECK(simt::global_cost(request(~0u, [](unsigned l) { return l * 4; }), 4).lines == 1);
  CHECK(simt::global_cost(request(~0u, [](unsigned l) { return l * 4 + 4; }), 4).sectors == 5);
  CHECK(simt::global_cost(request(~0u, [](unsigned l) { return l * 4 + 4; }), 4).lines == 2);
  CHECK(simt::global_cost(request(~0u, [](unsigned) { return 0u; }), 4).sectors == 1);
  CHECK(simt::global_cost(request(~0u, [](unsigned l) { return l * 128; }), 4).lines == 32);
  CHECK(simt::global_cost(request(1u << 7, [](unsigned l) { return l * 4; }), 4).sectors == 1);
  // Shared memory: the same word is free, two words of one bank are not.
  CHECK(simt::shared_cost(request(~0u, [](unsigned) { return 0u; }), 4).wavefronts == 1);
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l * 8; }), 4).wavefronts == 2);
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l * 128; }), 4).wavefronts == 32);
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l * 8; }), 8).wavefronts == 2);
  // Groups of lanes do not share a pass, even where they want the same words ...
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l % 16 * 8; }), 8).wavefronts == 2);
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l % 8 * 16; }), 16).wavefronts == 4);
  // ... unless neighbours agree. The hardware takes two passes for a 128-bit load of one address,
  // and as many for one address in each half of the warp: see the tiled kernels' counters in docs.
  CHECK(simt::shared_cost(request(~0u, [](unsigned) { return 0u; }), 8).wavefronts == 1);
  CHECK(simt::shared_cost(request(~0u, [](unsigned) { return 0u; }), 16).wavefronts == 2);
  CHECK(simt::shared_cost(request(~0u, [](unsigned l) { return l / 16 * 64; }), 16).wavefronts ==
        2);
  CHECK(simt::shared_cost(request(0xff, [](unsigned l) { return l * 16; }), 16).wavefronts == 1);
  CHECK(simt::shared_cost(request(0x0f0, [](unsigned l) { return l * 16; }), 16).ideal == 1);
}

TEST_CASE("simt: diverging lanes are matched as lock step matches them") {
  auto both = [](auto kernel) {
    Buffer<float> A("A", 32, 32, simt::input), B("B", 32, 32, simt::input),
        C("C", 1, 32, simt::output);
    simt::Options lock_step;
    lock_step.lock_step = true;
    const Report matched = simt::trace({1, 32}, {}, [&] { kernel(A.data(), B.data(), C.data()); });
    const Report stepped =
        simt::trace({1, 32}, lock_step, [&] { kernel(A.data(), B.data(), C.data()); });
    CHECK(matched.clean());
    CHECK(stepped.clean());
    CHECK(matched.total == stepped.total);
    return matched.total.global_load_requests;
  };
  CHECK(both([](auto... x) { probe::diverging<T, Ways::if_else>(x...); }) == 2);
  CHECK(both([](auto... x) { probe::diverging<T, Ways::trip_count_is_lane>(x...); }) == 31);
  both([](auto... x) { probe::diverging<T, Ways::nested_ragged_loops>(x...); });
  CHECK(both([](auto... x) { probe::diverging<T, Ways::every_third_leaves>(x...); }) == 300);
}

TEST_CASE("simt: ragged matrices are matched as lock step matches them") {
  simt::Options lock_step;
  lock_step.lock_step = true;
  auto tiled = [](auto... x) { probe::tiled<T, 16>(x...); };
  auto naive = [](auto... x) { probe::naive<T>(x...); };
  for (const auto [M, N, K] :
       {std::array{50, 50, 50}, {17, 33, 5}, {1, 1, 1}, {3, 40, 0}, {31, 7, 19}}) {
    const dim3 grid(unsigned(N + 15) / 16, unsigned(M + 15) / 16), block(16, 16);
    const Run matched = multiply(M, N, K, grid, block, tiled);
    CHECK(matched.right);
    CHECK(matched.report.clean());
    CHECK(matched.report.total == multiply(M, N, K, grid, block, tiled, lock_step).report.total);
    CHECK(multiply(M, N, K, grid, block, naive).report.total ==
          multiply(M, N, K, grid, block, naive, lock_step).report.total);
  }
  // Counting a lane's accesses instead of its visits to a line would give 4484 here.
  CHECK(multiply(50, 50, 50, {4, 4}, {16, 16}, tiled).report.total.global_load_sectors == 3688);
}

TEST_CASE("simt: the report does not depend on the number of cores") {
  auto run = [](unsigned threads) {
    simt::Options options;
    options.threads = threads;
    options.watch = simt::Watch{{1, 2}, 3, 10};
    return multiply(
               70, 50, 40, {4, 5}, {16, 16}, [](auto... x) { probe::tiled<T, 16>(x...); }, options)
        .report;
  };
  const Report one = run(1);
  for (unsigned threads : {2u, 3u, 7u}) {
    const Report many = run(threads);
    CHECK(many.total == one.total);
    CHECK(many.accesses == one.accesses);
    CHECK(many.text() == one.text());
    REQUIRE(many.watched.size() == 10);
    for (int i = 0; i < 10; ++i)
      CHECK(many.watched[i].lanes[5].offset == one.watched[i].lanes[5].offset);
  }
}

TEST_CASE("simt: counts stand beside their source lines") {
  const Run run =
      multiply(32, 32, 32, {2, 2}, {16, 16}, [](auto... x) { probe::tiled<T, 16>(x...); });
  const auto& lines = run.report.lines;
  REQUIRE(lines.size() == 7);
  for (const simt::LineCount& l : lines)
    CHECK(l.where.text().find("tests/simt_kernels.cuh:") != std::string::npos);
  // Both tiles are filled two lines in a row; both are read in the third line after that.
  CHECK(lines[0].array == "A");
  CHECK(lines[0].kind == simt::Kind::global_load);
  CHECK(lines[1].array == "tile_A");
  CHECK(lines[1].kind == simt::Kind::shared_store);
  CHECK(lines[2].array == "B");
  CHECK(lines[2].where.line == lines[0].where.line + 1);
  CHECK(lines[4].array == "tile_A");
  CHECK(lines[4].where.line == lines[0].where.line + 3);
  CHECK(lines[5].array == "tile_B");
  CHECK(lines[6].array == "C");
  CHECK(lines[0].requests == 2 * 32 * 32 / 32);
  CHECK(lines[0].requested_bytes == 2 * 32 * 32 * 4);
  CHECK(lines[0].moved_bytes() == 2 * 32 * 32 * 4);
  CHECK(lines[0].lines == 2 * lines[0].requests);  // a warp's two rows are 128 bytes apart
  CHECK(lines[4].conflicts() == 0);
  // Compulsory traffic: every element once.
  REQUIRE(run.report.arrays.size() == 3);
  CHECK(run.report.arrays[0].loaded_bytes == 32 * 32 * 4);
  CHECK(run.report.arrays[2].stored_bytes == 32 * 32 * 4);
  CHECK(run.report.arrays[2].loaded_bytes == 0);
}

TEST_CASE("simt: some blocks alone") {
  simt::Options sample;
  sample.only = [](simt::uint3 b) { return b.x == 1; };
  auto naive = [](auto... x) { probe::naive<T>(x...); };
  const Report part = multiply(64, 64, 64, {4, 4}, {16, 16}, naive, sample).report;
  const Report all = multiply(64, 64, 64, {4, 4}, {16, 16}, naive).report;
  CHECK(part.clean());
  CHECK(part.blocks == 4);
  CHECK(4 * part.total.global_load_sectors == all.total.global_load_sectors);
}

TEST_CASE("simt: one warp's addresses can be watched") {
  simt::Options options;
  options.watch = simt::Watch{{1, 0}, 0, 6};
  const Report r =
      multiply(
          32, 32, 32, {2, 2}, {16, 16}, [](auto... x) { probe::tiled<T, 16>(x...); }, options)
          .report;
  REQUIRE(r.watched.size() == 6);
  CHECK(r.watched[0].array == "A");
  CHECK(r.watched[0].kind == simt::Kind::global_load);
  CHECK(r.watched[1].array == "tile_A");
  CHECK(r.watched[2].array == "B");
  // Lane 17 is thread (1,1) of block (1,0).
  CHECK(r.watched[2].lanes[17].active);
  CHECK(r.watched[2].lanes[17].row == 1);
  CHECK(r.watched[2].lanes[17].col == 17);
  CHECK(r.watched[2].lanes[17].offset == (32 + 17) * 4);
  CHECK(r.watched[1].lanes[17].offset == 17 * 4);
}

TEST_CASE("simt: threads have three dimensions") {
  Buffer<float> C("C", 2 * 3 * 4, 2 * 3 * 2, simt::output);
  const dim3 grid(2, 3, 4), block(2, 3, 2);
  const Report r = simt::trace({grid, block}, {}, [&] {
    const auto b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const auto t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    C.data()[b * 12 + t] = T(int(100 * b + t));
  });
  CHECK(r.clean());
  for (int b = 0; b < 24; ++b)
    for (int t = 0; t < 12; ++t) CHECK(C(b, t) == float(100 * b + t));
}

TEST_CASE("simt: elements may have 64 bits") {
  Buffer<double> A("A", 1, 64, simt::input), C("C", 1, 64, simt::output);
  for (int i = 0; i < 64; ++i) A(0, i) = i;
  const Report r = simt::trace({1, 32}, {}, [&] {
    __shared__ simt::Counted<double> words[64];
    const int x = int(threadIdx.x);
    for (int i = x; i < 64; i += 32) words[i] = A.data()[i];
    __syncthreads();
    for (int i = x; i < 64; i += 32) C.data()[i] = words[63 - i] + 1;
  });
  INFO(r.text());
  CHECK(r.clean());
  CHECK(C(0, 5) == 59);
  CHECK(r.total.global_load_sectors == 2 * 8);
  CHECK(r.total.shared_load_wavefronts == 2 * 2);
  CHECK(r.arrays[0].loaded_bytes == 64 * 8);
}

TEST_CASE("simt: buffers start as cudaMalloc's do") {
  Buffer<float> A("A", 3, 5, simt::input), C("C", 3, 5, simt::output);
  CHECK(reinterpret_cast<std::uintptr_t>(A.data()) % 256 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(C.data()) % 256 == 0);
  CHECK(C(2, 4) != C(2, 4));  // NaN until stored
}

TEST_CASE("simt: an exception in a kernel reaches the caller") {
  auto fails = [] { throw std::runtime_error("from the kernel"); };
  CHECK_THROWS_WITH(simt::trace({4, 64}, {}, fails), "from the kernel");
}

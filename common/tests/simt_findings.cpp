// Every kind of fault is found and named, and the clean twin of each kernel has no finding at all.
#include <doctest/doctest.h>

#include <cmath>

#include "simt_broken.cuh"
#include "simt_kernels.cuh"

using simt::Buffer;
using simt::Fault;
using simt::Finding;
using simt::Report;
using T = simt::Counted<float>;

namespace {

/// The tiled kernel on an M x N x K problem.
template <int TILE, broken::Tiled fault>
Report run_tiled(int M, int N, int K, simt::Options options = {}) {
  Buffer<float> A("A", M, K, simt::input), B("B", K, N, simt::input), C("C", M, N, simt::output);
  const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), block(TILE, TILE);
  return simt::trace({grid, block}, options,
                     [&] { broken::tiled<T, TILE, fault>(A.data(), B.data(), C.data(), M, N, K); });
}

/// A kernel on one row of A and one of C.
template <typename Kernel>
Report run_row(int size, dim3 grid, dim3 block, Kernel kernel, simt::Options options = {}) {
  Buffer<float> A("A", 1, size, simt::input), C("C", 1, size, simt::output);
  for (int i = 0; i < size; ++i) A(0, i) = float(i);
  return simt::trace({grid, block}, options, [&] { kernel(A.data(), C.data()); });
}

int faults(const Report& r) { return int(r.findings.size()); }

#define CHECK_CLEAN(report)      \
  do {                           \
    const Report& r_ = (report); \
    INFO(r_.text());             \
    CHECK(r_.clean());           \
  } while (false)

}  // namespace

TEST_CASE("simt: correct kernels have no findings") {
  CHECK_CLEAN((run_tiled<16, broken::Tiled::clean>(64, 64, 64)));
  CHECK_CLEAN((run_tiled<16, broken::Tiled::clean>(50, 37, 23)));
  CHECK_CLEAN((run_tiled<4, broken::Tiled::clean>(1, 1, 1)));
  CHECK_CLEAN((run_tiled<4, broken::Tiled::clean>(5, 3, 0)));
}

TEST_CASE("simt: thousands of barriers raise no false alarm") {
  CHECK_CLEAN((run_tiled<4, broken::Tiled::clean>(8, 8, 8192)));
}

TEST_CASE("simt: epochs are never taken for one another, however far apart") {
  for (int barriers : {1, 255, 256, 1023, 1024, 65535, 65536})
    CHECK_CLEAN(run_row(33, 1, 33, [=](auto* A, auto* C) { broken::long_after(A, C, barriers); }));
}

TEST_CASE("simt: a missing barrier before use is a read after write, with both threads") {
  const Report r = run_tiled<16, broken::Tiled::no_first_barrier>(32, 32, 32);
  const Finding* f = r.find(Fault::read_after_write);
  REQUIRE(f != nullptr);
  CHECK(f->where.text().find("simt_broken.cuh:") != std::string::npos);
  CHECK(f->where.line != f->other_where.line);
  CHECK((f->who.block == simt::uint3{0, 0, 0}));
  CHECK_FALSE(f->who == f->other_who);
  CHECK(f->array.substr(0, 5) == "tile_");
  CHECK(f->does == "loaded");
  CHECK(f->other_does == "stored");
  CHECK(f->where.line > f->other_where.line);
  CHECK(faults(r) == 2);  // tile_A and tile_B; neither is called uninitialised as well
}

TEST_CASE("simt: a missing barrier before reuse is a write after read") {
  const Report r = run_tiled<16, broken::Tiled::no_second_barrier>(32, 32, 32);
  REQUIRE(r.find(Fault::write_after_read) != nullptr);
  CHECK(faults(r) == 2);
  // A single tile is never reused.
  CHECK_CLEAN((run_tiled<16, broken::Tiled::no_second_barrier>(32, 32, 16)));
}

TEST_CASE("simt: elements are named by their indices") {
  const Report r = run_tiled<16, broken::Tiled::column_not_stored>(16, 16, 16);
  const Finding* f = r.find(Fault::uninitialised_read);
  REQUIRE(f != nullptr);
  CHECK(f->element == "tile_A[0][3]");
  CHECK(f->count == 256);
  CHECK(faults(r) == 1);
}

TEST_CASE("simt: barriers that not all threads reach are reported and do not hang") {
  const Report two = run_tiled<16, broken::Tiled::barrier_in_two_branches>(32, 32, 32);
  const Finding* f = two.find(Fault::barrier_mismatch);
  REQUIRE(f != nullptr);
  CHECK(f->other_where.line == f->where.line + 2);
  CHECK(f->who.thread.y < 8);
  CHECK(f->other_who.thread.y >= 8);

  const Report returned = run_tiled<16, broken::Tiled::return_before_barrier>(20, 20, 20);
  f = returned.find(Fault::barrier_not_reached);
  REQUIRE(f != nullptr);
  CHECK(f->other_who.thread == simt::uint3{4, 0, 0});
  CHECK_CLEAN((run_tiled<16, broken::Tiled::return_before_barrier>(32, 32, 20)));
}

TEST_CASE("simt: lanes of a warp are not in step") {
  using enum broken::Between;
  auto run = [](auto kernel) { return run_row(64, 1, 64, kernel); };
  CHECK(run([](auto... x) { broken::neighbours<T, nothing>(x...); }).find(Fault::read_after_write));
  CHECK_CLEAN(run([](auto... x) { broken::neighbours<T, warp_sync>(x...); }));
  CHECK_CLEAN(run([](auto... x) { broken::neighbours<T, barrier>(x...); }));
  CHECK(run([](auto... x) {
          broken::far_neighbours<T, nothing>(x...);
        }).find(Fault::read_after_write));
  CHECK(run([](auto... x) {
          broken::far_neighbours<T, warp_sync>(x...);
        }).find(Fault::read_after_write));
  CHECK_CLEAN(run([](auto... x) { broken::far_neighbours<T, barrier>(x...); }));
}

TEST_CASE("simt: a thread's own load does not hide those of others") {
  auto run = [](auto kernel) { return run_row(64, 1, 64, kernel); };
  const Report r = run([](auto... x) { broken::last_reader_stores<T, false>(x...); });
  REQUIRE(r.find(Fault::write_after_read) != nullptr);
  CHECK(r.find(Fault::write_after_read)->who.thread.x == 63);
  CHECK_CLEAN(run([](auto... x) { broken::last_reader_stores<T, true>(x...); }));
}

TEST_CASE("simt: storing the same value from many threads is a race all the same") {
  const Report r = run_row(64, 1, 64, [](auto*, auto* C) { broken::same_value<T, false>(C); });
  REQUIRE(r.find(Fault::write_after_write) != nullptr);
  CHECK(r.find(Fault::write_after_write)->element == "word[0]");
  CHECK_CLEAN(run_row(64, 1, 64, [](auto*, auto* C) { broken::same_value<T, true>(C); }));
}

TEST_CASE("simt: two blocks may not store one word") {
  const Report r = run_row(48, 2, 32, [](auto*, auto* C) { broken::striding(C, 16, 48); });
  const Finding* f = r.find(Fault::blocks_store);
  REQUIRE(f != nullptr);
  CHECK(f->count == 16);
  CHECK(f->element == "row 0, column 16 of C");
  CHECK(f->who == simt::ThreadId{{0, 0, 0}, {16, 0, 0}});
  CHECK(f->other_who == simt::ThreadId{{1, 0, 0}, {0, 0, 0}});
  CHECK(faults(r) == 1);
  CHECK_CLEAN(run_row(48, 2, 32, [](auto*, auto* C) { broken::striding(C, 32, 48); }));
}

TEST_CASE("simt: two threads of a block may not store one global word") {
  const Report r = run_row(32, 1, 64, [](auto*, auto* C) { C[threadIdx.x % 32] = T(1); });
  REQUIRE(r.find(Fault::write_after_write) != nullptr);
  CHECK(r.find(Fault::write_after_write)->count == 32);
  CHECK_CLEAN(run_row(32, 1, 64, [](auto*, auto* C) {
    if (threadIdx.x < 32) C[threadIdx.x] = T(1);
  }));
}

TEST_CASE("simt: a block may not load what another stores") {
  const Report r =
      run_row(64, 2, 32, [](auto*, auto* C) { broken::reads_other_block<T, false>(C); });
  const Finding* f = r.find(Fault::blocks_load_store);
  REQUIRE(f != nullptr);
  CHECK(f->who.block == simt::uint3{1, 0, 0});
  CHECK(f->other_who.block == simt::uint3{0, 0, 0});
  CHECK_CLEAN(run_row(64, 2, 32, [](auto*, auto* C) { broken::reads_other_block<T, true>(C); }));
}

TEST_CASE("simt: outputs are born uninitialised") {
  const Report r = run_row(32, 1, 32, [](auto* A, auto* C) { broken::accumulates(A, C); });
  REQUIRE(r.find(Fault::uninitialised_read) != nullptr);
  CHECK(r.find(Fault::uninitialised_read)->count == 32);
  CHECK(r.find(Fault::uninitialised_read)->element == "row 0, column 0 of C");

  Buffer<float> A("A", 1, 32, simt::input), C("C", 1, 32, simt::output);
  for (int i = 0; i < 32; ++i) C(0, i) = 1;
  C.mark_initialised();
  CHECK_CLEAN(simt::trace({1, 32}, {}, [&] { broken::accumulates(A.data(), C.data()); }));
}

TEST_CASE("simt: what one launch has stored the next may read") {
  Buffer<float> A("A", 1, 32, simt::input), C("C", 1, 32, simt::output);
  CHECK_CLEAN(simt::trace({1, 32}, {}, [&] { broken::striding(C.data(), 32, 32); }));
  CHECK_CLEAN(simt::trace({1, 32}, {}, [&] { broken::accumulates(A.data(), C.data()); }));
}

TEST_CASE("simt: elements never written are counted and the first is named") {
  // The grid is rounded down: rows 16 to 19 and columns 16 to 19 are nobody's.
  Buffer<float> A("A", 20, 20, simt::input), B("B", 20, 20, simt::input),
      C("C", 20, 20, simt::output);
  const Report r = simt::trace({{1, 1}, {16, 16}}, {},
                               [&] { probe::naive<T>(A.data(), B.data(), C.data(), 20, 20, 20); });
  const Finding* f = r.find(Fault::never_written);
  REQUIRE(f != nullptr);
  CHECK(f->count == 400 - 256);
  CHECK(f->element == "row 0, column 16 of C");
  CHECK(faults(r) == 1);
}

TEST_CASE("simt: stores outside the matrix are found and dropped") {
  const Report r = run_tiled<16, broken::Tiled::no_guard_on_store>(20, 32, 16);
  const Finding* f = r.find(Fault::out_of_bounds);
  REQUIRE(f != nullptr);
  CHECK(f->element == "row 20, column 0 of C");
  CHECK(f->who == simt::ThreadId{{0, 1, 0}, {0, 4, 0}});
  CHECK(f->count == 12 * 32);
}

TEST_CASE("simt: out-of-bounds loads read NaN") {
  Buffer<float> A("A", 4, 8, simt::input), C("C", 1, 1, simt::output);
  for (const int row : {4, -1, 1 << 20}) {
    const Report r =
        simt::trace({1, 1}, {}, [&] { broken::element<T, int>(A.data(), C.data(), row, 8); });
    REQUIRE(r.find(Fault::out_of_bounds) != nullptr);
    CHECK(r.find(Fault::out_of_bounds)->array == "A");
    CHECK(std::isnan(C(0, 0)));
  }
  CHECK_CLEAN(simt::trace({1, 1}, {}, [&] { broken::element<T, int>(A.data(), C.data(), 3, 8); }));
  T* nothing = nullptr;
  const Report wild =
      simt::trace({1, 1}, {}, [&] { broken::element<T, int>(nothing, C.data(), 3, 8); });
  CHECK(wild.find(Fault::out_of_bounds) != nullptr);
}

TEST_CASE("simt: an index that 32 bits cannot hold is named for what it is") {
  // 12 GiB of address space, of which one page is touched.
  Buffer<float> A("A", 3 << 14, 1 << 16, simt::input), C("C", 1, 1, simt::output);
  auto run = [&](auto row) {
    using Index = decltype(row);
    return simt::trace({1, 1}, {},
                       [&] { broken::element<T, Index>(A.data(), C.data(), row, Index(1 << 16)); });
  };
  const Report r = run(int{40000});
  const Finding* f = r.find(Fault::index_overflow);
  REQUIRE(f != nullptr);
  CHECK(f->note.find("row 40000, column 0") != std::string::npos);
  CHECK_CLEAN(run(std::int64_t{40000}));
}

TEST_CASE("simt: a vector access over the end of an array names the first word outside") {
  Buffer<float> A("A", 1, 126, simt::input), C("C", 1, 128, simt::output);
  const Report r = simt::trace({1, 32}, {}, [&] { broken::vectors<T, 16>(A.data(), C.data()); });
  const Finding* f = r.find(Fault::out_of_bounds);
  REQUIRE(f != nullptr);
  CHECK(f->who.thread.x == 31);
  CHECK(f->element == "row 1, column 0 of A");
}

TEST_CASE("simt: running off a shared array is out of bounds") {
  auto run = [](int last) {
    return run_row(32, 1, 32, [last](auto* A, auto* C) { broken::overruns_shared(A, C, last); });
  };
  CHECK(run(8).find(Fault::out_of_bounds) != nullptr);
  CHECK(run(-1).find(Fault::out_of_bounds) != nullptr);
  CHECK_CLEAN(run(7));
}

TEST_CASE("simt: dynamic shared memory has the size of the launch") {
  auto run = [](std::size_t bytes) {
    Buffer<float> C("C", 1, 32, simt::output);
    return simt::trace({1, 32, bytes}, {}, [&] {
      T* words = dynamic_shared<T>();
      words[threadIdx.x] = T(1);
      __syncthreads();
      C.data()[threadIdx.x] = words[31 - threadIdx.x];
    });
  };
  const Report r = run(31 * 4);
  REQUIRE(r.find(Fault::out_of_bounds) != nullptr);
  CHECK(r.find(Fault::out_of_bounds)->element == "word 31 of dynamic shared memory");
  CHECK_CLEAN(run(32 * 4));
}

TEST_CASE("simt: an overrun into the next row needs to know who may go where") {
  simt::Options options;
  options.allowed =
      [](const simt::Touch& t) {  // A: rows of the block, and columns of its present tile
        return t.array.name() != "A" || (t.row / 16 == t.block.y && t.row % 16 == t.thread.y);
      };
  // K = 20: the second tile's columns 20 to 31 are columns 0 to 11 of the next row.
  const Report blind = run_tiled<16, broken::Tiled::no_guard_on_K>(16, 16, 20);
  CHECK(blind.find(Fault::outside_footprint) == nullptr);
  const Report r = run_tiled<16, broken::Tiled::no_guard_on_K>(16, 16, 20, options);
  const Finding* f = r.find(Fault::outside_footprint);
  REQUIRE(f != nullptr);
  CHECK(f->element == "row 1, column 0 of A");
  CHECK(f->who.thread == simt::uint3{4, 0, 0});
  CHECK_CLEAN((run_tiled<16, broken::Tiled::clean>(16, 16, 20, options)));
}

TEST_CASE("simt: misaligned vector accesses are found") {
  auto run = [](auto kernel) { return run_row(128, 1, 32, kernel); };
  const Report r = run([](auto... x) { broken::vectors<T, 17>(x...); });
  const Finding* f = r.find(Fault::misaligned);
  REQUIRE(f != nullptr);
  CHECK(f->element == "tile[1][0]");
  CHECK_CLEAN(run([](auto... x) { broken::vectors<T, 16>(x...); }));
  CHECK_CLEAN(run([](auto... x) { broken::vectors<T, 20>(x...); }));
}

TEST_CASE("simt: an input is not to be stored to") {
  Buffer<float> A("A", 1, 32, simt::input);
  const Report r = simt::trace({1, 32}, {}, [&] { broken::striding(A.data(), 32, 32); });
  CHECK(r.find(Fault::store_to_input) != nullptr);
  CHECK(A(0, 0) == 0);
}

TEST_CASE("simt: asynchronous copies arrive when waited for") {
  using enum broken::Copy;
  auto run = [](auto kernel) { return run_row(64, 1, 64, kernel); };
  CHECK_CLEAN(run([](auto... x) { broken::copies<T, clean>(x...); }));
  CHECK(run([](auto... x) { broken::copies<T, no_wait>(x...); }).find(Fault::pending_read));
  CHECK(run([](auto... x) {
          broken::copies<T, wait_for_wrong_batch>(x...);
        }).find(Fault::pending_read));
  CHECK(run([](auto... x) { broken::copies<T, no_barrier>(x...); }).find(Fault::read_after_write));
}

TEST_CASE("simt: shuffles move values, and all lanes of the mask must come") {
  Buffer<float> A("A", 1, 32, simt::input), C("C", 1, 32, simt::output);
  for (int i = 0; i < 32; ++i) A(0, i) = float(i);
  CHECK_CLEAN(simt::trace({1, 32}, {}, [&] { broken::shuffles<T, true>(A.data(), C.data()); }));
  CHECK(C(0, 0) == 31 * 32 / 2);
  CHECK(C(0, 31) == 31 * 32 / 2);
  const Report r =
      simt::trace({1, 32}, {}, [&] { broken::shuffles<T, false>(A.data(), C.data()); });
  CHECK(r.find(Fault::warp_sync_mismatch) != nullptr);
}

TEST_CASE("simt: every shuffle takes from the lane that CUDA says") {
  Buffer<float> C("C", 6, 32, simt::output);
  CHECK_CLEAN(simt::trace({1, 32}, {}, [&] {
    const int lane = int(threadIdx.x);
    C.data()[lane] = T(__shfl_sync(~0u, lane, 5));
    C.data()[32 + lane] = T(__shfl_sync(~0u, lane, 5, 4));
    C.data()[64 + lane] = T(__shfl_up_sync(~0u, lane, 3));
    C.data()[96 + lane] = T(__shfl_down_sync(~0u, lane, 3, 8));
    C.data()[128 + lane] = T(__shfl_xor_sync(~0u, lane, 6));
    C.data()[160 + lane] = T(__shfl_xor_sync(~0u, lane, 4, 4));
  }));
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(C(0, lane) == 5);
    CHECK(C(1, lane) == lane / 4 * 4 + 1);
    CHECK(C(2, lane) == (lane < 3 ? lane : lane - 3));
    CHECK(C(3, lane) == (lane % 8 + 3 < 8 ? lane + 3 : lane));
    CHECK(C(4, lane) == (lane ^ 6));
    CHECK(C(5, lane) == (lane < 4 || lane % 8 < 4 ? lane : lane - 4));
  }
}

TEST_CASE("simt: launches that no hardware takes are refused") {
  auto refused = [](dim3 grid, dim3 block, std::size_t dynamic_bytes = 0) {
    bool ran = false;
    const Report r = simt::trace({grid, block, dynamic_bytes}, {}, [&] { ran = true; });
    return r.find(Fault::launch_limits) != nullptr && !ran;
  };
  CHECK(refused(1, {32, 33}));
  CHECK(refused(1, {1, 1, 65}));
  CHECK(refused(1, 0));
  CHECK(refused(0, 32));
  CHECK(refused({1, 65536}, 1));
  CHECK(refused({1, 1, 65536}, 1));
  CHECK(refused(1, 1, (48 << 10) + 1));
  CHECK_FALSE(refused(1, {32, 32}, 48 << 10));
  CHECK_FALSE(refused(1, {1, 1, 64}));
}

TEST_CASE("simt: static and dynamic shared memory count together") {
  auto run = [](std::size_t dynamic_bytes) {
    Buffer<float> A("A", 1, 32, simt::input), C("C", 1, 32, simt::output);
    return simt::trace({1, 32, dynamic_bytes}, {},
                       [&] { broken::overruns_shared(A.data(), C.data(), 7); });
  };
  CHECK(run((48 << 10) - 31).find(Fault::launch_limits) != nullptr);
  CHECK_CLEAN(run((48 << 10) - 32));
}

TEST_CASE("an accumulator that is never set makes the result NaN") {
  Buffer<float> A("A", 1, 32, simt::input), C("C", 1, 32, simt::output);
  for (int i = 0; i < 32; ++i) A(0, i) = 1;
  const auto sum = [&](bool set) {
    simt::trace({1, 32}, {}, [&] {
      T total;
      if (set) total = 0;
      total += A.data()[simt::threadIdx.x];
      C.data()[simt::threadIdx.x] = total;
    });
    return C(0, 7);
  };
  CHECK(sum(true) == 1);
  CHECK(std::isnan(sum(false)));
}

TEST_CASE("simt: findings do not depend on the number of cores") {
  auto text = [](auto run) {
    simt::Options one, many;
    one.threads = 1;
    many.threads = 5;
    const std::string alone = run(one).text();
    for (int i = 0; i < 3; ++i) CHECK(run(many).text() == alone);
  };
  text([](auto o) { return run_tiled<16, broken::Tiled::no_first_barrier>(60, 60, 60, o); });
  text([](auto o) { return run_tiled<16, broken::Tiled::barrier_in_two_branches>(60, 60, 60, o); });
  text([](auto o) { return run_tiled<16, broken::Tiled::no_guard_on_store>(60, 60, 60, o); });
  text([](auto o) {
    return run_row(
        160, 9, 32, [](auto*, auto* C) { broken::striding(C, 16, 160); }, o);
  });
}

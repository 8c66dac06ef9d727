// The GPU side of the harness: its checks must see faults that kernels really make.
#include "gpu.hpp"
#include "launch.cuh"
#include "run.hpp"

#include <doctest/doctest.h>

using namespace ladder;

namespace {

/// What a faulty kernel below does beside computing the product.
enum class Fault { none, writes_before, writes_after, reads_after, skips_last_row, writes_nothing, illegal_address };

__global__ void faulty(const float* A, const float* B, float* C, int M, int N, int K, Fault fault) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N || fault == Fault::writes_nothing) return;
  if (fault == Fault::skips_last_row && row == M - 1) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  if (fault == Fault::reads_after) sum += 0 * A[M * K];
  C[row * N + col] = sum;
  if (fault == Fault::writes_before) C[-1] = 0;
  if (fault == Fault::writes_after) C[M * N] = 0;
  if (fault == Fault::illegal_address) C[std::int64_t(1) << 45] = 0;
}

Variant with(Fault fault, unsigned edge = 16) {
  return {"faulty", Role::own,
          [=](const float* A, const float* B, float* C, const Shape& s) {
            const dim3 block(edge, edge), grid(unsigned(ceil_div(s.N, edge)), unsigned(ceil_div(s.M, edge)));
            faulty<<<grid, block>>>(A, B, C, int(s.M), int(s.N), int(s.K), fault);
            check_launch(cudaGetLastError());
          }};
}

struct Problem {
  std::unique_ptr<Machine> machine = open_gpu(0);
  Matrix A, B;
  Reference reference;
  Problem(Shape s, Fill kind = Fill::random) : A(s.M, s.K), B(s.K, s.N), reference(filled(A, kind), filled(B, kind)) {
    machine->load(A, B);
  }
  Verdict judge(const Variant& variant) { return verify(*machine, variant, reference).verdict; }

 private:
  static const Matrix& filled(Matrix& matrix, Fill kind) {
    fill(matrix, kind, 11);
    return matrix;
  }
};

}  // namespace

TEST_SUITE("device") {

TEST_CASE("faults of kernels are seen") {
  Problem problem({50, 40, 30});
  CHECK(problem.judge(with(Fault::none)).right);
  for (const auto& [fault, says] : {std::pair{Fault::writes_before, "1 words before its start"},
                                    {Fault::writes_after, "1 words after its end"},
                                    {Fault::reads_after, "NaN"},
                                    {Fault::skips_last_row, "the last 1 rows"},
                                    {Fault::writes_nothing, "never written"}}) {
    problem.machine->load(problem.A, problem.B);  // whole guard bands again
    const Verdict verdict = problem.judge(with(fault));
    CHECK_FALSE(verdict.right);
    CHECK_MESSAGE(verdict.message.find(says) != std::string::npos, verdict.message);
  }
}

TEST_CASE("a launch that CUDA refuses is an error at once") {
  Problem problem({50, 40, 30});
  CHECK_THROWS_AS(problem.judge(with(Fault::none, 33)), KernelError);  // 33 x 33 threads are more than 1024
}

TEST_CASE("cuBLAS is right, row-major, in plain fp32 and on dirty memory") {
  for (const Shape& shape : {Shape{37, 61, 97}, {97, 37, 61}, {1, 1, 1}, {300, 1, 7}, {5, 6, 0}, {0, 4, 4}}) {
    Problem problem(shape);
    const Verdict verdict = problem.judge(problem.machine->library());
    CAPTURE(shape.text());
    CHECK_MESSAGE(verdict.right, verdict.message);
  }
  Problem one({1, 1, 1}, Fill::random);
  Matrix a(1, 1), b(1, 1);
  a(0, 0) = 1024.5f, b(0, 0) = 1.0f;  // TF32 would make it 1024
  one.machine->load(a, b);
  one.machine->time(one.machine->library(), 1, false);
  CHECK(one.machine->result()(0, 0) == 1024.5f);
}

TEST_CASE("the ceilings are plausible: the measured one lies just below what the clock allows") {
  const MachineFacts facts = open_gpu(0)->facts();
  CHECK(facts.ceiling_flops > 0.7 * facts.limit_flops);
  CHECK(facts.ceiling_flops < 1.01 * facts.limit_flops);
  CHECK(facts.ceiling_bandwidth > 1e11);
}

// A product that takes less time than the host needs to launch it: its time must not be the host's.
TEST_CASE("a cold product takes longer than a warm one, however slow the host launches") {
  Problem problem({512, 512, 512});
  const Variant library = problem.machine->library();
  problem.machine->time(library, 10, false);
  const double warm = problem.machine->time(library, 20, false) / 20, cold = problem.machine->time(library, 20, true) / 20;
  CHECK(cold > 1.02 * warm);
}

// Last, since the context does not survive it.
TEST_CASE("an illegal address is an error of the kernel") {
  Problem problem({50, 40, 30});
  CHECK_THROWS_AS(problem.judge(with(Fault::illegal_address)), KernelError);
}

}

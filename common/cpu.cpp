#include "cpu.hpp"

#include "numbers.hpp"
#include "verify.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace ladder {
namespace {

constexpr double settle_seconds = 0.06;  // OpenBLAS spins for 2^26 cycles, 20 to 30 ms
constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // larger than any last-level cache

std::string first_value(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

double best_seconds(int times, const auto& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// A matrix on the host between guard bands.
class GuardedHostMatrix {
 public:
  GuardedHostMatrix() = default;
  explicit GuardedHostMatrix(std::int64_t elements) : words_(1, elements + 2 * guard_words) {
    ladder::poison(words_.data(), words_.size());
  }
  float* data() { return words_.data() + guard_words; }
  std::int64_t size() const { return words_.size() == 0 ? 0 : words_.size() - 2 * guard_words; }
  /// On one thread: others, woken for it, would go on spinning under the next product.
  void poison() { std::fill_n(data(), size(), std::bit_cast<float>(poison_bits)); }
  std::string damage(const char* name) {
    const std::string before = guard_damage(name, words_.data(), true);
    return before.empty() ? guard_damage(name, data() + size(), false) : before;
  }

 private:
  Matrix words_;
};

class CpuMachine : public Machine {
 public:
  CpuMachine();
  const MachineFacts& facts() const override { return facts_; }
  Variant library() override;
  double free_bytes() const override { return host_free_bytes(); }
  void load(const Matrix& A, const Matrix& B) override;
  Matrix result() override;
  std::string damage() override;
  double time(const Variant& variant, int launches, bool cold) override;

 private:
  void run(const Variant& variant) { variant.run(A_.data(), B_.data(), C_.data(), shape_); }
  /// OpenMP and OpenBLAS keep threads of their own, which go on spinning for a while after a product in case
  /// another follows. Runs a variant that follows another one until those have gone to sleep and its own are up.
  void settle(const Variant& variant);

  MachineFacts facts_;
  Shape shape_;
  GuardedHostMatrix A_, B_, C_;
  std::vector<char> flush_;
  std::string last_;                         // the variant that ran last
  std::map<std::string, double> seconds_;    // what a run of each variant took
};

CpuMachine::CpuMachine() {
  facts_.kind = "cpu";
  facts_.name = first_value("/proc/cpuinfo", "model name");
  if (facts_.name.empty()) facts_.name = "CPU";
  facts_.units = omp_get_max_threads();
  const std::string total = first_value("/proc/meminfo", "MemTotal");
  if (!total.empty()) facts_.memory_bytes = std::stod(total) * 1024;
  facts_.ceiling_flops = measure_cpu_ceiling();

  Matrix from(1, flush_bytes / sizeof(float)), to(1, flush_bytes / sizeof(float));
  poison(from.data(), from.size());
  poison(to.data(), to.size());
  const double copy = best_seconds(5, [&] {
#pragma omp parallel for
    for (std::int64_t i = 0; i < from.size(); i += 4096)
      std::memcpy(to.data() + i, from.data() + i, 4096 * sizeof(float));
  });
  facts_.ceiling_bandwidth = 2.0 * flush_bytes / copy;
  facts_.headline = format("%s, %d threads\nmeasured ceilings: fp32 %.0f GFLOP/s, copy %.0f GB/s", facts_.name.c_str(),
                           facts_.units, facts_.ceiling_flops * 1e-9, facts_.ceiling_bandwidth * 1e-9);
}

Variant CpuMachine::library() {
  Variant variant{"openblas", Role::library};
#ifdef HAVE_OPENBLAS
  openblas_set_num_threads(facts_.units);
  const std::pair<std::string, std::string> core{"openblas_core", openblas_get_corename()};
  if (std::find(facts_.more.begin(), facts_.more.end(), core) == facts_.more.end()) {
    facts_.more.push_back({"openblas", openblas_get_config()});
    facts_.more.push_back(core);
    facts_.more.push_back({"openblas_threads", std::to_string(openblas_get_num_threads())});
  }
  variant.run = [](const float* A, const float* B, float* C, const Shape& s) {
    if (s.M == 0 || s.N == 0) return;
    if (s.K == 0) return void(std::fill_n(C, s.M * s.N, 0.0f));  // CBLAS demands lda >= 1
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blasint(s.M), blasint(s.N), blasint(s.K), 1.0f, A,
                blasint(s.K), B, blasint(s.N), 0.0f, C, blasint(s.N));
  };
#endif
  return variant;
}

void CpuMachine::load(const Matrix& A, const Matrix& B) {
  shape_ = {A.rows(), B.cols(), A.cols()};
  seconds_.clear();
  A_ = {}, B_ = {}, C_ = {};
  A_ = GuardedHostMatrix(A.size()), B_ = GuardedHostMatrix(B.size()), C_ = GuardedHostMatrix(shape_.M * shape_.N);
  std::copy_n(A.data(), A.size(), A_.data());
  std::copy_n(B.data(), B.size(), B_.data());
}

Matrix CpuMachine::result() {
  Matrix C(shape_.M, shape_.N);
  std::copy_n(C_.data(), C.size(), C.data());
  return C;
}

std::string CpuMachine::damage() {
  for (const auto& [name, matrix] : {std::pair{"A", &A_}, {"B", &B_}, {"C", &C_}})
    if (std::string text = matrix->damage(name); !text.empty()) return text;
  return "";
}

void CpuMachine::settle(const Variant& variant) {
  const double once = seconds_[variant.name];  // 0 before its first run
  if (last_ != variant.name && once < 1)
    for (double spent = 0; once > 0 && spent < settle_seconds; spent += once) run(variant);
  last_ = variant.name;
}

double CpuMachine::time(const Variant& variant, int launches, bool cold) {
  settle(variant);
  C_.poison();
  double seconds = 0;
  if (!cold) seconds = best_seconds(1, [&] { for (int i = 0; i < launches; ++i) run(variant); });
  for (int i = 0; cold && i < launches; ++i) {
    flush_.assign(flush_bytes, char(i));
    seconds += best_seconds(1, [&] { run(variant); });
  }
  seconds_[variant.name] = seconds / launches;
  return seconds;
}

}  // namespace

double host_free_bytes() {
  const std::string available = first_value("/proc/meminfo", "MemAvailable");
  return available.empty() ? std::numeric_limits<double>::infinity() : std::stod(available) * 1024;
}

std::unique_ptr<Machine> open_cpu() { return std::make_unique<CpuMachine>(); }

}  // namespace ladder

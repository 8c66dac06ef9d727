#include "errors.hpp"
#include "matrix.hpp"
#include "numbers.hpp"

#include <doctest/doctest.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

using namespace ladder;

namespace {

/// A file that is gone when the test ends.
struct File {
  std::string path;
  explicit File(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("shapes-" + std::to_string(getpid()) + ".csv")) {
    std::ofstream(path) << text;
  }
  ~File() { std::remove(path.c_str()); }
};

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("matrix") {

TEST_CASE("fills stay in their ranges and use them") {
  Matrix X(300, 301);
  const auto range = [&] { return std::minmax_element(X.data(), X.data() + X.size()); };
  fill(X, Fill::random, 1);
  CHECK(*range().first >= -1.0f);
  CHECK(*range().first < -0.999f);
  CHECK(*range().second < 1.0f);
  CHECK(*range().second > 0.999f);
  fill(X, Fill::unit, 1);
  CHECK(*range().first >= 0.0f);
  CHECK(*range().first < 0.001f);
  CHECK(*range().second < 1.0f);
  CHECK(*range().second > 0.999f);
  fill(X, Fill::integers, 1);
  CHECK(*range().first == -2.0f);
  CHECK(*range().second == 2.0f);
  for (std::int64_t i = 0; i < X.size(); ++i) REQUIRE(X.data()[i] == std::round(X.data()[i]));
  fill(X, Fill::zeros, 1);
  CHECK(*range().first == 0.0f);
  CHECK(*range().second == 0.0f);
}

TEST_CASE("a fill depends on its seed and not on the number of threads") {
  Matrix one(64, 64), again(64, 64), other(64, 64);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  fill(one, Fill::random, 5);
  omp_set_num_threads(7);
  fill(again, Fill::random, 5);
  omp_set_num_threads(threads);
  fill(other, Fill::random, 6);
  CHECK(std::equal(one.data(), one.data() + one.size(), again.data()));
  CHECK_FALSE(std::equal(one.data(), one.data() + one.size(), other.data()));
}

TEST_CASE("flops are counted in floating point: 2 M N K passes 2^31 at 1024 already") {
  CHECK(Shape{1024, 1024, 1024}.flops() == 2147483648.0);
  CHECK(Shape{100000, 100000, 100000}.flops() == 2e15);
}

TEST_CASE("a shapes file gives its shapes, whatever the order of its columns") {
  const File file("\xef\xbb\xbf# comment\nset,N,M,K\na, 2 ,1,3 # the first\n\nb,5,4,6\r\n");
  const std::vector<Shape> shapes = read_shapes(file.path);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0] == Shape{1, 2, 3});
  CHECK(shapes[1] == Shape{4, 5, 6});
}

TEST_CASE("a faulty shapes file is refused with its line") {
  const auto refused = [](const char* text) {
    const File file(text);
    return message([&] { read_shapes(file.path); });
  };
  CHECK(refused("M,N,K\n1,2,3\n4,x,6\n").find("line 3: N must be a whole number") != std::string::npos);
  CHECK(refused("M,N,K\n1,2\n").find("line 2: there is no K") != std::string::npos);
  CHECK(refused("M,N,K\n1,-2,3\n").find("line 2: N must be") != std::string::npos);
  CHECK(refused("M,N\n1,2\n").find("line 1: the header has no column K") != std::string::npos);
  CHECK(refused("M,N,K\n").find("lists no shape") != std::string::npos);
  CHECK(message([] { read_shapes("no/such/file.csv"); }).find("cannot read 'no/such/file.csv'") != std::string::npos);
}

TEST_CASE("numbers are whole and within their limits, or refused with the limit named") {
  CHECK(parse_dimension("-m", "0") == 0);
  CHECK(parse_dimension("-m", "2147482623") == 2147482623);
  for (const char* text : {"", "x", "1x", "1.5", "-1", "1e3", " 1", "2147482624", "99999999999999999999"})
    CHECK(message([&] { parse_dimension("-m", text); }).find("-m must be a whole number from 0 to 2147482623") == 0);
}

}

#include <cstdio>

#include "simt/simt.hpp"

template <typename T>
__global__ void saxpy(T a, const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1000;
  simt::Buffer<float> x("x", 1, n, simt::input), y("y", 1, n, simt::output);
  for (int i = 0; i < n; ++i) x(0, i) = y(0, i) = float(i);
  y.mark_initialised();  // y is read before it is written

  using T = simt::Counted<float>;
  const simt::Report report =
      simt::trace({4, 256}, {}, [&] { saxpy<T>(2, x.data(), y.data(), n); });
  std::printf("%s\ny[999] = %g\n", report.text().c_str(), y(0, 999));
  return report.clean() ? 0 : 1;
}

// main() of the tests that need a GPU: without one they end with 77, which Meson shows as SKIP.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "gpu.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  try {
    ladder::open_gpu(0);
  } catch (const ladder::NoDeviceError& error) {
    std::printf("skipped: %s\n", error.what());
    return ladder::exit_no_device;
  } catch (const ladder::EnvironmentError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return ladder::exit_environment;
  }
  return doctest::Context(argc, argv).run();
}

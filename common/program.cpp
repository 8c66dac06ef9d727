#include "program.hpp"

#include "errors.hpp"

#include <unistd.h>

#include <cstdio>
#include <new>

namespace ladder {

void progress(const std::string& text) {
  if (!isatty(STDERR_FILENO)) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
}

int end_with_exit_code(const std::string& name, const std::function<int()>& work) {
  const auto fail = [&](const char* text, int exit) {
    progress("");
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", name.c_str(), text);
    return exit;
  };
  try {
    const int exit = work();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return fail("standard output cannot be written", exit_usage);
    return exit;
  } catch (const UsageError& error) {
    return fail(error.what(), exit_usage);
  } catch (const NoDeviceError& error) {
    return fail(error.what(), exit_no_device);
  } catch (const EnvironmentError& error) {
    return fail(error.what(), exit_environment);
  } catch (const std::bad_alloc&) {
    return fail("--size: the matrices do not fit in host memory", exit_usage);
  } catch (const std::exception& error) {  // a kernel that crashed, a rate that cannot be
    return fail(error.what(), exit_wrong);
  }
}

}  // namespace ladder

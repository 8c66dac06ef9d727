// One thread of the grid: a function that can stop at a barrier and go on later.
#pragma once

#include <boost/context/fiber.hpp>
#include <exception>
#include <functional>
#include <memory>

#include "simt/counted.hpp"
#include "simt/pages.hpp"

namespace simt {

/// Runs its body again and again, once for each block, so that it is made only once a launch.
class Fiber {
 public:
  /// `stack` is the lowest address of `stack_bytes` bytes.
  Fiber(char* stack, std::function<void()> body)
      : stack_(stack),
        body_(std::move(body)),
        inside_(std::allocator_arg, Stack{stack}, [this](boost::context::fiber&& caller) {
          outside_ = std::move(caller);
          for (;;) {
            body_();
            suspend();
          }
          return std::move(outside_);
        }) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body from where it stopped to its next suspend().
  void resume() {
    stack_of_running_thread = reinterpret_cast<std::uintptr_t>(stack_);
    inside_ = std::move(inside_).resume();
    stack_of_running_thread = 0;
  }
  /// Called from inside the body.
  void suspend() { outside_ = std::move(outside_).resume(); }

 private:
  struct Stack {
    char* low;
    boost::context::stack_context allocate() {
      boost::context::stack_context context;
      context.size = stack_bytes;
      context.sp = low + stack_bytes;
      return context;
    }
    void deallocate(boost::context::stack_context&) noexcept {}
  };
  char* stack_;
  std::function<void()> body_;
  boost::context::fiber inside_, outside_;
};

}  // namespace simt

// The element type of a traced kernel: a number that reports every load and store of itself.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <cstring>
#include <type_traits>

#include "simt/where.hpp"

namespace simt {

constexpr std::size_t stack_bytes = 64 << 10;  ///< of one thread of the grid

/// Lowest address of the running thread's stack; 0 outside a launch.
inline constinit thread_local std::uintptr_t stack_of_running_thread = 0;

/// What lies on the running thread's own stack is in a register on the GPU: it is not counted.
inline bool in_register(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) - stack_of_running_thread < stack_bytes;
}

/// Counts and checks one access of one thread. Returns where to read or write, which is not `p`
/// when the access is faulty: a faulty load reads NaN and a faulty store goes nowhere, so the
/// kernel can go on.
const void* on_load(const void* p, unsigned bytes, Where where, unsigned operand);
void* on_store(void* p, unsigned bytes, Where where);

template <typename U>
concept Number = std::is_arithmetic_v<U>;

/// A float (or int, double) of a traced kernel. It behaves like F.
///
/// How an access learns its source line: a conversion or a copy may have a default argument, and
/// `Where::current()` as a default argument is the place of the call. So every operand is converted
/// to an `Operand`, and no debug information is needed. Compilers may give both operands of one
/// operator the same column; the number of the operand keeps them apart.
template <typename F>
class Counted {
  static_assert(sizeof(F) % 4 == 0, "memory is followed in words of four bytes");

 public:
  template <unsigned number>
  struct Operand {
    F value;
    Where where;
    Operand(const Counted& c, Where where = Where::current())
        : value(c.load(where, number)), where(where) {}
    template <Number U>
    Operand(U u, Where where = Where::current()) : value(static_cast<F>(u)), where(where) {}
  };
  using Left = Operand<0>;
  using Right = Operand<1>;

  /// A register that nothing was stored to is NaN, so that its use shows in the result. Shared arrays are
  /// initialised by the compiler; of those the tracer itself knows which words were stored.
  constexpr Counted()
      : value_(std::is_constant_evaluated() ? F(0) : std::numeric_limits<F>::quiet_NaN()) {}
  template <Number U>
  Counted(U u, Where where = Where::current()) {
    store(static_cast<F>(u), where);
  }
  Counted(const Counted& c, Where where = Where::current()) { store(c.load(where, 2), where); }

  // Not viable, so that `a = b` takes the overload below, which knows where it stands.
  Counted& operator=(const Counted&) requires(sizeof(F) == 0);
  Counted& operator=(Right r) { return store(r.value, r.where); }
  Counted& operator+=(Right r) { return store(load(r.where, 0) + r.value, r.where); }
  Counted& operator-=(Right r) { return store(load(r.where, 0) - r.value, r.where); }
  Counted& operator*=(Right r) { return store(load(r.where, 0) * r.value, r.where); }
  Counted& operator/=(Right r) { return store(load(r.where, 0) / r.value, r.where); }

  friend F operator+(Left a, Right b) { return a.value + b.value; }
  friend F operator-(Left a, Right b) { return a.value - b.value; }
  friend F operator*(Left a, Right b) { return a.value * b.value; }
  friend F operator/(Left a, Right b) { return a.value / b.value; }
  friend F operator-(Right a) { return -a.value; }
  friend bool operator==(Left a, Right b) { return a.value == b.value; }
  friend auto operator<=>(Left a, Right b) { return a.value <=> b.value; }
  friend F fmaf(Left a, Right b, Operand<2> c) { return a.value * b.value + c.value; }
  friend F fmaxf(Left a, Right b) { return a.value > b.value ? a.value : b.value; }
  friend F fminf(Left a, Right b) { return a.value < b.value ? a.value : b.value; }

  /// A conversion function cannot know its caller's line: in a kernel, write `T x = A[i]` first and
  /// convert the register x.
  template <Number U>
  explicit operator U() const {
    return static_cast<U>(load(Where::current(), 0));
  }

 private:
  template <typename>
  friend class Counted4;

  F load(Where where, unsigned operand) const {
    if (in_register(this)) return value_;
    F value;
    std::memcpy(&value, on_load(this, sizeof(F), where, operand), sizeof(F));
    return value;
  }
  Counted& store(F value, Where where) {
    if (in_register(this)) {
      value_ = value;
    } else {
      std::memcpy(on_store(this, sizeof(F), where), &value, sizeof(F));
    }
    return *this;
  }

  F value_;
};

/// float4 of a traced kernel: copied as one access of 16 bytes. Its type asks for no alignment,
/// because a misaligned access is to be reported and not to stop the program.
template <typename F>
class Counted4 {
 public:
  Counted<F> x, y, z, w;

  constexpr Counted4() = default;
  Counted4(typename Counted<F>::Left a, typename Counted<F>::Left b, typename Counted<F>::Left c,
           typename Counted<F>::Left d, Where where = Where::current()) {
    store({{a.value, b.value, c.value, d.value}, where});
  }
  Counted4(const Counted4& c, Where where = Where::current()) { store({c, where}); }
  struct Operand {
    F value[4];
    Where where;
    Operand(const F (&v)[4], Where where) : where(where) { std::memcpy(value, v, sizeof value); }
    Operand(const Counted4& c, Where where = Where::current()) : where(where) {
      const void* from =
          in_register(&c) ? static_cast<const void*>(&c) : on_load(&c, sizeof value, where, 2);
      std::memcpy(value, from, sizeof value);
    }
  };
  Counted4& operator=(const Counted4&) requires(sizeof(F) == 0);
  Counted4& operator=(Operand o) { return store(o); }

 private:
  Counted4& store(const Operand& o) {
    void* to =
        in_register(this) ? static_cast<void*>(this) : on_store(this, sizeof o.value, o.where);
    std::memcpy(to, o.value, sizeof o.value);
    return *this;
  }
};

}  // namespace simt

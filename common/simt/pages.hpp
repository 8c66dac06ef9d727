// Zeroed memory straight from the system: nothing is spent on pages that are never touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

namespace simt {

/// An array of `size` zeroed T between two guards of address space that hold no memory. Tables as
/// large as a matrix cost only the pages that a trace touches, and an index far out of bounds still
/// points into the guard of its own array, so that it can be named.
template <typename T>
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t size, std::size_t guard_bytes = 0) : size_(size), guard_(guard_bytes) {
    if (size == 0 && guard_bytes == 0) return;
    whole_ = size * sizeof(T) + 2 * guard_bytes;
    void* p = mmap(nullptr, whole_, guard_bytes ? PROT_NONE : PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(p);
    if (guard_bytes && size &&
        mprotect(base_ + guard_bytes, size * sizeof(T), PROT_READ | PROT_WRITE))
      throw std::bad_alloc();
  }
  Pages(Pages&& o) noexcept { swap(o); }
  Pages& operator=(Pages&& o) noexcept {
    swap(o);
    return *this;
  }
  ~Pages() {
    if (base_) munmap(base_, whole_);
  }

  T* data() const { return reinterpret_cast<T*>(base_ + guard_); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return size_; }

 private:
  void swap(Pages& o) {
    std::swap(base_, o.base_);
    std::swap(size_, o.size_);
    std::swap(guard_, o.guard_);
    std::swap(whole_, o.whole_);
  }

  char* base_ = nullptr;
  std::size_t size_ = 0, guard_ = 0, whole_ = 0;
};

}  // namespace simt

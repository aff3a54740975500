// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replaces the global operator new, so that a test can count the allocations of a piece of work.
// Include it in exactly one source of a test program. All forms are replaced together, as
// sanitizers demand; not inlined, because GCC would pair our visible free() with another new and
// warn.

#include <atomic>
#include <cstdlib>
#include <new>

inline std::atomic<long> n_allocations{0};

namespace count_allocations {

inline void* take(std::size_t size, std::size_t align) noexcept {
    ++n_allocations;
    if (align <= alignof(std::max_align_t)) return std::malloc(size ? size : 1);
    return std::aligned_alloc(align, (size + align - 1) / align * align);
}
inline void* take_or_throw(std::size_t size, std::size_t align) {
    if (void* p = take(size, align)) return p;
    throw std::bad_alloc();
}

}  // namespace count_allocations

#define LIMBER_COUNTED(form)                                                                       \
    [[gnu::noinline]] void* operator new form(std::size_t n) {                                     \
        return count_allocations::take_or_throw(n, 1);                                             \
    }                                                                                              \
    [[gnu::noinline]] void* operator new form(std::size_t n, std::align_val_t a) {                 \
        return count_allocations::take_or_throw(n, static_cast<std::size_t>(a));                   \
    }                                                                                              \
    [[gnu::noinline]] void* operator new form(std::size_t n, const std::nothrow_t&) noexcept {     \
        return count_allocations::take(n, 1);                                                      \
    }                                                                                              \
    [[gnu::noinline]] void operator delete form(void* p) noexcept {                                \
        std::free(p);                                                                              \
    }                                                                                              \
    [[gnu::noinline]] void operator delete form(void* p, std::size_t) noexcept {                   \
        std::free(p);                                                                              \
    }                                                                                              \
    [[gnu::noinline]] void operator delete form(void* p, std::align_val_t) noexcept {              \
        std::free(p);                                                                              \
    }                                                                                              \
    [[gnu::noinline]] void operator delete form(void* p, std::size_t, std::align_val_t) noexcept { \
        std::free(p);                                                                              \
    }                                                                                              \
    [[gnu::noinline]] void operator delete form(void* p, const std::nothrow_t&) noexcept {         \
        std::free(p);                                                                              \
    }
LIMBER_COUNTED()
LIMBER_COUNTED([])
#undef LIMBER_COUNTED

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replaces the global operator new, so that a test can count the allocations of a piece of work.
// Include it in exactly one source of a test program. Not inlined: the compiler would pair our
// free() with another new.

#include <atomic>
#include <cstdlib>
#include <new>

inline std::atomic<long> n_allocations{0};

[[gnu::noinline]] void* operator new(std::size_t size) {
    ++n_allocations;
    if (void* p = std::malloc(size)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
    ++n_allocations;
    const auto a = static_cast<std::size_t>(align);
    if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}

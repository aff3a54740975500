// SPDX-License-Identifier: Apache-2.0
// Loaded before the C library (LD_PRELOAD): allocation number LIMBER_FAIL_ALLOCATION fails, and
// with LIMBER_FAIL_ON=1 every one after it. Allocations are counted from the start of the process.
// LIMBER_COUNT_ALLOCATIONS names a file descriptor that gets their number at the end.

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

std::atomic<long> count{0};

long number_in(const char* name) {
    const char* text = std::getenv(name);
    return text ? std::strtol(text, nullptr, 10) : 0;
}

/// Not in a constructor: others run before it.
bool fails() {
    static std::atomic<long> at{-1};
    static std::atomic<bool> on{false};
    if (at < 0) {
        on = number_in("LIMBER_FAIL_ON") != 0;
        at = number_in("LIMBER_FAIL_ALLOCATION");
    }
    const long n = ++count;
    if (at == 0 || (on ? n < at : n != at)) return false;
    errno = ENOMEM;
    return true;
}

[[gnu::destructor]] void tell() {
    const long fd = number_in("LIMBER_COUNT_ALLOCATIONS");
    if (fd > 0) dprintf(static_cast<int>(fd), "%ld\n", count.load());
}

}  // namespace

extern "C" {

void* malloc(size_t size) {
    return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(size_t n, size_t size) {
    return fails() ? nullptr : __libc_calloc(n, size);
}
void* realloc(void* old, size_t size) {
    return fails() ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
    void* made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *out = made;
    return 0;
}
}

// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/huge_pages.h"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace limber {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;
constexpr std::size_t smallest = std::size_t{8} << 20;  // below it rounding up would waste too much

}  // namespace

void* allocate_streamed(std::size_t bytes) {
    if (bytes < smallest) return ::operator new(bytes);
    const std::size_t rounded = (bytes + page - 1) / page * page;
    void* memory = rounded < bytes ? nullptr : std::aligned_alloc(page, rounded);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    (void)madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: small pages only cost time
#endif
    return memory;
}

void release_streamed(void* memory, std::size_t bytes) {
    if (bytes < smallest)
        ::operator delete(memory);
    else
        std::free(memory);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace limber {

/// Memory for large arrays that are streamed through: from 8 MB up it asks the system for 2 MB
/// pages, which spare the page walks of a product that reads a new 4 KB page every four rows. Where
/// the system refuses, the memory is as usual.
void* allocate_streamed(std::size_t bytes);
void release_streamed(void* memory, std::size_t bytes);

template <class T>
struct StreamedAllocator {
    using value_type = T;
    StreamedAllocator() = default;
    template <class U>
    StreamedAllocator(const StreamedAllocator<U>&) {}  // NOLINT: allocators convert
    T* allocate(std::size_t n) { return static_cast<T*>(allocate_streamed(n * sizeof(T))); }
    void deallocate(T* memory, std::size_t n) { release_streamed(memory, n * sizeof(T)); }
    friend bool operator==(const StreamedAllocator&, const StreamedAllocator&) { return true; }
};

template <class T>
using StreamedVector = std::vector<T, StreamedAllocator<T>>;

}  // namespace limber

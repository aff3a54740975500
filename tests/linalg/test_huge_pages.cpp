// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <utility>

namespace limber {
namespace {

TEST(StreamedVector, is_a_vector_of_any_size) {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20,
                          (std::size_t{1} << 20) + 1, std::size_t{3000001}}) {
        StreamedVector<double> v(n, 2.0);
        if (n > 0) v[n - 1] = 3;
        const StreamedVector<double> copy = v;
        const StreamedVector<double> moved = std::move(v);
        EXPECT_EQ(copy, moved);
        EXPECT_EQ(copy.size(), n);
    }
}

TEST(StreamedVector, starts_large_arrays_at_a_huge_page) {
    const StreamedVector<double> v(std::size_t{1} << 20);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % (std::uintptr_t{2} << 20), 0u);
}

TEST(StreamedVector, refuses_a_size_that_cannot_be_rounded_up) {
    EXPECT_THROW(allocate_streamed(~std::size_t{0} - 5), std::bad_alloc);
}

}  // namespace
}  // namespace limber

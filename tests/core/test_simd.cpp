// SPDX-License-Identifier: Apache-2.0
// Packets of every width do to each lane what the number alone would do, whether they are one
// register, several, or part of one.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <type_traits>

#include "limber/core/simd.h"

namespace limber {
namespace {

template <class P>
struct Simd : testing::Test {
    P a, b;
    Simd() {
        for (int i = 0; i < P::width; ++i) {
            a.set(i, static_cast<typename P::Scalar>(1.5 * i - 7));
            b.set(i, static_cast<typename P::Scalar>(3 - 0.25 * i * i));
        }
    }
    template <class F>
    void expect_lanes(const P& p, F&& f) const {
        for (int i = 0; i < P::width; ++i)
            EXPECT_EQ(p[i], static_cast<typename P::Scalar>(f(a[i], b[i]))) << "lane " << i;
    }
};
// Those of 128 and 256 bytes are wider than any register.
using Widths = testing::Types<Packet<double, 2>, Packet<double, 4>, Packet<double, 8>,
                              Packet<double, 16>, Packet<double, 32>, Packet<float, 4>,
                              Packet<float, 8>, Packet<float, 16>, Packet<float, 32>>;
TYPED_TEST_SUITE(Simd, Widths);

TYPED_TEST(Simd, arithmetic_is_that_of_each_lane) {
    using P = TypeParam;
    using T = typename P::Scalar;
    this->expect_lanes(this->a + this->b, [](T x, T y) { return x + y; });
    this->expect_lanes(this->a - this->b, [](T x, T y) { return x - y; });
    this->expect_lanes(this->a * this->b, [](T x, T y) { return x * y; });
    this->expect_lanes(this->a / (this->b + P(T(100))), [](T x, T y) { return x / (y + 100); });
    this->expect_lanes(-this->a, [](T x, T) { return -x; });
    this->expect_lanes(abs(this->a), [](T x, T) { return std::abs(x); });
    this->expect_lanes(sqrt(abs(this->b)), [](T, T y) { return std::sqrt(std::abs(y)); });
    this->expect_lanes(max(this->a, this->b), [](T x, T y) { return x < y ? y : x; });
    this->expect_lanes(min(this->a, this->b), [](T x, T y) { return y < x ? y : x; });
}

TYPED_TEST(Simd, masks_choose_lane_by_lane) {
    using P = TypeParam;
    using T = typename P::Scalar;
    const auto less = this->a < this->b;
    this->expect_lanes(select(less, this->a, P(T(9))), [](T x, T y) { return x < y ? x : 9; });
    this->expect_lanes(select(!less, this->a, P(T(9))), [](T x, T y) { return x < y ? 9 : x; });
    P last;
    last.set(P::width - 1, T(1));
    EXPECT_TRUE(any(last > P(T(0))));
    EXPECT_FALSE(any((last > P(T(0))) & (last < P(T(0)))));
    EXPECT_TRUE(any((last < P(T(0))) | (last >= P(T(1)))));
}

TYPED_TEST(Simd, memory_and_back) {
    using P = TypeParam;
    std::array<typename P::Scalar, P::width + 1> memory{};
    this->a.store(memory.data() + 1);  // not aligned
    const P back = P::load(memory.data() + 1);
    for (int i = 0; i < P::width; ++i) EXPECT_EQ(back[i], this->a[i]);
}

TYPED_TEST(Simd, lanes_move_as_they_are_counted) {
    using P = TypeParam;
    using T = typename P::Scalar;
    constexpr int W = P::width;
    const auto lane = [&](int i) { return i < W ? this->a[i] : this->b[i - W]; };
    const auto reversed = [&]<int... i>(std::integer_sequence<int, i...>) {
        return shuffle<(2 * W - 1 - i)...>(this->a, this->b);
    }
    (std::make_integer_sequence<int, W>{});
    for (int i = 0; i < W; ++i) EXPECT_EQ(reversed[i], lane(2 * W - 1 - i));
    const auto both = join(this->a, this->b);
    for (int i = 0; i < 2 * W; ++i) EXPECT_EQ(both[i], lane(i));
    const auto doubled = convert<double>(convert<float>(this->a));
    for (int i = 0; i < W; ++i) EXPECT_EQ(static_cast<T>(doubled[i]), this->a[i]);
    if constexpr (W >= 4) {
        const P mixed = shuffle_fours<1, 7, 4, 2>(this->a, this->b);
        for (int i = 0; i < W; ++i) {
            constexpr int of_four[] = {1, 7, 4, 2};
            const int from = of_four[i % 4];
            EXPECT_EQ(mixed[i], lane(i / 4 * 4 + from % 4 + (from < 4 ? 0 : W)));
        }
        const auto last = four_of<W / 4 - 1>(this->a);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(last[i], this->a[W - 4 + i]);
    }
}

}  // namespace
}  // namespace limber

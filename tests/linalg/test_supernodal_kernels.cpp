// SPDX-License-Identifier: Apache-2.0
// The kernels of the factor on strips. What a tile gives does not depend on its shape: each entry
// is the same sum in the same order.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "limber/linalg/supernodal/kernels.h"

namespace limber {
namespace {

constexpr Index k = 37;  // columns of A and B

template <class T>
struct SupernodalTile : testing::Test {
    std::vector<T> numbers(Index n, unsigned seed) const {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<T> number(-1, 1);
        std::vector<T> out(n);
        for (T& x : out) x = number(engine);
        return out;
    }
    /// n_strips strips of C from A and B by tiles of one height.
    std::vector<T> product(Index n_strips, Index height, Index n_cols) const {
        constexpr Index S = strip_lanes<T>;
        const std::vector<T> A = numbers(n_strips * S * k, 1), B = numbers(S * k, 2);
        std::vector<T> C = numbers(n_strips * S * tile_columns, 3);
        for (Index first = 0; first < n_strips; first += height) {
            StripPointers<const T> a{};
            StripPointers<T> c{};
            for (Index m = 0; m < height; ++m) {
                a[m] = A.data() + (first + m) * S * k;
                c[m] = C.data() + (first + m) * S * tile_columns;
            }
            multiply_tile<T, TileMode::subtract>(height, a, B.data(), k, c, n_cols);
        }
        return C;
    }
};
using Scalars = testing::Types<double, float>;
TYPED_TEST_SUITE(SupernodalTile, Scalars);

TYPED_TEST(SupernodalTile, has_the_same_bits_in_every_shape) {
    constexpr Index n_strips = 6;
    const auto whole = this->product(n_strips, 1, tile_columns);
    for (Index height = 2; height <= tile_strips; ++height)
        EXPECT_EQ(this->product(n_strips, height, tile_columns), whole) << height << " strips";
    constexpr Index S = strip_lanes<TypeParam>;
    const auto before = this->numbers(n_strips * S * tile_columns, 3);
    for (Index height = 1; height <= tile_strips; ++height)
        for (Index n_cols = 1; n_cols < tile_columns; ++n_cols) {
            const auto some = this->product(n_strips, height, n_cols);
            for (Index q = 0; q < n_strips; ++q)
                for (Index j = 0; j < tile_columns; ++j)
                    for (Index i = 0; i < S; ++i) {
                        const Index at = (q * tile_columns + j) * S + i;
                        EXPECT_EQ(some[at], j < n_cols ? whole[at] : before[at])
                            << height << " strips, " << n_cols << " columns";
                    }
        }
}

TYPED_TEST(SupernodalTile, is_the_product) {
    using T = TypeParam;
    constexpr Index S = strip_lanes<T>;
    const auto A = this->numbers(S * k, 1), B = this->numbers(S * k, 2);
    const auto C = this->product(1, 1, tile_columns);
    const auto before = this->numbers(S * tile_columns, 3);
    for (Index j = 0; j < tile_columns; ++j)
        for (Index i = 0; i < S; ++i) {
            double sum = static_cast<double>(before[j * S + i]), size = std::abs(sum);
            for (Index p = 0; p < k; ++p) {
                const double term =
                    static_cast<double>(A[p * S + i]) * static_cast<double>(B[p * S + j]);
                sum -= term;
                size += std::abs(term);
            }
            // k + 1 roundings at most, each below an ulp of the sum of sizes.
            EXPECT_NEAR(C[j * S + i], sum, (k + 2) * std::numeric_limits<T>::epsilon() * size);
        }
}

}  // namespace
}  // namespace limber

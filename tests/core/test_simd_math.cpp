// SPDX-License-Identifier: Apache-2.0
#include "limber/core/simd_math.h"

#include <gtest/gtest.h>

namespace limber {
namespace {

template <class P>
class SimdMath : public ::testing::Test {
  protected:
    using T = typename P::Scalar;
    static constexpr double eps = std::numeric_limits<T>::epsilon();

    /// The largest relative error of `f` against `exact` at n points from lo to hi, spaced evenly
    /// in x or in ln x.
    template <class F, class G>
    static double worst(double lo, double hi, bool logarithmic, F&& f, G&& exact) {
        constexpr int n = 20000;
        double largest = 0;
        for (int i = 0; i < n; i += P::width) {
            P x;
            for (int lane = 0; lane < P::width; ++lane) {
                const double t = double(i + lane) / n;
                x.set(lane,
                      static_cast<T>(logarithmic ? lo * std::pow(hi / lo, t) : lo + (hi - lo) * t));
            }
            const P y = f(x);
            for (int lane = 0; lane < P::width; ++lane) {
                const double wanted = exact(double(x[lane]));
                const double size = std::fmax(std::fabs(wanted), 1e-300);
                largest = std::fmax(largest, std::fabs(y[lane] - wanted) / size);
            }
        }
        return largest;
    }
};
using Packets =
    ::testing::Types<Packet<double, 8>, Packet<double, 2>, Packet<float, 16>, Packet<float, 4>>;
TYPED_TEST_SUITE(SimdMath, Packets);

TYPED_TEST(SimdMath, exp_is_good_to_rounding) {
    const auto f = [](const TypeParam& x) { return exp(x); };
    const auto exact = [](double x) { return std::exp(x); };
    EXPECT_LT(this->worst(-85, 85, false, f, exact), 4 * this->eps);
    EXPECT_LT(this->worst(-1, 1, false, f, exact), 3 * this->eps);
    EXPECT_EQ(exp(TypeParam(0))[0], 1);
    EXPECT_TRUE(std::isinf(exp(TypeParam(1000))[0]));
    EXPECT_EQ(exp(TypeParam(-1000))[1], 0);
}

TYPED_TEST(SimdMath, log_is_good_to_rounding) {
    const auto f = [](const TypeParam& x) { return log(x); };
    const auto exact = [](double x) { return std::log(x); };
    EXPECT_LT(this->worst(1e-30, 1e30, true, f, exact), 4 * this->eps);
    EXPECT_LT(this->worst(1.01, 3, false, f, exact), 4 * this->eps);
    EXPECT_LT(this->worst(0.3, 0.99, false, f, exact), 4 * this->eps);
    EXPECT_EQ(log(TypeParam(1))[0], 0);
}

TYPED_TEST(SimdMath, inverse_cube_root_is_good_to_rounding) {
    const auto f = [](const TypeParam& x) { return inverse_cbrt(x); };
    const auto exact = [](double x) { return 1 / std::cbrt(x); };
    EXPECT_LT(this->worst(1e-30, 1e30, true, f, exact), 4 * this->eps);
    EXPECT_LT(this->worst(0.5, 2, false, f, exact), 4 * this->eps);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/modal.h"

#include <gtest/gtest.h>

#include <numbers>

#include "fixtures.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using test::bar;
using test::rubber;

TEST(Modal, a_free_body_has_six_modes_of_no_frequency) {
    const Model model = bar(2, false);
    const auto modes = lowest_modes(model, 10);
    ASSERT_EQ(modes.size(), 10u);
    for (int k = 0; k < 6; ++k) EXPECT_LT(std::abs(modes[k].omega2), 1e-6 * modes[6].omega2);
    EXPECT_GT(modes[6].frequency(), 1);
    // Against K φ + s M φ with s far below the highest ω²: rounding of K shows.
    for (const Mode& mode : modes) EXPECT_LT(mode.residual, 1e-5);
}

TEST(Modal, modes_are_orthonormal_in_the_mass_and_diagonalise_the_stiffness) {
    for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
        Model model = bar(2);
        model.bodies[0].mass = mass;
        finish_model(model);
        const auto modes = lowest_modes(model, 8);
        for (std::size_t a = 0; a < modes.size(); ++a) {
            std::vector<Vec3d> Mu(modes[a].shape.size());
            for (Index i = 0; i < model.n_nodes(); ++i) Mu[i] = model.lumped[i] * modes[a].shape[i];
            if (model.consistent_mass)
                add_consistent_mass(model.elements, modes[a].shape, 1, false, Mu);
            for (std::size_t b = 0; b < modes.size(); ++b) {
                double product = 0;
                for (Index i = 0; i < model.n_nodes(); ++i)
                    product += dot(Mu[i], modes[b].shape[i]);
                EXPECT_NEAR(product, a == b ? 1 : 0, 1e-9);
            }
        }
    }
}

/// Clamped-free bar, first longitudinal mode: f = sqrt(E/rho) / (4 L) for a slender bar with no
/// lateral contraction; here nu = 0 so that the bar formula is exact for the continuum.
TEST(Modal, longitudinal_frequency_is_that_of_a_bar) {
    const double young = 1e6, length = 1;
    for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
        Model model = bar(3, true, rubber(young, 0));
        model.bodies[0].mass = mass;
        // Motion along x alone.
        std::vector<Index> all(model.n_nodes());
        for (Index i = 0; i < model.n_nodes(); ++i) all[i] = i;
        model.pins.push_back({"guide", all, {false, true, true}, {}});
        finish_model(model);
        const auto modes = lowest_modes(model, 2);
        const double exact = std::sqrt(young / 1000) / (4 * length);
        // Linear elements, twelve along the bar: (π/24)²/24 = 0.07 %, lower lumped, higher
        // consistent; shear between the rows adds nothing to a mode that is constant across.
        EXPECT_NEAR(modes[0].frequency(), exact, 2e-3 * exact);
        EXPECT_NEAR(modes[1].frequency(), 3 * exact, 2e-2 * exact * 3);
        EXPECT_GT(modes[0].participation.x, 0.75);  // 8/π² of a continuous bar
        EXPECT_LT(modes[0].participation.y, 1e-12);
    }
}

TEST(Modal, gives_the_same_bits_for_any_number_of_threads) {
    const Model model = bar(2);
    const auto shapes = [&](int threads) {
        const ThreadLimit limit(threads);
        return lowest_modes(model, 4)[3].shape;
    };
    EXPECT_EQ(shapes(1), shapes(2));
}

TEST(Modal, refuses_more_modes_than_degrees_of_freedom) {
    EXPECT_THROW(lowest_modes(bar(1), 1000), InputError);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// States that no sensible run would reach: the invertible conversion and the energy checks must
// bring bodies back from them, or at least keep every number finite.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>

#include "fixtures.h"
#include "limber/core/parallel.h"
#include "limber/solve/descent.h"

namespace limber {
namespace {

enum class Ruin { flattened, scrambled, mirrored, point };
constexpr std::array all_ruins = {Ruin::flattened, Ruin::scrambled, Ruin::mirrored, Ruin::point};

template <class Law>
Material invertible(double lower, double upper) {
    Material material = test::rubber(1e5, 0.35);
    material.law = Law::from(Lame::from_young(1e5, 0.35));
    material.damping_mass = 1;
    material.conversion.on = true;
    material.conversion.lower = lower;
    material.conversion.upper = upper;
    return material;
}

/// A free unit cube in the given state, moved by 1 % of its size at random.
std::unique_ptr<World> ruined(const Material& material, int cells, double h, Ruin ruin,
                              unsigned seed) {
    Model model = test::model_of(make_box({1, 1, 1}, {cells, cells, cells}), material);
    model.gravity = {0, 0, 0};
    model.h = h;
    finish_model(model);
    auto world = test::world_with<DescentStepper>(std::move(model));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Vec3d& p : world->state().x) {
        const Vec3d r{uniform(random), uniform(random), uniform(random)};
        if (ruin == Ruin::flattened) p.y = 0;
        if (ruin == Ruin::scrambled) p = 0.5 * r;
        if (ruin == Ruin::mirrored) p.x = -p.x;
        if (ruin == Ruin::point) p = {};
        p += 0.01 * r;
    }
    return world;
}

bool all_finite(const World& world) {
    for (const Vec3d& p : world.state().x)
        if (!is_finite(p)) return false;
    return true;
}

/// The hand-over begins just below the rest length: barriers of the law that would lock tets into
/// a knot are out of the way until it has untied. What stays behind is a minimum of the energy with
/// every tet upright; the report shows its energy.
TEST(DescentRobust, ninety_nine_of_a_hundred_ruins_return_to_rest) {
    const ThreadLimit one(1);  // a few tets: threads only wait for each other
    constexpr int per_ruin = 30;
    int rest = 0, stuck = 0;
    for (int law = 0; law < 2; ++law)
        for (const Ruin ruin : all_ruins)
            for (unsigned seed = 0; seed < per_ruin; ++seed) {
                const Material material = law == 0 ? invertible<NeoHookean>(0.8, 0.95)
                                                   : invertible<MooneyRivlin>(0.8, 0.95);
                const auto world = ruined(material, 3, 0.5, ruin, seed);
                StepReport report;
                bool at_rest = false;
                for (int k = 0; k < 100 && !at_rest; ++k) {
                    report = world->step();
                    ASSERT_FALSE(report.failed);
                    at_rest = report.elastic + report.kinetic < 1;  // [J]; the young's is 1e5
                }
                ASSERT_TRUE(all_finite(*world));
                rest += at_rest;
                stuck += !at_rest;
                if (!at_rest)
                    std::printf("stuck: law %d, ruin %d, seed %u, %g J\n", law,
                                static_cast<int>(ruin), seed, report.elastic);
            }
    EXPECT_EQ(rest + stuck, 8 * per_ruin);
    EXPECT_GE(rest, 0.99 * 8 * per_ruin);
}

/// With the source's own λ⁻ and λ⁺ many stay knotted, but nothing runs away.
TEST(DescentRobust, every_law_stays_finite) {
    const ThreadLimit one(1);
    const std::vector<Material> laws = {
        invertible<NeoHookean>(0.05, 0.15), invertible<MooneyRivlin>(0.05, 0.15),
        invertible<StVenantKirchhoff>(0.05, 0.5), invertible<CorotatedElastic>(0.05, 0.15),
        invertible<ProjectiveElastic>(0.05, 0.15)};
    for (const Material& material : laws)
        for (const Ruin ruin : all_ruins)
            for (unsigned seed = 0; seed < 5; ++seed) {
                const auto world = ruined(material, 2, 1.0 / 30, ruin, seed);
                for (int k = 0; k < 20; ++k) {
                    const StepReport report = world->step();
                    ASSERT_FALSE(report.failed) << report.failure.what;
                    ASSERT_LT(report.kinetic, 1e7);  // a hundred times what the worst start holds
                }
                ASSERT_TRUE(all_finite(*world));
            }
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// Contact by constraints under every solver that has a factor for it: the same scenes, the same
// physics.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "limber/core/parallel.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/solve/model_potentials.h"

namespace limber {
namespace {

constexpr double g = 9.81;
constexpr double slope = 20 * std::numbers::pi / 180;

struct Solver {
    std::string kind, options;
};

std::ostream& operator<<(std::ostream& out, const Solver& solver) {
    return out << solver.kind << ' ' << solver.options;
}

/// Every registered one with its defaults, and precisions that are not.
std::vector<Solver> solvers() {
    std::vector<Solver> out;
    for (const StepperEntry& entry : steppers()) {
        const AnyOptions options{std::string(entry.options.name), entry.options.defaults()};
        if (entry.has_compliance && entry.has_compliance(options))
            out.push_back({options.name, ""});
    }
    out.push_back({"warp_canceling", "precision = \"double\""});
    out.push_back({"async", "precision = \"float\"\nlag = 5"});
    out.push_back({"async", "contact_passes = 1"});
    return out;
}

std::string head(const Solver& solver, const std::string& law, const std::string& gravity) {
    return "limber = 1\ngravity = " + gravity +
           "\n[time]\nstep = 0.01\nend = 10\n[solver]\nkind = \"" + solver.kind + "\"\n" +
           solver.options + "\n[material.rubber]\nkind = \"" + law + R"("
young = "1 MPa"
poisson = 0.3
density = 1000
damping = { stiffness = 0.002 }
[contact]
method = "lagrange"
tolerance = 1e-9
)";
}

std::string block(const std::string& name, double y, const std::string& more = "") {
    return "[[body]]\nname = \"" + name +
           "\"\nmaterial = \"rubber\"\nshape = \"box\"\nsize = [0.2, 0.1, 0.2]\n"
           "cells = [3, 2, 3]\ntranslate = [0, " +
           std::to_string(y) + ", 0]\n" + more;
}

const std::string floor_with(double friction) {
    return "[[obstacle]]\nshape = \"plane\"\nnormal = [0, 1, 0]\nfriction = " +
           std::to_string(friction) + "\n";
}

std::string vector(double x, double y, double z) {
    std::ostringstream out;
    out.precision(17);
    out << '[' << x << ", " << y << ", " << z << ']';
    return out.str();
}

/// A block on a slope of 20 degrees: gravity is turned, the floor is level.
std::string incline(const Solver& solver, double friction, const std::string& law = "corotated") {
    return head(solver, law, vector(g * std::sin(slope), -g * std::cos(slope), 0)) +
           block("block", 0.05) + floor_with(friction);
}

std::string stack(const Solver& solver) {
    return head(solver, "corotated", "[0, -9.81, 0]") + block("lower", 0.05) +
           R"([[body]]
name = "upper"
material = "rubber"
shape = "box"
size = [0.12, 0.1, 0.12]
cells = [2, 1, 2]
translate = [0.01, 0.1501, 0.005]
)" + floor_with(0.5);
}

std::string ball_on_pad(const Solver& solver) {
    return head(solver, "corotated", "[0, -9.81, 0]") + block("pad", 0.05) + R"([[pin]]
body = "pad"
select = { side = "y-" }
[[body]]
name = "ball"
material = "rubber"
rigid = true
shape = "sphere"
radius = 0.05
cells = [3]
translate = [0.003, 0.16, 0.002]
)";
}

std::unique_ptr<World> world_of(const std::string& text) {
    const SceneDef scene = make_scene(parse_toml(text, "scene.toml"), "scene.toml");
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
}

/// Steps, and holds every one of them to what constraints promise.
void advance(World& world, int n) {
    for (int k = 0; k < n; ++k) {
        const StepReport report = world.step();
        ASSERT_FALSE(report.failed) << report.failure.what;
        ASSERT_EQ(report.substeps, 1) << "step " << report.step;
        EXPECT_FALSE(report.has(StepFlag::contact_cap)) << "step " << report.step;
        // 1e-6 of the size of a block, against planes the true gap as well.
        EXPECT_GT(report.constraints.smallest_gap, -2e-7) << "step " << report.step;
        EXPECT_LT(max_penetration(world.state().x, world.model().bodies[0].surface_nodes,
                                  world.model().obstacles, world.state().time),
                  2e-7)
            << "step " << report.step;
    }
}

Vec3d mean(const World& world, std::span<const Vec3d> of, Index b = 0) {
    const Body& body = world.model().bodies[b];
    Vec3d sum{};
    double mass = 0;
    for (Index i = body.node_begin; i < body.node_end; ++i) {
        const double m = body.rigid ? 1 : world.model().mass[i];
        sum += m * of[i];
        mass += m;
    }
    return (1 / mass) * sum;
}

double largest_difference(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, norm(a[i] - b[i]));
    return out;
}

class EverySolver : public testing::TestWithParam<Solver> {};

TEST_P(EverySolver, holds_a_block_on_a_slope_below_the_angle_of_friction) {
    const auto world = world_of(incline(GetParam(), 0.5));
    advance(*world, 60);
    const Vec3d before = mean(*world, world->state().x);
    advance(*world, 40);
    // It has settled, and a block that sticks stays: 1e-6 of its size in 0.4 s.
    EXPECT_LT(norm(mean(*world, world->state().x) - before), 2e-7);
}

TEST_P(EverySolver, lets_a_block_slide_as_coulomb_says) {
    const auto world = world_of(incline(GetParam(), 0.2));
    advance(*world, 40);  // the shake of the start has gone
    const double before = mean(*world, world->state().v).x;
    advance(*world, 40);
    const double a = (mean(*world, world->state().v).x - before) / 0.4;
    EXPECT_NEAR(a, g * (std::sin(slope) - 0.2 * std::cos(slope)),
                0.01 * g * (std::sin(slope) - 0.2 * std::cos(slope)));
    Vec3d contact{};
    for (const Vec3d& f : world->forces().contact) contact += f;
    EXPECT_NEAR(contact.x, -0.2 * contact.y, 1e-3 * contact.y);
}

TEST_P(EverySolver, keeps_a_stack_standing) {
    const auto world = world_of(stack(GetParam()));
    advance(*world, 80);
    const Vec3d lower = mean(*world, world->state().x, 0),
                upper = mean(*world, world->state().x, 1);
    advance(*world, 20);
    const double density = 1000, of_lower = g * density * 0.2 * 0.1 * 0.2,
                 of_upper = g * density * 0.12 * 0.1 * 0.12;
    std::array<double, 2> held{};
    for (std::size_t b = 0; b < 2; ++b)
        for (Index i = world->model().bodies[b].node_begin; i < world->model().bodies[b].node_end;
             ++i)
            held[b] += world->forces().contact[i].y;
    EXPECT_NEAR(held[1], of_upper, 1e-3 * of_upper);
    EXPECT_NEAR(held[0], of_lower, 1e-3 * of_upper);  // the floor less the upper one
    // Standing: neither sinks nor walks, 1e-6 of the size in 20 steps.
    EXPECT_LT(norm(mean(*world, world->state().x, 0) - lower), 2e-7);
    EXPECT_LT(norm(mean(*world, world->state().x, 1) - upper), 2e-7);
}

TEST_P(EverySolver, lets_a_rigid_ball_rest_in_a_soft_pad) {
    const auto world = world_of(ball_on_pad(GetParam()));
    advance(*world, 100);
    double weight = 0;  // of the ball
    for (const Body& body : world->model().bodies)
        if (body.rigid) weight = g * body.rigid->mass;
    double held = 0, reaction = 0;
    for (Index i = 0; i < world->model().bodies[0].node_end; ++i) {
        held -= world->forces().contact[i].y;
        reaction += world->forces().reaction[i].y;
    }
    EXPECT_NEAR(held, weight, 0.02 * weight);  // a little of the bounce is left
    EXPECT_NEAR(reaction, held + g * 1000 * 0.2 * 0.1 * 0.2, 0.02 * weight);
}

TEST_P(EverySolver, gives_the_same_bits_for_any_number_of_threads) {
    std::uint64_t hash = 0;
    for (const int threads : {1, 3}) {
        const ThreadLimit limit(threads);
        const auto world = world_of(ball_on_pad(GetParam()));
        for (int k = 0; k < 25; ++k) world->step();
        if (hash == 0) hash = world->state_hash();
        EXPECT_EQ(world->state_hash(), hash);
    }
}

TEST_P(EverySolver, resumes_with_the_bits_of_running_through) {
    for (const std::string& scene : {ball_on_pad(GetParam()), incline(GetParam(), 0.2)}) {
        const auto through = world_of(scene);
        ByteWriter saved;
        for (int k = 0; k < 30; ++k) {
            if (k == 17) through->save(saved);
            through->step();
        }
        const auto resumed = world_of(scene);
        ByteReader reader(saved.bytes(), "saved");
        resumed->load(reader);
        for (int k = 17; k < 30; ++k) resumed->step();
        EXPECT_EQ(resumed->state_hash(), through->state_hash());
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EverySolver, testing::ValuesIn(solvers()),
                         [](const auto& entry) {
                             std::string name = entry.param.kind + "_" + entry.param.options;
                             std::erase_if(name,
                                           [](char c) { return !std::isalnum(c) && c != '_'; });
                             return name;
                         });

TEST(StaleFactors, find_the_contact_that_a_fresh_factor_finds) {
    // A block that lands askew, turns and slides: its factor is never that of the step.
    const auto landing = [](const Solver& solver) {
        return head(solver, "corotated", "[0, -9.81, 0]") +
               block("block", 0.16,
                     "rotate = { axis = [0, 0, 1], angle = 25 }\nvelocity = [1, -1, 0.3]\n") +
               floor_with(0.4);
    };
    const auto reference = world_of(landing({"cholesky", ""}));
    advance(*reference, 40);
    const std::string exact =
        "rel_tolerance = 1e-10\ncontact_tolerance = 1e-8\ncontact_passes = 50\n";
    for (const Solver& solver :
         {Solver{"warp_canceling", exact + "precision = \"double\""},
          Solver{"async", exact + "lag = 4"},
          Solver{"async", exact + "lag = 4\nnode_rotations = \"identity\""}}) {
        const auto world = world_of(landing(solver));
        advance(*world, 40);
        // What is left of 1e-8 after the stick and slip of an impact, against a way of 0.4 m.
        EXPECT_LT(largest_difference(world->state().x, reference->state().x), 1e-5) << solver;
    }
    // With the tolerances everyone gets the way agrees to a millimetre.
    for (const Solver& solver : {Solver{"warp_canceling", ""}, Solver{"async", ""}}) {
        const auto world = world_of(landing(solver));
        advance(*world, 40);
        EXPECT_LT(largest_difference(world->state().x, reference->state().x), 1e-3) << solver;
    }
}

/// |M Δv / h + ∂E/∂x − f_ext − f_contact| over the free nodes, of a step just taken [N].
double imbalance(const World& world, const std::vector<Vec3d>& v_before) {
    const Model& model = world.model();
    std::vector<Vec3d> r(model.n_nodes());
    for (auto& part : make_potentials<double>(model)) part->add_gradient(world.state().x, r);
    double sum = 0;
    for (Index i = 0; i < model.n_nodes(); ++i) {
        r[i] += (model.mass[i] / model.h) * (world.state().v[i] - v_before[i]);
        r[i] -= world.forces().external[i] + world.forces().contact[i];
        sum += squared_norm(masked(r[i], model.free[i]));
    }
    return std::sqrt(sum);
}

/// A tenth of its stiffness on top, in 0.3 s.
std::string press(double friction) {
    std::string text = head({"newton", "rel_tolerance = 1e-9"}, "neo_hookean", "[0, -9.81, 0]");
    text.replace(text.find("damping = { stiffness = 0.002 }"), 31, "");
    return text + block("block", 0.05) + floor_with(friction) +
           "[[force]]\nbody = \"block\"\nselect = { side = \"y+\" }\ntotal = [0, -4000, 0]\n"
           "times = [0, 0.3]\nscale = [0, 1]\n";
}

TEST(NewtonContact, a_pressed_hyperelastic_block_is_in_balance_with_its_contact_forces) {
    const auto world = world_of(press(0.5));
    int passes = 0;
    for (int k = 0; k < 60; ++k) {
        const std::vector<Vec3d> v = world->state().v;
        const StepReport report = world->step();
        ASSERT_FALSE(report.failed) << report.failure.what;
        EXPECT_EQ(report.substeps, 1) << "step " << report.step;
        EXPECT_FALSE(report.has(StepFlag::contact_cap)) << "step " << report.step;
        EXPECT_GT(report.constraints.smallest_gap, -2e-7);
        EXPECT_LT(report.max_penetration, 2e-7);
        passes = std::max(passes, report.constraints.passes);
        EXPECT_LT(imbalance(*world, v), 1e-6 * 4000) << "step " << report.step;
    }
    EXPECT_GT(passes, 1);  // the tangent alone would not have found it
    double top = 0;
    for (const Vec3d& x : world->state().x) top = std::max(top, x.y);
    EXPECT_LT(top, 0.097);  // 100 kPa on 1 MPa
}

TEST(NewtonContact, blames_contact_for_what_does_not_converge_only_where_something_touches) {
    // Pressed by as much as its stiffness in one step, with one Newton step for it.
    const std::string hard = head({"newton", "contact_passes = 1"}, "neo_hookean", "[0, 0, 0]");
    const std::string load =
        "[[force]]\nbody = \"block\"\nselect = { side = \"y+\" }\ntotal = [0, -4000, 0]\n";
    for (const double above : {0.05, 0.5}) {  // on the floor, and far from it
        const StepReport report =
            world_of(hard + block("block", above) + floor_with(0.5) + load)->step();
        EXPECT_EQ(report.has(StepFlag::contact_cap), above < 0.1);
        EXPECT_EQ(report.has(StepFlag::iteration_cap), above > 0.1);
    }
}

TEST(NewtonContact, a_hyperelastic_block_slides_as_coulomb_says) {
    const auto world = world_of(incline({"newton", ""}, 0.2, "neo_hookean"));
    advance(*world, 40);
    const double before = mean(*world, world->state().v).x;
    advance(*world, 40);
    const double a = (mean(*world, world->state().v).x - before) / 0.4;
    const double theory = g * (std::sin(slope) - 0.2 * std::cos(slope));
    EXPECT_NEAR(a, theory, 0.01 * theory);
    for (const Contact& c : world->contacts().contacts) {
        const double normal = dot(c.force, c.normal);
        const double tangential = norm(c.force - normal * c.normal);
        EXPECT_LE(tangential, 0.2 * normal * (1 + 1e-6) + 1e-9);
    }
}

TEST(NewtonContact, needs_a_factor_and_an_implicit_end) {
    const auto refusal = [](const std::string& text) -> std::string {
        try {
            world_of(text);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const Solver other{"newton", "linear = \"pcg_ic\""};
    EXPECT_NE(refusal(incline(other, 0.2)).find("allowed: solver.kind"), std::string::npos);
    std::string trapezoid = incline({"newton", ""}, 0.2);
    trapezoid.replace(trapezoid.find("end = 10"), 8, "end = 10\nintegrator = \"trapezoid\"");
    EXPECT_NE(refusal(trapezoid).find("backward_euler"), std::string::npos);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small scenes of touching bodies, stepped by the whole simulator.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"

namespace limber::test {

inline SceneDef scene_from(const std::string& text) {
    return make_scene(parse_toml(text, "scene.toml"), "scene.toml");
}

inline std::unique_ptr<World> world_from(const std::string& text) {
    const SceneDef scene = scene_from(text);
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact));
}

/// What every scene here begins with; bodies follow.
inline std::string head(double h = 1.0 / 100, const std::string& contact = "",
                        const std::string& gravity = "[0, -9.81, 0]") {
    return "limber = 1\ngravity = " + gravity + "\n[time]\nstep = " + std::to_string(h) +
           "\nend = 10\n[solver]\nkind = \"corotational\"\nmax_iterations = 500\n"
           "rel_tolerance = 1e-8\n"
           "[material.rubber]\nyoung = \"500 kPa\"\npoisson = 0.3\ndensity = 1000\n"
           "damping = { stiffness = 0.002 }\n"
           "[contact]\nmethod = \"penalty\"\n" +
           contact + "\n";
}
inline std::string body(const std::string& name, const std::string& shape,
                        const std::string& translate, const std::string& more = "") {
    return "[[body]]\nname = \"" + name + "\"\nmaterial = \"rubber\"\n" + shape +
           "\ntranslate = " + translate + "\n" + more + "\n";
}

struct Momentum {
    Vec3d linear{}, angular{};
};
inline Momentum momentum(const World& world, const std::vector<Vec3d>& x) {
    Momentum sum;
    for (Index i = 0; i < world.model().n_nodes(); ++i) {
        const Vec3d p = world.model().mass[i] * world.state().v[i];
        sum.linear += p;
        sum.angular += cross(x[i], p);
    }
    return sum;
}

/// Mean velocity of a body, and its lowest node.
struct BodyState {
    Vec3d centre{}, velocity{};
    Box3 box = empty_box();
    double fastest = 0;
};
inline BodyState state_of(const World& world, Index b) {
    const Body& body = world.model().bodies[b];
    BodyState s;
    double mass = 0;
    for (Index i = body.node_begin; i < body.node_end; ++i) {
        const double m = world.model().mass[i];
        s.centre += m * world.state().x[i];
        s.velocity += m * world.state().v[i];
        s.fastest = std::max(s.fastest, norm(world.state().v[i]));
        include(s.box, world.state().x[i]);
        mass += m;
    }
    s.centre *= 1 / mass;
    s.velocity *= 1 / mass;
    return s;
}

inline void run(World& world, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world.step();
        ASSERT_FALSE(report.failed) << report.failure.what;
    }
}

}  // namespace limber::test

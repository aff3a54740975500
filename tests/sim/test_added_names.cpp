// SPDX-License-Identifier: Apache-2.0
// Names that a program adds: nothing asks what a solver or a contact method is called.

#include <gtest/gtest.h>

#include "limber/core/errors.h"
#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"

namespace limber {
namespace {

/// What constraints do beside contact with an obstacle: a joint, a rigid body, two bodies.
SceneDef scene_of(const std::string& solver, const std::string& contact) {
    return make_scene(
        parse_toml("limber = 1\n[time]\nstep = 0.01\nsteps = 30\n"
                   "[material.m]\nyoung = 2e5\npoisson = 0.3\ndensity = 1000\n"
                   "[[body]]\nname = \"hung\"\nshape = \"box\"\nsize = [0.2, 0.1, 0.1]\n"
                   "cells = [4, 2, 2]\nmaterial = \"m\"\ntranslate = [0, 0.3, 0]\n"
                   "[[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.05\n"
                   "cells = [4]\nmaterial = \"m\"\nrigid = true\n"
                   "translate = [0, 0.1, 0]\n"
                   "[[attach]]\nbody = \"hung\"\npoint = [-0.1, 0.3, 0]\n"
                   "to_point = [-0.1, 0.3, 0]\n"
                   "[[obstacle]]\nshape = \"plane\"\n[solver]\nkind = \"" +
                       solver + "\"\n[contact]\nmethod = \"" + contact + "\"\n",
                   "added"),
        "added");
}

std::uint64_t hash_after(int steps, const SceneDef& scene) {
    BuildReport report;
    const auto world = make_world(scene, build_model(scene, report));
    int rows = 0;
    for (int k = 0; k < steps; ++k) rows += world->step().constraints.rows;
    EXPECT_GT(rows, 0);
    return world->state_hash();
}

TEST(AddedNames, of_a_contact_method_and_a_solver_run_as_what_they_stand_for) {
    ContactEntry contact = contact_entry("lagrange");
    contact.options.name = "other_constraints";
    add_contact_method(contact);
    StepperEntry solver = stepper_entry("cholesky");
    solver.options.name = "other_factor";
    add_stepper(solver);
    const std::uint64_t right = hash_after(30, scene_of("cholesky", "lagrange"));
    EXPECT_EQ(hash_after(30, scene_of("cholesky", "other_constraints")), right);
    EXPECT_EQ(hash_after(30, scene_of("other_factor", "other_constraints")), right);
    // They are refused where what they stand for is, by their own names.
    try {
        scene_of("descent", "other_constraints");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("\"other_constraints\""), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("\"other_factor\""), std::string::npos)
            << error.what();
    }
    EXPECT_THROW(add_contact_method(contact), Bug) << "a name stands for one thing";
}

}  // namespace
}  // namespace limber

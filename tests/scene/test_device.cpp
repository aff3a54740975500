// SPDX-License-Identifier: Apache-2.0
// device = "cuda" in scenes: what is refused, where, and what takes the place of defaults.
#include <gtest/gtest.h>

#include "limber/gpu/device.h"
#include "limber/scene/build/model.h"
#include "limber/scene/registry.h"
#include "limber/solve/descent/options.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::input_error;
using test::scene_of;

std::string on_device(const std::string& solver, const std::string& time = "",
                      const std::string& law = "kind = \"neo_hookean\"\nyoung = 1e5") {
    return "limber = 1\ndevice = \"cuda\"\n[time]\nstep = 0.01\nsteps = 1\n" + time +
           "\n[solver]\n" + solver + "\n[material.m]\n" + law +
           "\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = \"b\"\nshape = \"box\"\n"
           "cells = [1, 1, 1]\nmaterial = \"m\"\n";
}
void expect_refused(const std::string& toml, const std::string& says) {
    const std::string error = input_error([&] { scene_of(toml); });
    EXPECT_NE(error.find(says), std::string::npos) << says << "\n" << error;
}

TEST(Device, is_refused_with_solvers_that_compute_on_the_cpu) {
    expect_refused(on_device("kind = \"newton\""),
                   "error: device = \"cuda\" cannot go with solver.kind = \"newton\", which "
                   "computes on the CPU; allowed: device = \"cpu\", or solver.kind = \"descent\", "
                   "\"vertex_block_descent\"");
}

TEST(Device, is_refused_with_what_its_solvers_do_not_do_there) {
    expect_refused(on_device("kind = \"descent\"\nrel_tolerance = 1e-6", "analysis = \"static\""),
                   "time.analysis = \"static\", which is computed on the CPU");
    expect_refused(on_device("kind = \"descent\"\ndirection = \"lbfgs\""),
                   "direction = \"lbfgs\" does not run on the device; allowed: \"jacobi\", "
                   "\"block_jacobi\", or device = \"cpu\"");
    expect_refused(on_device("kind = \"descent\"\ndirection = \"jacobi\"\ntune = true"),
                   "tune = true does not run on the device");
    expect_refused(on_device("kind = \"vertex_block_descent\"\ninitial = \"optimal\""),
                   "initial = \"optimal\" does not run on the device");
}

TEST(Device, changes_a_default_that_it_does_not_have_and_says_so) {
    const SceneDef scene = scene_of(on_device("kind = \"descent\""));
    EXPECT_EQ(scene.solver.options.as<DescentOptions>().direction, DirectionKind::block_jacobi);
    ASSERT_FALSE(scene.chosen.empty());
    EXPECT_NE(scene.chosen.back().find("solver.direction = \"block_jacobi\": device = \"cuda\" "
                                       "does not have \"newton_cg\", the default"),
              std::string::npos)
        << scene.chosen.back();
}

TEST(Device, chooses_a_solver_of_its_own_where_none_is_named) {
    const SceneDef scene = scene_of(on_device(""));
    EXPECT_EQ(scene.solver.options.name, "descent");
}

TEST(Device, that_is_missing_is_told_before_the_first_step_and_not_by_the_checks) {
    const SceneDef scene = scene_of(on_device("kind = \"vertex_block_descent\""));
    BuildReport report;
    const Model model = build_model(scene, report);
    check_device(scene, model);
    if (gpu::device().found) GTEST_SKIP() << "there is a device";
    try {
        make_stepper(scene, model);
        FAIL() << "no device, no error";
    } catch (const InputError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("device = \"cuda\": "), std::string::npos) << text;
        EXPECT_NE(text.find("limber doctor tells what is there"), std::string::npos) << text;
    }
}

TEST(Device, is_no_part_of_what_a_checkpoint_belongs_to) {
    const std::string cuda = on_device("kind = \"vertex_block_descent\"");
    EXPECT_EQ(scene_hash(scene_of(cuda)),
              scene_hash(scene_of(test::replaced(cuda, "\"cuda\"", "\"cpu\""))));
}

}  // namespace
}  // namespace limber

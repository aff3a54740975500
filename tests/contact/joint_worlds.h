// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scenes with joints, stepped by the whole simulator.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "contact/body_worlds.h"
#include "limber/contact/joint.h"

namespace limber::test {

inline std::string joint_scene(double h, const Vec3d& gravity, double young = 1e5,
                               const std::string& contact = "") {
    return fmt::format(
        "limber = 1\ngravity = [{}, {}, {}]\n[time]\nstep = {}\nend = 10\n"
        "[solver]\nkind = \"cholesky\"\n"
        "[material.rubber]\nyoung = {}\npoisson = 0.3\ndensity = 1000\n"
        "damping = {{ stiffness = 0.01 }}\n"
        "[contact]\nmethod = \"lagrange\"\n{}\n",
        gravity.x, gravity.y, gravity.z, h, young, contact);
}
inline std::string box_body(const std::string& name, const Vec3d& size, const std::string& cells,
                            const Vec3d& at, const std::string& more = "") {
    return body(name,
                fmt::format("shape = \"box\"\nsize = [{}, {}, {}]\ncells = {}", size.x, size.y,
                            size.z, cells),
                fmt::format("[{}, {}, {}]", at.x, at.y, at.z), more);
}

/// A number that a joint tells after a step.
inline double reading(const World& world, std::size_t joint, std::string_view what) {
    for (const JointReading& r : world.contact().joints()[joint]->readings())
        if (r.what == what) return r.value;
    ADD_FAILURE() << "no reading " << what;
    return 0;
}

/// Steps that must converge.
inline void run_joints(World& world, int steps) {
    for (int k = 0; k < steps; ++k) {
        const StepReport report = world.step();
        ASSERT_FALSE(report.failed) << report.failure.what;
        ASSERT_FALSE(report.has(StepFlag::contact_cap))
            << "step " << report.step << ", residual " << report.constraints.residual;
    }
}

}  // namespace limber::test

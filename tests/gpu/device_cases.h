// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scenes in which the device's descent is held against the CPU's, and how far they are apart: every
// law, integrator, element and kind of contact that it takes.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "limber/core/distance.h"
#include "limber/gpu/device.h"
#include "limber/gpu/steppers.h"
#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/registry.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"

namespace limber::test {

struct DeviceCase {
    std::string name;
    std::string law = "kind = \"neo_hookean\"";     // of [material.m]
    std::string time = {};                          // more keys of [time]
    std::string bodies = {};                        // empty: a held bar
    std::string rest = {};                          // obstacles, contact, forces
    std::string solver = "direction = \"jacobi\"";  // more keys of [solver]
    std::string kind = "descent";
    std::string step = "0.01";  // [s]
    // Springs of contact that set in and out under momentum: single steps of such a run carry
    // rounding of 1e-16 up to 1e-3 of their motion, and runs part.
    bool sensitive = false;
};

inline void PrintTo(const DeviceCase& c, std::ostream* out) {
    *out << c.kind << ", " << c.name;
}

inline std::string held_bar() {
    return "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [0.6, 0.15, 0.15]\n"
           "cells = [8, 2, 2]\nmaterial = \"m\"\nvelocity = [0, 0.5, 0.2]\n"
           "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n";
}
inline std::string falling_bar() {
    return "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [0.6, 0.15, 0.15]\n"
           "cells = [6, 2, 2]\nmaterial = \"m\"\ntranslate = [0.05, 0.37, 0]\n"
           "velocity = [0.3, -1, 0]\n"
           "[[body]]\nname = \"box\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = [2, 2, 2]\n"
           "material = \"m\"\ntranslate = [0.2, 0.1, 0]\n"
           "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n"
           "[[obstacle]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.15\n"
           "position = [-0.2, 0.12, 0]\n";
}
inline std::string sheet(const std::string& keys) {
    return "[[body]]\nname = \"cloth\"\nshape = \"cloth_sheet\"\ncells = [8, 8]\ncloth = { " +
           keys +
           " }\nmaterial = \"m\"\ntranslate = [0, 0.33, 0]\nvelocity = [0, -1, 0.3]\n"
           "[[pin]]\nbody = \"cloth\"\nselect = { nodes = [0] }\n";
}

inline std::string scene_text(const DeviceCase& c, const std::string& precision) {
    return "limber = 1\n[time]\nstep = " + c.step + "\nsteps = 100\n" + c.time +
           "\n[material.m]\n" + c.law +
           (c.law.find("slope") == std::string::npos ? "\nyoung = \"80 kPa\"\n" : "\n") +
           (c.law.find("poisson") == std::string::npos && c.law.find("slope") == std::string::npos
                ? "poisson = 0.3\n"
                : "") +
           "density = 1000\n" + (c.bodies.empty() ? held_bar() : c.bodies) + c.rest +
           "\n[solver]\nkind = \"" + c.kind + "\"\n" +
           (c.kind == "descent" ? "precision = \"" + precision + "\"\n" : "") + c.solver + "\n";
}
inline SceneDef scene_of(const DeviceCase& c, const std::string& precision) {
    return make_scene(parse_toml(scene_text(c, precision), c.name + ".toml"), c.name + ".toml");
}

/// Energies are not measured: the runs are compared, not judged.
inline std::unique_ptr<World> world_of(const SceneDef& scene, const Model& model,
                                       std::unique_ptr<Stepper> (*make)(const SceneDef&,
                                                                        const Model&)) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = make(scene, *own);
    auto method = make_contact(scene, *own);
    return std::make_unique<World>(std::move(own), std::move(stepper), std::move(method),
                                   WorldOptions{.measure_energy = false});
}
inline std::unique_ptr<Stepper> on_cpu(const SceneDef& scene, const Model& model) {
    return make_stepper(scene, model);
}
template <bool on_host>
std::unique_ptr<Stepper> on_device(const SceneDef& scene, const Model& model) {
    if (scene.solver.options.name == "vertex_block_descent")
        return gpu::make_vertex_block_descent(model, scene.solver.options.as<VertexBlockOptions>(),
                                              on_host);
    return gpu::make_descent(model, scene.solver.options.as<DescentOptions>(), on_host);
}

/// How far the ends of single steps are from those of the CPU, in parts of the motion of the step.
struct StepDistances {
    std::vector<double> of;  // ascending
    double median() const { return of[of.size() / 2]; }
    double worst() const { return of.back(); }
};

/// Each step from the state that the CPU's run has there, History and all. `make`: of the solver
/// that takes the same steps; `scene` of its world, with the same model.
inline StepDistances distances_of_steps(const SceneDef& cpu_scene, const SceneDef& scene,
                                        std::unique_ptr<Stepper> (*make)(const SceneDef&,
                                                                         const Model&),
                                        int steps) {
    BuildReport report;
    const Model model = build_model(cpu_scene, report);
    const auto cpu = world_of(cpu_scene, model, on_cpu);
    const auto other = world_of(scene, model, make);
    StepDistances out;
    for (int k = 0; k < steps; ++k) {
        const std::vector<Vec3d> before = cpu->state().x;
        ByteWriter bytes;
        cpu->save(bytes);
        ByteReader in(bytes.bytes(), "history");
        other->load(in);
        EXPECT_FALSE(other->step().failed);
        EXPECT_FALSE(cpu->step().failed);
        const double motion = distance(cpu->state().x, before);
        if (motion > 0) out.of.push_back(distance(other->state().x, cpu->state().x) / motion);
    }
    std::sort(out.of.begin(), out.of.end());
    return out;
}
/// Two runs of their own: how far they are apart at the end, in parts of the way from the start.
template <bool on_host>
double farthest_of_runs(const SceneDef& scene, int steps) {
    BuildReport report;
    const Model model = build_model(scene, report);
    const auto cpu = world_of(scene, model, on_cpu);
    const auto device = world_of(scene, model, on_device<on_host>);
    const std::vector<Vec3d> start = cpu->state().x;
    for (int k = 0; k < steps; ++k) {
        EXPECT_FALSE(cpu->step().failed);
        EXPECT_FALSE(device->step().failed);
    }
    return distance(device->state().x, cpu->state().x) / distance(cpu->state().x, start);
}

/// A run that is stopped after half its steps and goes on in a world of its own has the bits of one
/// that runs through; so has one whose state was put back after a step that does not count.
template <bool on_host>
bool resumes_exactly(const SceneDef& scene) {
    BuildReport report;
    const Model model = build_model(scene, report);
    const auto through = world_of(scene, model, on_device<on_host>);
    const auto resumed = world_of(scene, model, on_device<on_host>);
    for (int k = 0; k < 10; ++k) through->step();
    ByteWriter out;
    through->save(out);
    for (int k = 0; k < 10; ++k) through->step();
    for (World* world : {resumed.get(), through.get()}) {
        const std::uint64_t end = through->state_hash();
        ByteReader in(out.bytes(), "history");
        world->load(in);
        for (int k = 0; k < 10; ++k) world->step();
        if (world->state_hash() != end) return false;
    }
    return true;
}

inline const std::string damped_law =
    "kind = \"neo_hookean\"\ndamping = { mass = 0.2, stiffness = 0.002, air = 0.01, viscous = "
    "0.01 }";
inline const std::string inverting_law = "kind = \"mooney_rivlin\"\ninvertible = true";
inline std::string consistent_bar() {
    return "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [0.6, 0.15, 0.15]\n"
           "cells = [8, 2, 2]\nmaterial = \"m\"\nvelocity = [0, 0.5, 0.2]\n"
           "mass = \"consistent\"\n"
           "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n";
}
inline std::string driven_bar() {
    return "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [0.6, 0.15, 0.15]\n"
           "cells = [8, 2, 2]\nmaterial = \"m\"\n"
           "[[pin]]\nbody = \"bar\"\nselect = { side = \"x-\" }\n"
           "motion = { times = [0.0, 1.0], translate = [[0, 0, 0], [0, 0.3, 0.1]] }\n";
}
/// A law of each kind on a held bar.
inline std::vector<DeviceCase> law_cases() {
    std::vector<DeviceCase> out;
    for (const char* law : {"corotated", "linear", "stvk", "neo_hookean", "neo_hookean_log",
                            "mooney_rivlin", "fung", "fibre"})
        out.push_back({std::string(law), "kind = \"" + std::string(law) + "\""});
    out.push_back({"spline",
                   "kind = \"spline\"\nf = { at = [0.2, 1, 3], slope = [-1.6e5, 0, 4e5] }\n"
                   "h = { at = [0, 1, 2], slope = [-1e5, 0, 1e5] }"});
    out.push_back({"projective", "kind = \"projective\"\npoisson = 0"});
    return out;
}

/// Bodies, floor and ball; explicit contact takes small steps.
inline std::vector<DeviceCase> contact_cases() {
    std::vector<DeviceCase> out;
    for (const char* contact : {"penalty", "repulsion", "projection"}) {
        out.push_back({contact, "kind = \"neo_hookean\"", "", falling_bar(),
                       "[contact]\nmethod = \"" + std::string(contact) + "\"\n"});
        out.back().sensitive = true;
        if (out.size() > 1) out.back().step = "0.002";
    }
    return out;
}

inline std::vector<DeviceCase> jacobi_cases() {
    std::vector<DeviceCase> out = law_cases();
    for (const char* time : {"", "integrator = \"trapezoid\""}) {
        const std::string suffix = *time ? std::string(", ") + time : "";
        const auto add = [&](const std::string& name, const std::string& law,
                             const std::string& solver, const std::string& bodies = {}) {
            out.push_back({name + suffix, law, time, bodies, {}, solver});
        };
        const std::string jacobi = "direction = \"jacobi\"",
                          blocks = "direction = \"block_jacobi\"";
        const std::string neo = "kind = \"neo_hookean\"", corotated = "kind = \"corotated\"";
        add("a bar", "kind = \"stvk\"", jacobi);
        add("converted", inverting_law, jacobi);
        add("damped", damped_law, jacobi);
        add("blocks", neo, blocks);
        add("damped blocks", damped_law, blocks);
        add("nesterov", neo, jacobi + "\nacceleration = \"nesterov\"");
        add("until small", neo, jacobi + "\nrel_tolerance = 1e-3\niterations = 400");
        add("springs", corotated, jacobi, sheet("thickness = 0.001, bending = 2e-5"));
        add("membranes", corotated, jacobi,
            sheet("thickness = 0.001, bending = 2e-5, stretch = \"triangles\""));
        add("hinges", corotated, jacobi,
            sheet("thickness = 0.001, bending = 2e-5, rest = \"mesh\""));
    }
    out.push_back({"consistent mass", "kind = \"neo_hookean\"\ndamping = { mass = 0.3 }", "",
                   consistent_bar()});
    out.push_back({"moving pin", "kind = \"neo_hookean\"", "", driven_bar()});
    for (DeviceCase& c : contact_cases()) out.push_back(std::move(c));
    out.push_back({"penalty, blocks", "kind = \"neo_hookean\"", "", falling_bar(),
                   "[contact]\nmethod = \"penalty\"\n", "direction = \"block_jacobi\""});
    out.back().sensitive = true;
    return out;
}

inline std::vector<DeviceCase> vertex_block_cases() {
    std::vector<DeviceCase> out = law_cases();
    for (const char* time : {"", "integrator = \"trapezoid\""}) {
        const std::string suffix = *time ? std::string(", ") + time : "";
        const auto add = [&](const std::string& name, const std::string& law,
                             const std::string& bodies = {}, const std::string& solver = {}) {
            out.push_back({name + suffix, law, time, bodies, {}, solver});
        };
        const std::string neo = "kind = \"neo_hookean\"", corotated = "kind = \"corotated\"";
        add("a bar", "kind = \"stvk\"");
        add("converted", inverting_law);
        add("damped", damped_law);
        add("until small", neo, {}, "rel_tolerance = 1e-3\niterations = 100");
        add("without momentum", neo, {}, "acceleration = \"none\"");
        add("springs", corotated, sheet("thickness = 0.001, bending = 2e-5"));
        add("membranes", corotated,
            sheet("thickness = 0.001, bending = 2e-5, stretch = \"triangles\""));
    }
    out.push_back({"consistent mass", "kind = \"neo_hookean\"\ndamping = { mass = 0.3 }", "",
                   consistent_bar()});
    out.push_back({"moving pin", "kind = \"neo_hookean\"", "", driven_bar()});
    for (DeviceCase& c : contact_cases()) out.push_back(std::move(c));
    for (DeviceCase& c : out) {
        c.kind = "vertex_block_descent";
        if (c.solver == DeviceCase().solver) c.solver.clear();
    }
    return out;
}

}  // namespace limber::test

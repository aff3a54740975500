// SPDX-License-Identifier: Apache-2.0
// Contact between bodies: detection and response on two balls of 2,197 nodes each that touch, pass
// nearby or are far apart, and their share of a whole 10-iteration step.

#include <benchmark/benchmark.h>

#include <memory>

#include "limber/contact/methods/penalty.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

namespace limber {
namespace {

/// Two balls of radius 1 m side by side, `distance` between their surfaces, at 1 m/s towards each
/// other and turning.
Model two_balls(double distance) {
    const TetMesh ball = make_sphere(1, 12);
    const Lame lame = Lame::from_young(1e6, 0.4);
    Model model = one_body("a", ball, {});
    model.materials[0].law = CorotatedElastic{lame.mu, lame.lambda};
    model.materials[0].damping_stiffness = 1e-3;
    const Index n = ball.n_nodes();
    for (const Vec3d& p : ball.nodes) {
        model.mesh.nodes.push_back(rotation_about({0, 0, 1}, 0.3) * p +
                                   Vec3d{2 + distance, 0.1, 0.05});
        model.mesh.node_ids.push_back(n + model.mesh.node_ids[model.mesh.node_ids.size() - n]);
    }
    for (Tet tet : ball.tets) {
        for (Index& i : tet) i += n;
        model.mesh.tets.push_back(tet);
        model.mesh.tet_ids.push_back(static_cast<FileId>(model.mesh.tet_ids.size()));
    }
    model.tet_material.assign(model.mesh.tets.size(), 0);
    Body b;
    b.name = std::string(1, 'b');
    b.node_begin = n;
    b.node_end = 2 * n;
    b.tet_begin = ball.n_tets();
    b.tet_end = 2 * ball.n_tets();
    model.bodies.push_back(b);
    model.gravity = {0, 0, 0};
    for (Index i = 0; i < 2 * n; ++i)
        model.initial_velocity.push_back(i < n ? Vec3d{0.5, 0, 0} : Vec3d{-0.5, 0, 0});
    finish_model(model);
    return model;
}

void detect(benchmark::State& state, double distance, bool self) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Model model = two_balls(distance);
    std::vector<ContactSurface> surfaces;
    std::vector<Index> nodes;
    for (const Body& body : model.bodies) {
        surfaces.push_back({body.surface, body.surface_nodes});
        nodes.insert(nodes.end(), body.surface_nodes.begin(), body.surface_nodes.end());
    }
    const ContactInput in{
        model.mesh.nodes, model.initial_velocity, nodes, {}, model.mass, 0, 1.0 / 150,
        surfaces,         model.mesh.nodes};
    PenaltyContact method({.self = self});
    ContactSet set;
    method.detect(in, set);
    for (auto _ : state) {
        method.detect(in, set);
        method.respond(in, set);
        benchmark::DoNotOptimize(set.terms.data());
    }
    state.counters["contacts"] = static_cast<double>(set.contacts.size());
    state.counters["surface_nodes"] = static_cast<double>(nodes.size());
}

BENCHMARK_CAPTURE(detect, touching, -0.02, false)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(detect, near, 0.05, false)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(detect, far, 1.0, false)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(detect, self, 1.0, true)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

void step(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    auto model = std::make_unique<const Model>(two_balls(0));
    CorotationalOptions options;
    options.pcg.max_iterations = 10;
    options.pcg.rel_tolerance = 1e-12;
    auto stepper = std::make_unique<CorotationalStepper>(*model, options);
    World world(std::move(model), std::move(stepper),
                std::make_unique<PenaltyContact>(PenaltyOptions{}), {.measure_energy = false});
    double wall = 0, contact = 0, contacts = 0;
    for (auto _ : state) {
        const StepReport report = world.step();
        wall += report.wall_ms;
        contact += report.ms(Stage::detect) + report.ms(Stage::resolve);
        contacts += report.contacts;
    }
    state.counters["contacts"] = contacts / static_cast<double>(state.iterations());
    state.counters["contact_share"] = contact / wall;
}
BENCHMARK(step)->Arg(1)->Arg(2)->Iterations(50)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace limber

BENCHMARK_MAIN();

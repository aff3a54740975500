// SPDX-License-Identifier: Apache-2.0
// A whole 10-iteration step on the field's beam: 16 x 16 x 76 nodes, 101,250 tets, pinned at one
// end, swinging. Counters are ms a stage (means over the steps timed) and the shares that goals G5
// and G6 name.

#include <benchmark/benchmark.h>

#include <memory>

#include "limber/contact/methods/none.h"
#include "limber/core/parallel.h"
#include "limber/mesh/shapes.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

namespace limber {
namespace {

std::unique_ptr<World> beam(const CorotationalOptions& options) {
    auto model = std::make_unique<Model>();
    model->mesh = make_box({5, 1, 1}, {75, 15, 15});
    const Lame lame = Lame::from_young(1e6, 0.4);
    Material material;
    material.law = CorotatedElastic{lame.mu, lame.lambda};
    material.damping_stiffness = 1e-3;
    model->materials = {material};
    model->tet_material.assign(model->mesh.n_tets(), 0);
    Body body;
    body.name = "beam";
    body.node_end = model->mesh.n_nodes();
    body.tet_end = model->mesh.n_tets();
    model->bodies = {body};
    model->pins.push_back({"end", model->mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(*model);
    auto stepper = std::make_unique<CorotationalStepper>(*model, options);
    // The peers' figures do not include an energy report; ours is timed by its own stage when it is
    // on.
    return std::make_unique<World>(std::move(model), std::move(stepper),
                                   std::make_unique<NoContact>(),
                                   WorldOptions{.measure_energy = false});
}

void step(benchmark::State& state, OperatorKind matrix, RotationKind rotation) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    CorotationalOptions options;
    options.matrix = matrix;
    options.rotation.kind = rotation;
    options.pcg.max_iterations = 10;
    options.pcg.rel_tolerance = 1e-12;
    const auto world = beam(options);
    for (int k = 0; k < 20; ++k) world->step();
    StepReport sum;
    double wall = 0;
    for (auto _ : state) {
        const StepReport report = world->step();
        wall += report.wall_ms;
        for (int s = 0; s < n_stages; ++s) sum.stage_ms[s] += report.stage_ms[s];
    }
    for (int s = 0; s < n_stages; ++s)
        if (sum.stage_ms[s] > 0)
            state.counters[std::string(stage_names[s])] =
                sum.stage_ms[s] / static_cast<double>(state.iterations());
    state.counters["assemble_share"] = sum.ms(Stage::assemble) / wall;
    state.counters["rotate_share"] = sum.ms(Stage::rotate) / wall;
}

BENCHMARK_CAPTURE(step, assembled, OperatorKind::assembled, RotationKind::quaternion)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, matrix_free, OperatorKind::matrix_free, RotationKind::quaternion)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, assembled_jacobi, OperatorKind::assembled, RotationKind::jacobi)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(step, assembled_svd, OperatorKind::assembled, RotationKind::svd)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace limber

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0
//
// 01: a rubber beam, held at one end, bends under its own weight.
//
// What it shows: a model built in code, the default solver, and what a step reports.
// Run it:        build/release/example_01_hello_beam
// Prints a line every quarter of a second of simulated time:
//     t = 0.25 s   tip at y = -0.504 m   68 iterations   0.94 ms
//
#include <cstdio>
#include <memory>

#include "limber/contact/methods/none.h"
#include "limber/mesh/shapes.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

using namespace limber;

int main() {
    // 1. A mesh: one metre long, cut into 20 x 4 x 4 cells of six tets each.
    TetMesh mesh = make_box({1.0, 0.2, 0.2}, {20, 4, 4});

    // 2. A material: soft rubber (Young's modulus [Pa], Poisson's ratio), with a little damping.
    Material rubber = corotated_material("rubber", 2e5, 0.4);
    rubber.damping_stiffness = 0.01;  // [s]

    // 3. A body of both, and a pin that holds its left end.
    auto model = std::make_unique<Model>(one_body("beam", std::move(mesh), rubber));
    model->pins.push_back({"left end", model->mesh.node_groups.at("x-"), {true, true, true}, {}});
    model->h = 1.0 / 60;
    finish_model(*model);
    const Index tip = model->mesh.node_groups.at("x+").front();

    // 4. A solver: linearly implicit Euler, conjugate gradients stopped at a thousandth of |b|.
    CorotationalOptions options;
    options.pcg.rel_tolerance = 1e-3;
    auto stepper = std::make_unique<CorotationalStepper>(*model, options);

    // 5. A world steps them.
    World world(std::move(model), std::move(stepper), std::make_unique<NoContact>());
    while (world.state().time < 1.999) {
        const StepReport report = world.step();
        if (report.failed) {
            std::printf("%s\n", report.failure.what.c_str());
            return 1;
        }
        if (report.step % 15 == 0)
            std::printf("t = %.2f s   tip at y = %.3f m   %d iterations   %.2f ms\n", report.time,
                        world.state().x[tip].y, report.solve.iterations, report.wall_ms);
    }
}

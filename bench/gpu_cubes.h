// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of descent on a graphics card share: cubes of tets in any number, held at a
// side.

#include <memory>

#include "limber/contact/methods/none.h"
#include "limber/sim/world.h"
#include "limber/solve/descent/options.h"
#include "registry.h"

namespace limber::bench {

/// Without a card: says so in place of a result.
bool is_without_card(BenchResult& out);

/// n x n x n cubes of five tets, 1 m wide, held at one side, under its own weight; inner nodes are
/// moved by up to a tenth of a cube, so that no two rest shapes are the same.
Model held_cube(Index n, const Material& material, double h);
Material invertible_rubber();  // Mooney-Rivlin, 1 MPa
Material soft_neo_hookean();   // 250 kPa

/// A world of the model by the stepper that `make` gives of it, without contact and energies.
template <class Make>
std::unique_ptr<World> world_by(const Model& model, Make&& make) {
    auto own = std::make_unique<const Model>(model);
    auto stepper = make(*own);
    return std::make_unique<World>(std::move(own), std::move(stepper),
                                   std::make_unique<NoContact>(),
                                   WorldOptions{.measure_energy = false});
}
std::unique_ptr<World> descent_on_device(const Model& model, const DescentOptions& options);

/// Steps of the source's method (jacobi, 96 iterations) on the card, after five [ms].
struct DeviceSteps {
    std::vector<double> ms, whole_ms;  // by the clock of the card; as a caller waits for it
    DeviceUse use;                     // of the last one
    int failed = 0;
    std::string mib;  // of the card's memory
};
DeviceSteps device_steps(const Model& model, int count);

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small models made by hand, for tests that do not need a scene file.

#include <cmath>
#include <memory>

#include "limber/contact/methods/none.h"
#include "limber/core/distance.h"
#include "limber/mesh/shapes.h"
#include "limber/sim/world.h"
#include "limber/solve/corotational.h"

namespace limber::test {

inline Material rubber(double young = 1e5, double poisson = 0.4) {
    return corotated_material("rubber", young, poisson);
}

inline Model model_of(TetMesh mesh, const Material& material) {
    return one_body("body", std::move(mesh), material);
}

/// A bar of 4 x 1 x 1 cells per `n`, along x, pinned at x- where asked.
inline Model bar(int n = 2, bool pinned = true, const Material& material = rubber()) {
    Model model = model_of(make_box({1, 0.25, 0.25}, {4 * n, n, n}), material);
    if (pinned)
        model.pins.push_back({"pin 1", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(model);
    return model;
}

template <class Solver>
std::unique_ptr<World> world_with(Model model, const typename Solver::Options& options = {},
                                  WorldOptions world_options = {}) {
    auto owned = std::make_unique<const Model>(std::move(model));
    auto stepper = std::make_unique<Solver>(*owned, options);
    return std::make_unique<World>(std::move(owned), std::move(stepper),
                                   std::make_unique<NoContact>(), world_options);
}

inline std::unique_ptr<World> world_of(Model model, const CorotationalOptions& options = {},
                                       WorldOptions world_options = {}) {
    return world_with<CorotationalStepper>(std::move(model), options, world_options);
}

inline CorotationalOptions tight() {
    CorotationalOptions options;
    options.pcg.rel_tolerance = 1e-12;
    options.pcg.max_iterations = 5000;
    options.rotation.kind = RotationKind::svd;
    return options;
}

/// Rubber of another law.
template <class Law>
Material of(double young = 1e5, double poisson = 0.35) {
    Material material = rubber(young, poisson);
    material.law = Law::from(Lame::from_young(young, poisson));
    return material;
}

using limber::distance;
/// Of the size of b.
inline double relative_distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    return distance(a, b) / distance(b, std::vector<Vec3d>(b.size()));
}

}  // namespace limber::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems A x = b of elastic bars, as the solvers meet them.

#include <cmath>

#include "limber/fem/assembly.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/model.h"
#include "linalg/systems.h"

namespace limber::test {

struct FemSystem {
    BlockCsr A;
    Vectors b, free, positions;
};

// Steps of a system that is all but static, and of one that is all but its mass.
inline constexpr double huge_step = 1e3, tiny_step = 1e-4;

/// A = M + h² K of a bar of 4 n x n x n cells under its weight, clamped at x-. In the middle half
/// it is `contrast` times stiffer.
inline FemSystem bar_system(int n, double h, double contrast = 1,
                            const Mat3d& turn = Mat3d::identity()) {
    const auto law = [](double young) { return corotated_material("bar", young, 0.3); };
    Model model = one_body("bar", make_box({1, 0.25, 0.25}, {4 * n, n, n}), law(1e5));
    model.materials.push_back(law(contrast * 1e5));
    for (Index t = 0; t < model.n_tets(); ++t) {
        const double x = model.mesh.nodes[model.mesh.tets[t][0]].x;
        const double middle = model.mesh.nodes[model.n_nodes() / 2].x;
        if (std::fabs(x - middle) < 0.25) model.tet_material[t] = 1;
    }
    model.pins.push_back({"end", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    for (Vec3d& x : model.mesh.nodes) x = turn * x;
    finish_model(model);
    SystemAssembler assembler(model.elements);
    FemSystem out{assembler.make_matrix(), Vectors(model.n_nodes()), model.free, model.mesh.nodes};
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({h, false, model.lumped}, rotations, out.A);
    for (Index i = 0; i < model.n_nodes(); ++i)
        out.b[i] = model.mass[i] * (turn * Vec3d{1, -9.81, 2});
    return out;
}

}  // namespace limber::test

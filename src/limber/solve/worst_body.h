// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/linalg/linear_operator.h"
#include "limber/solve/model.h"

namespace limber {

/// The body on whose free degrees of freedom the residual is largest; -1: it vanishes everywhere.
/// For reports, where a step has not converged.
template <class Real>
Index worst_body(const Model& model, std::span<const Vec3<Real>> residual) {
    Index worst = -1;
    double most = 0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        double sum = 0;
        for (Index i = model.bodies[b].node_begin; i < model.bodies[b].node_end; ++i)
            sum += static_cast<double>(squared_norm(masked(residual[i], model.free[i])));
        if (!(sum > most)) continue;
        most = sum;
        worst = static_cast<Index>(b);
    }
    return worst;
}

}  // namespace limber

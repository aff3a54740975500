// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity.h"

#include <cmath>

#include "limber/contact/complementarity/gauss_seidel.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/core/check.h"

namespace limber {

double complementarity_residual(const ComplementarityProblem& problem, std::span<const double> p,
                                std::span<double> u) {
    impulse_response(problem.W, problem.u_free, p, u);
    double worst = 0;
    for (const ConstraintGroup& g : problem.groups) {
        const double r = group_residual(g, mean_diagonal(problem.W, g), p.subspan(g.row, g.n_rows),
                                        u.subspan(g.row, g.n_rows));
        if (!(r <= worst)) worst = r;
        if (std::isnan(worst)) return worst;
    }
    return worst;
}

std::unique_ptr<ComplementaritySolver> make_complementarity_solver(ComplementarityMethod method) {
    switch (method) {
        case ComplementarityMethod::gauss_seidel:
            return std::make_unique<GaussSeidel>();
    }
    LIMBER_CHECK(false, "a complementarity method without a solver");
    return nullptr;
}

}  // namespace limber

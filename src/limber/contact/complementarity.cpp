// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity.h"

#include <cmath>

#include "limber/contact/complementarity/automatic.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/complementarity/pivoting.h"
#include "limber/contact/complementarity/projected_gradient.h"
#include "limber/contact/complementarity/sweeping.h"
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
        case ComplementarityMethod::automatic:
            return std::make_unique<AutomaticSolver>();
        case ComplementarityMethod::gauss_seidel:
        case ComplementarityMethod::coloured:
        case ComplementarityMethod::nonsmooth_cg:
            return std::make_unique<SweepingSolver>(method);
        case ComplementarityMethod::pivoting:
            return std::make_unique<PivotingSolver>();
        case ComplementarityMethod::projected_gradient:
            return std::make_unique<ProjectedGradient>();
    }
    LIMBER_CHECK(false, "a complementarity method without a solver");
    return nullptr;
}

}  // namespace limber

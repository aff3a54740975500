// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/stuck.h"

#include <vector>

#include "limber/fem/elements/tet_potential.h"

namespace limber {

template <class Real>
bool look_for_stuck(Objective<Real>& objective, std::span<const Vec3<Real>> x, const Model& model,
                    QuietSteps& quiet, StepReport& report) {
    const bool converted = objective.converted();
    const double end = converted ? objective.energy(x) : 0;
    const double begin = converted ? objective.energy(objective.start()) : 0;
    if (!quiet.add(converted, begin, end)) return false;
    report.set(StepFlag::stuck);
    for (const auto& part : objective.potentials())
        if (const auto* tets = dynamic_cast<const TetPotential<Real>*>(part.get())) {
            const std::vector<double> held = tets->interpolants();
            const auto first =
                std::find_if(held.begin(), held.end(), [](double l) { return l > 0; });
            if (first != held.end())
                report.set(StepFlag::stuck,
                           model.body_index_of_tet(static_cast<Index>(first - held.begin())));
        }
    return true;
}

template bool look_for_stuck<float>(Objective<float>&, std::span<const Vec3<float>>, const Model&,
                                    QuietSteps&, StepReport&);
template bool look_for_stuck<double>(Objective<double>&, std::span<const Vec3<double>>,
                                     const Model&, QuietSteps&, StepReport&);

}  // namespace limber

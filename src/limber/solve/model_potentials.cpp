// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/model_potentials.h"

#include "limber/fem/tet_potential.h"

namespace limber {

template <class Real>
std::vector<std::unique_ptr<Potential<Real>>> make_potentials(const Model& model) {
    std::vector<std::unique_ptr<Potential<Real>>> out;
    if (model.n_tets() > 0)
        out.push_back(
            std::make_unique<TetPotential<Real>>(model.mesh, model.materials, model.tet_material));
    return out;
}

template std::vector<std::unique_ptr<Potential<double>>> make_potentials(const Model&);
template std::vector<std::unique_ptr<Potential<float>>> make_potentials(const Model&);

}  // namespace limber

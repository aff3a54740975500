// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/model_potentials.h"

#include "limber/fem/elements/element_potential.h"
#include "limber/fem/elements/tet_potential.h"

namespace limber {

template <class Real>
std::vector<std::unique_ptr<Potential<Real>>> make_cloth_potentials(const Model& model) {
    std::vector<std::unique_ptr<Potential<Real>>> out;
    const auto add = [&]<class Element>(const std::vector<Element>& elements) {
        if (!elements.empty())
            out.push_back(
                std::make_unique<ElementPotential<Real, Element>>(model.n_nodes(), elements));
    };
    add(model.cloth.springs);
    add(model.cloth.membranes);
    add(model.cloth.flat_hinges);
    add(model.cloth.hinges);
    return out;
}

template <class Real>
std::vector<std::unique_ptr<Potential<Real>>> make_potentials(const Model& model) {
    std::vector<std::unique_ptr<Potential<Real>>> out = make_cloth_potentials<Real>(model);
    if (model.n_tets() > 0)
        out.push_back(std::make_unique<TetPotential<Real>>(model.mesh, model.materials,
                                                           model.tet_material, model.tet_data));
    return out;
}

std::vector<std::unique_ptr<NodePotential>> make_node_potentials(const Model& model) {
    std::vector<std::unique_ptr<NodePotential>> out;
    const auto add = [&](const auto& elements) {
        if (!elements.empty()) out.push_back(make_element_nodes(model.n_nodes(), elements));
    };
    add(model.cloth.springs);
    add(model.cloth.membranes);
    add(model.cloth.flat_hinges);
    add(model.cloth.hinges);
    if (model.n_tets() > 0)
        out.push_back(
            make_tet_nodes(model.mesh, model.materials, model.tet_material, model.tet_data));
    return out;
}

template std::vector<std::unique_ptr<Potential<double>>> make_cloth_potentials(const Model&);
template std::vector<std::unique_ptr<Potential<float>>> make_cloth_potentials(const Model&);
template std::vector<std::unique_ptr<Potential<double>>> make_potentials(const Model&);
template std::vector<std::unique_ptr<Potential<float>>> make_potentials(const Model&);

}  // namespace limber

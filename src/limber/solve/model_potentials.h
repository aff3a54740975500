// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/fem/node_potential.h"
#include "limber/fem/potential.h"
#include "limber/solve/model.h"

namespace limber {

/// Springs, membranes and hinges.
template <class Real>
std::vector<std::unique_ptr<Potential<Real>>> make_cloth_potentials(const Model& model);

/// Everything that stores elastic energy in the model; one line for each kind of element.
template <class Real>
std::vector<std::unique_ptr<Potential<Real>>> make_potentials(const Model& model);

/// The same as single nodes see it.
std::vector<std::unique_ptr<NodePotential>> make_node_potentials(const Model& model);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model as descent on the device takes it: plain arrays in the order in which kernels read them,
// made once on the host.

#include <vector>

#include "limber/gpu/descent/quadratic.h"
#include "limber/gpu/descent/tiles.h"

namespace limber {
struct Model;
}

namespace limber::gpu {

/// Tets of one material, as planes (gpu/element_bodies.h).
template <class Real>
struct TetGroupData {
    Material material;
    std::vector<Index> tets;               // of the model
    std::vector<Index> node, slot;         // 4 planes
    std::vector<Index> quadratic_slot;     // 4 planes; empty: nothing is quadratic
    std::vector<Real> Dm_inv, volume;      // 9 planes [1/m], [m³]
    std::vector<Real> data;                // planes of the law's numbers a tet; empty: none
    std::vector<Real> b;                   // stiffness damping [s]; empty: none
    std::vector<Real> mass, mass_damping;  // consistent: m/20 [kg], a [1/s]; empty: lumped
    bool converts() const { return material.conversion.on; }
    Index n() const { return static_cast<Index>(tets.size()); }
};

/// Elements of cloth, or dampers of edges, with the slots of their corners, planes.
template <class Element>
struct ElementData {
    std::vector<Element> elements;
    std::vector<Index> slot;
    Index n() const { return static_cast<Index>(elements.size()); }
};

template <class Real>
struct DescentData {
    Index n_nodes = 0;
    std::vector<TetGroupData<Real>> groups;
    ElementData<Spring> springs;
    ElementData<Membrane> membranes;
    ElementData<FlatHinge> flat_hinges;
    ElementData<Hinge> hinges;
    ElementData<EdgeDamper> dampers;
    std::vector<Index> slot_begin, quadratic_begin;  // SlotLayout::begin of both kinds of slots
    TileLayout tiles;  // of the tets of groups[0], in their order; empty: they are not cut
    bool trapezoid = false, quasi_static = false;
    bool any_pinned = false;
    double rounding_scale = 0;  // Potential::rounding_scale() of all elements [J]
    // a node
    std::vector<double> mass, damping, stiffness;
    std::vector<unsigned char> pinned;
    std::vector<Index> origin;

    bool quadratic() const { return !quadratic_begin.empty(); }
    bool converts() const {
        for (const auto& group : groups)
            if (group.converts()) return true;
        return false;
    }
};

template <class Real>
DescentData<Real> make_descent_data(const Model& model);

}  // namespace limber::gpu

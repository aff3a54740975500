// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/core/math.h"
#include "limber/fem/materials.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// An energy over the position of one node, all others held.
struct NodeDerivatives {
    double energy = 0;  // [J]
    double scale = 0;   // terms it was added up from, absolute: rounding is a few ulps of this [J]
    Vec3d gradient;     // [N]
    Mat3d block;        // 3x3 of the Hessian as it is, not projected [N/m]
};

/// A part of the potential energy as single nodes see it: what block coordinate descent asks for.
/// Const calls for nodes without a common element may run at the same time.
class NodePotential {
  public:
    using Positions = std::span<const Vec3d>;
    virtual ~NodePotential() = default;
    /// As Potential::hold and set_kept: interpolants of the invertible conversion.
    virtual void hold(Positions) {}
    virtual void set_kept(std::span<const char>) {}
    /// Adds the elements of `node`.
    virtual void add(Index node, Positions x, NodeDerivatives& out) const = 0;
    /// Energy of its elements with the node at `at` instead of x[node]; infinite where a law has
    /// none.
    virtual double energy(Index node, const Vec3d& at, Positions x) const = 0;
};

/// Tets of any laws. Borrows the materials. `tet_data` is empty or has an entry a tet.
std::unique_ptr<NodePotential> make_tet_nodes(const TetMesh& mesh,
                                              std::span<const Material> materials,
                                              std::span<const Index> tet_material,
                                              std::span<const TetData> tet_data = {});

/// Elements of one kind: Spring, Membrane, FlatHinge or Hinge (fem/elements/element_potential.h).
template <class Element>
std::unique_ptr<NodePotential> make_element_nodes(Index n_nodes, std::vector<Element> elements);

}  // namespace limber

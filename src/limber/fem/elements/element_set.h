// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/core/simd.h"
#include "limber/fem/corner_sum.h"
#include "limber/fem/elements/tet_store.h"
#include "limber/fem/materials.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// What the linearly implicit solvers read of eight tets besides their shapes: Hooke's law of each.
struct HookeLanes {
    double mu[tet_lanes];            // [Pa]
    double lambda[tet_lanes];        // [Pa]
    double corotational[tet_lanes];  // 1: the law turns with the element; 0: R = I
};
/// In the order of the mesh: tet t is lane t % 8 of packet t / 8. The last packet is filled up with
/// lanes of zero volume at node 0.
using HookeStore = TetStore<double, tet_lanes, HookeLanes>;
using HookePacket = HookeStore::Lanes;

/// The elements of a model: const after make_elements.
struct ElementSet {
    Index n_nodes = 0, n_tets = 0;
    HookeStore tets;
    NodeTets incidence;                     // node -> tet * 4 + corner, ascending
    CornerSum corner_sum;                   // how per-corner values are summed into nodes
    std::vector<double> tet_mass;           // ρ V [kg]
    std::vector<double> damping_mass;       // a of C = a M + b K, per tet [1/s]
    std::vector<double> damping_stiffness;  // b, per tet [s]
    std::vector<Material> materials;
    std::vector<Index> tet_material;  // one per tet
    std::vector<TetData> tet_data;    // one per tet, or empty: their materials' hold
    /// Packets with a tet whose law is more than mu, lambda and `corotational` say; empty: none.
    std::vector<char> other_law;
};

ElementSet make_elements(const TetMesh& mesh, std::span<const Material> materials,
                         std::span<const Index> tet_material,
                         std::span<const TetData> tet_data = {});

/// Lumped mass: a quarter of each tet to each corner [kg].
std::vector<double> lumped_mass(const ElementSet& elements);
/// Σ a_e m_e / 4 per node [kg/s]: the mass part of Rayleigh damping, lumped.
std::vector<double> lumped_mass_damping(const ElementSet& elements);
/// A third of the trace of each node's diagonal block of K at rest; of pulled fibres
/// the mean over directions [N/m].
std::vector<double> diagonal_stiffness(const ElementSet& elements);
/// y += scale * M x with the consistent mass ρV/20 (1 + δ_ab), in node order; `with_damping` uses
/// a_e M_e.
void add_consistent_mass(const ElementSet& elements, std::span<const Vec3d> x, double scale,
                         bool with_damping, std::span<Vec3d> y);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/core/simd.h"
#include "limber/fem/corner_sum.h"
#include "limber/fem/materials.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// What the linearly implicit solvers read of eight tets. A packet past the end of the mesh is
/// filled up with lanes of zero volume at node 0.
struct alignas(64) TetPacket {
    Index node[4][tet_lanes];
    double Dm_inv[9][tet_lanes];     // inverse rest shape, column-major entries [1/m]
    double volume[tet_lanes];        // [m³]
    double mu[tet_lanes];            // [Pa]
    double lambda[tet_lanes];        // [Pa]
    double corotational[tet_lanes];  // 1: the law turns with the element; 0: R = I
};

/// The elements of a model: const after make_elements.
struct ElementSet {
    Index n_nodes = 0, n_tets = 0;
    std::vector<TetPacket> packets;         // ceil(n_tets / 8)
    NodeTets incidence;                     // node -> tet * 4 + corner, ascending
    CornerSum corner_sum;                   // how per-corner values are summed into nodes
    std::vector<double> tet_mass;           // ρ V [kg]
    std::vector<double> damping_mass;       // a of C = a M + b K, per tet [1/s]
    std::vector<double> damping_stiffness;  // b, per tet [s]
    std::vector<Material> materials;
    std::vector<Index> tet_material;  // one per tet
    /// Packets with a tet whose law is more than mu, lambda and `corotational` say; empty: none.
    std::vector<char> other_law;
};

ElementSet make_elements(const TetMesh& mesh, std::span<const Material> materials,
                         std::span<const Index> tet_material);

/// g_0 .. g_3, the gradients of the shape functions of one tet at rest [1/m].
inline std::array<Vec3d, 4> rest_gradients(const Mat3d& Dm_inv) {
    const Vec3d g1 = Dm_inv.row(0), g2 = Dm_inv.row(1), g3 = Dm_inv.row(2);
    return {-(g1 + g2 + g3), g1, g2, g3};
}
inline std::array<Vec3d, 4> rest_gradients(const TetPacket& packet, int lane) {
    Mat3d Dm_inv;
    for (int i = 0; i < 9; ++i) Dm_inv.a[i] = packet.Dm_inv[i][lane];
    return rest_gradients(Dm_inv);
}

/// Lumped mass: a quarter of each tet to each corner [kg].
std::vector<double> lumped_mass(const ElementSet& elements);
/// Σ a_e m_e / 4 per node [kg/s]: the mass part of Rayleigh damping, lumped.
std::vector<double> lumped_mass_damping(const ElementSet& elements);
/// A third of the trace of each node's diagonal block of K at rest [N/m].
std::vector<double> diagonal_stiffness(const ElementSet& elements);
/// y += scale * M x with the consistent mass ρV/20 (1 + δ_ab), in node order; `with_damping` uses
/// a_e M_e.
void add_consistent_mass(const ElementSet& elements, std::span<const Vec3d> x, double scale,
                         bool with_damping, std::span<Vec3d> y);

}  // namespace limber

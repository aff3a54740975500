// SPDX-License-Identifier: Apache-2.0
#pragma once

// Node rotations and warp-cancelled element blocks: Hecht, Lee, Shewchuk & O'Brien 2012,
// "Updated Sparse Cholesky Factors for Corotational Elastodynamics", sections 3.3 and 4.

#include <array>
#include <span>
#include <vector>

#include "limber/fem/assembly.h"

namespace limber {

/// R_i of every node, material -> world. Kept by columns: a column is loaded for eight tets at
/// once.
struct NodeRotations {
    std::array<std::vector<Vec3d>, 3> column;

    void reset(Index n_nodes);  // all identity
    Mat3d at(Index i) const {
        return Mat3d::from_columns(column[0][i], column[1][i], column[2][i]);
    }
    void set(Index i, const Mat3d& R);
    /// R_i v and R_iᵀ v.
    Vec3d turn(Index i, const Vec3d& v) const {
        return v.x * column[0][i] + v.y * column[1][i] + v.z * column[2][i];
    }
    Vec3d turn_back(Index i, const Vec3d& v) const {
        return {dot(column[0][i], v), dot(column[1][i], v), dot(column[2][i], v)};
    }
};

/// Fits R_i to the edges from node i to its neighbours: the rotation that maximises
/// tr(R_iᵀ Σ_j (x_j − x_i)(X_j − X_i)ᵀ), which is Horn's (1987) least-squares rotation.
class NodeRotationFit {
  public:
    explicit NodeRotationFit(const TetMesh& rest);
    /// Nodes marked in `upright` get the identity.
    void update(std::span<const Vec3d> x, std::span<const char> upright,
                NodeRotations& rotations) const;

  private:
    std::span<const Vec3d> rest_;
    NodeGraph graph_;
};

/// Q_a = R_aᵀ R_e of the four corners of every tet, at the time the tet was last updated:
/// K̃_ab = Q_a K_ab Q_bᵀ (5).
struct WarpFrames {
    std::vector<std::array<Mat3d, 4>> tet;
    void reset(const ElementSet& elements);  // all identity: everything at rest
};

/// Q of the marked tets from the rotations of now.
void refresh_frames(const ElementSet& elements, const CorotationCache& elements_now,
                    const NodeRotations& nodes_now, std::span<const char> tet_marked,
                    WarpFrames& frames);

/// The matrix in the frames of the nodes:  Ã_ij = δ_ij m_i I + Σ_e Q_a (m_ab I + (h² + h b_e) K_ab)
/// Q_bᵀ.
class WarpAssembler {
  public:
    WarpAssembler(const ElementSet& elements, const BlockPairs& pairs);
    /// Every block.
    void assemble(const SystemCoefficients& coefficients, const WarpFrames& frames, BlockCsr& A);
    /// The blocks whose nodes are both marked: all that a tet with marked corners adds to.
    void reassemble(const SystemCoefficients& coefficients, const WarpFrames& frames,
                    std::span<const char> node_marked, BlockCsr& A);
    /// Every block where the frames of all tets are those of now: Ã_ij = R_iᵀ A_ij R_j from the
    /// exact matrix, at a fraction of the cost; the same but for rounding. `exact` may be `A`.
    void turn(const BlockCsr& exact, const NodeRotations& nodes_now, BlockCsr& A) const;

  private:
    void scale_stiffness(double h, bool consistent_mass);

    const ElementSet& elements_;
    BlockPairs pairs_;
    std::vector<double> gradient_;  // g_0 .. g_3 per tet at rest, and a little to load by fours
    struct Scales {
        double lambda, mu;  // kVλ, kVμ with k = h² + h b_e [kg m²]
        double mass;        // of M_ab, a ≠ b, with its damping [kg]
    };
    std::vector<Scales> scale_;  // per tet, for h_ and consistent_
    double h_ = -1;
    bool consistent_ = false;
};

/// Section 4.2: |f_cor − f_apx| of each tet in N s,
///   f_cor = R_e B_e R_eᵀ v,   f_apx = R_n Q B_e Qᵀ R_nᵀ v,   B_e = M_e + h C_e + h² K_e.
/// With lumped mass the mass cancels. `turned` is R_iᵀ v_i of every node.
void warp_errors(const ElementSet& elements, const SystemCoefficients& coefficients,
                 const CorotationCache& elements_now, const NodeRotations& nodes_now,
                 const WarpFrames& frames, std::span<const Vec3d> v, std::span<const Vec3d> turned,
                 std::span<double> error);

}  // namespace limber

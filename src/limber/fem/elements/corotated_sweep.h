// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two sweeps over tets of corotated elasticity by operator splitting (Kugelstadt, Koschier &
// Bender 2018, "Fast corotated FEM using operator splitting"): forces with rotations that are
// turned on by one Newton step a sweep, and volume constraints one after the other.

#include "limber/fem/corner_sum.h"
#include "limber/fem/elements/tet_store.h"
#include "limber/fem/materials.h"
#include "limber/mesh/colouring.h"

namespace limber {

/// What a sweep takes of the law ψ = μ |F − R|² + λ/2 tr²(RᵀF − I): all of it, or the first term,
/// which resists stretching.
enum class CorotatedTerms { all, stretch };

/// Forces of tets under the laws `corotated` and `projective`. Each tet keeps a rotation R, which a
/// sweep turns towards the maximum of tr(RᵀF) by one step of Newton's method with the exact line
/// search (section 3.3 there, with its own step lengths): at the maximum the forces are those of
/// the law. W tets at once, without a branch.
template <class Real>
class CorotatedSweep {
  public:
    static constexpr int W = lanes_of<Real>;

    /// Borrows the materials.
    CorotatedSweep(const TetMesh& mesh, std::span<const Material> materials,
                   std::span<const Index> tet_material);

    /// Turns the rotations to F(x) and sums ∂ψ/∂F : ∂F/∂x with them held, chunk by chunk.
    void begin_gradient(std::span<const Vec3<Real>> x, CorotatedTerms terms);
    /// g += that of the nodes [begin, end)   [N]
    void add_gradient_range(Index begin, Index end, std::span<Vec3<Real>> g) const;

    /// Unit quaternions (w, x, y, z), four numbers a place (lanes without a tet included): what is
    /// kept from step to step.
    std::vector<double> rotations() const;
    void set_rotations(std::span<const double> values);
    /// The identity everywhere.
    void reset_rotations();

  private:
    struct RotationLanes {
        Real q[4][W];
    };
    using Store = TetStore<Real, W, RotationLanes>;
    template <CorotatedTerms terms>
    void sweep(Index chunk, Index first, Index last, const Vec3<Real>* x, Vec4<Real>* sum);

    struct Moduli {
        Real two_mu, lambda;  // [Pa]
    };
    Store store_;
    std::vector<Moduli> moduli_;  // of each chunk
    CornerSumOf<W> plan_;
    CornerSumScratchOf<Real> scratch_;
};

/// The volume term as compliant constraints (section 3.2 there): C = det F − 1 with energy
/// λV/2 C², solved one by one with multipliers κ,
///   Δκ = −(C + κ/(λV)) / (Σ w |∇C|² + 1/(λV)),   κ += Δκ,   Δx = w ∇C Δκ,
/// colour by colour, W tets at once.
/// Deviation: the program that comes with the paper takes the volume itself as C, with the
/// compliance 1/(λV) of this C: at volumes far below one that constraint hardly acts.
template <class Real>
class VolumeSweep {
  public:
    static constexpr int W = lanes_of<Real>;

    VolumeSweep(const TetMesh& mesh, std::span<const Material> materials,
                std::span<const Index> tet_material);
    /// All multipliers are 0.
    void begin();
    /// One sweep. `mobility`: w of each axis of a node [m/N], 0 where it is held.
    void sweep(std::span<Vec3<Real>> x, std::span<const Vec3<Real>> mobility);
    Index n_colours() const { return static_cast<Index>(packet_begin_.size()) - 1; }

  private:
    struct ConstraintLanes {
        Real compliance[W];  // 1/(λV) [1/J]
        Real multiplier[W];  // κ [J]
    };
    using Store = TetStore<Real, W, ConstraintLanes>;
    Store store_;
    std::vector<Index> packet_begin_{0};  // of each colour, and the end
    std::vector<int> tets_in_;            // of each packet
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/linalg/block_rows.h"

namespace limber {

/// What stands for ∂²E/∂x²: as it is, or each element's part replaced by the nearest positive
/// semidefinite one.
enum class HessianKind { exact, projected };
constexpr std::array<std::string_view, 2> enum_names(HessianKind) {
    return {"exact", "projected"};
}

/// A part of the potential energy E(x): the tets of a model, its springs, its cloth. Sums are taken
/// in an order that depends on the mesh alone. Real is the precision of positions, energies of
/// single elements and gradients.
template <class Real>
class Potential {
  public:
    using Positions = std::span<const Vec3<Real>>;
    virtual ~Potential() = default;

    /// Takes from x what derivatives and comparisons of energies hold fixed (interpolants of the
    /// invertible conversion). Called once an iteration.
    virtual void hold(Positions) {}
    /// A step of time begins at x: what was held is forgotten, but for elements that are kept by
    /// the invertible conversion until they have their shape again.
    virtual void begin_step(Positions) {}
    /// What is kept, for checkpoints and for others of the same elements: 0 or 1 an element, or
    /// nothing at all.
    virtual std::vector<char> kept() const { return {}; }
    virtual void set_kept(std::span<const char>) {}
    /// E(x) [J]; infinite where the law has no value (an inverted tet under a law with ln J).
    virtual double energy(Positions x) = 0;
    /// g += ∂E/∂x [N].
    virtual void add_gradient(Positions x, std::span<Vec3<Real>> g) = 0;
    /// add_gradient() in two halves, so that a caller can go on with a range of nodes while it is
    /// in cache: first the elements, and hold(x) on the way where asked, then g += ∂E/∂x of the
    /// nodes [begin, end). Energies and diagonals may be asked for in between. False: not offered,
    /// nothing was done.
    virtual bool begin_gradient(Positions, bool /*hold*/) { return false; }
    virtual void add_gradient_range(Index /*begin*/, Index /*end*/, std::span<Vec3<Real>>) {}
    /// Rounding errors of energy() are about this many units in the last place of 1 [J]: laws whose
    /// terms cancel at rest have them there as well.
    virtual double rounding_scale() const { return 0; }
    /// Whether what is held changes the energy: energies from before the last hold() then belong
    /// to another function.
    virtual bool converted() const { return false; }
    /// d += the diagonal of ∂²E/∂x² [N/m]: Jacobi preconditioning. Of tets not projected; of cloth
    /// projected, because compressed springs pull it below zero.
    virtual void add_diagonal(Positions x, std::span<Vec3<Real>> d) = 0;
    /// D += the diagonal 3x3 blocks of ∂²E/∂x² [N/m].
    virtual void add_diagonal_blocks(Positions x, HessianKind kind, std::span<Mat3<Real>> D) = 0;
    /// The pairs of nodes i < j that ∂²E/∂x² couples are appended, in any order.
    virtual void add_pairs(std::vector<std::array<Index, 2>>& pairs) const = 0;
    /// A += scale ∂²E/∂x². A has room for every pair, and the same pattern in every call.
    virtual void add_hessian(Positions x, HessianKind kind, double scale, BlockCsr& A) = 0;
    /// A += the projected ∂²E/∂x², rounded to what A holds. A has the pattern of every call before.
    /// False: not offered, nothing was done.
    virtual bool add_tangent(Positions, BlockRows<float>&) { return false; }
    virtual bool add_tangent(Positions, BlockRows<double>&) { return false; }
    /// A += the constant matrix of projective dynamics, above ∂²E/∂x² (Bouaziz et al. 2014). False:
    /// there is none.
    virtual bool add_projective_matrix(BlockCsr&) { return false; }
    /// A += scale Σ b_e K_e(x) with the projected tangents of tets: stiffness damping. Other
    /// elements have none.
    virtual void add_damping(Positions, std::span<const double> /*b, per tet*/, double /*scale*/,
                             BlockCsr&) {}
};

/// A matrix of zeros with the diagonal and the given pairs of n nodes.
BlockCsr matrix_of_pairs(Index n_nodes, std::vector<std::array<Index, 2>> pairs);

}  // namespace limber

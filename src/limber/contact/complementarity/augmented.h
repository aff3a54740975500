// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/group_laws.h"
#include "limber/linalg/block_csr.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/linalg/supernodal/cholesky.h"

namespace limber {

/// The complementarity problem of a step with the matrix of the bodies instead of W.
struct MatrixProblem {
    const BlockCsr& A;               // [kg], positive definite on the free degrees of freedom
    FreeMask free;                   // as in the factor behind `inverse`
    Compliance& inverse;             // A⁻¹
    const ConstraintRows& H;         // rows whose nodes the pattern of A couples: fits()
    std::span<const double> u_free;  // [m/s]
    std::span<const ConstraintGroup> groups;
    std::span<const double> d;  // per group: no less than the mean diagonal of W [1/kg], so
                                // that residuals are no less than those with W
};

/// Contact without W: where most nodes of a light body touch, as those of a cloth that lies on
/// something do, W is dense and larger than A, its factor and all they cost together.
///
/// With multipliers p̂ and radii mu p̂_n of the friction held, the velocities are the minimum of
///
///   φ(v) = ½ (v − v_free)ᵀ A (v − v_free) + Σ |Π(p̂ − ρ u)|² / 2ρ,   u = u_free + H (v − v_free)
///
/// with Π onto p_n >= 0 and |p_t| <= radius: convex and smooth but for its second derivative, so
/// that Newton's method with a line search finds it in a few factors of A + Hᵀ ρ Π' H, with the
/// pattern of A where fits(). Then p̂ = Π(p̂ − ρ u) and again (Rockafellar's augmented Lagrangian;
/// Alart & Curnier 1991 for contact, the radii as Tresca's law by turns). Where a contact slips,
/// ∇²φ along the slip vanishes and Newton overshoots; there a bound of it takes over for a step.
/// Where neither p nor what slips has changed the factor is kept.
///
/// Iterations are factors. The same bits for any number of threads.
class AugmentedLagrangian {
  public:
    /// Whether Hᵀ H has the pattern of A. Contacts between bodies, and of a body with itself, do
    /// not: their nodes share no element. They cost an order of elimination where they change.
    static bool fits(const BlockCsr& A, const ConstraintRows& H,
                     std::span<const ConstraintGroup> groups);
    ComplementarityStats solve(const MatrixProblem& problem, const ComplementarityOptions& options,
                               std::span<double> p);

  private:
    void couple(const MatrixProblem& problem);
    void prepare(const MatrixProblem& problem);
    void respond(const MatrixProblem& problem, std::span<const double> p);
    double residual(const MatrixProblem& problem, std::span<const double> p) const;
    void project_at(const MatrixProblem& problem, std::span<const Vec3d> dv);
    double slope_at(const MatrixProblem& problem, double t) const;
    void set_gradient(const MatrixProblem& problem);
    double gradient_speed() const;
    bool fill_matrix(const MatrixProblem& problem, bool bound);
    double descend(const MatrixProblem& problem, bool bound, bool bold);
    void minimise(const MatrixProblem& problem, const ComplementarityOptions& options, double close,
                  int most);

    SupernodalCholesky<double> factor_{SupernodalOptions{.lean = true}};
    BlockCsr K_;
    std::vector<Index> A_row_begin_, A_column_;  // the pattern that K_ was made for
    using Pairs = std::vector<std::pair<Index, Index>>;
    Pairs extra_, wanted_;                  // of nodes that A does not couple: in K_, of these rows
    std::vector<Index> at_;                 // per block of A: its place in K_
    std::vector<std::uint8_t> uniform_;     // per group: its rows see the same nodes
    std::vector<Index> places_;             // in K_, of each two nodes of a uniform group
    std::vector<Mat3d> slopes_, factored_;  // ρ Π' per group: now, and in the factor
    bool bold_ = true;                      // whole steps find what acts, in this solve
    int factors_ = 0;                       // of this solve
    std::vector<double> rho_;               // per group [kg]
    std::vector<double> inverse_mass_;      // per node, of the largest entry of A's diagonal [1/kg]
    std::vector<Vec3d> dv_, Adv_;           // v − v_free, and A times it
    std::vector<Vec3d> step_, Astep_, gradient_, force_, try_, Atry_;
    std::vector<double> multiplier_, radius_, p_, u_, exact_;
    std::vector<double> along_;    // H times step_
    std::vector<double> outside_;  // p̂ − ρ u, before Π
    BestIterate best_;
};

}  // namespace limber

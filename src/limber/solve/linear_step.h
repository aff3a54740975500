// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the linearly implicit steppers share: A v⁺ = b with b = M v + h f and A = M + h C + h² K.

#include <span>
#include <vector>

#include "limber/fem/assembly.h"
#include "limber/solve/stepper.h"

namespace limber {

/// `value` along the free axes of a node, `pin` along the others.
inline Vec3d with_prescribed(const Vec3d& value, const Vec3d& pin, const Vec3d& free) {
    return masked(value, free) + masked(pin, Vec3d{1, 1, 1} - free);
}

/// What a contact term of one node adds to its diagonal block [kg].
inline Mat3d one_node_block(const ContactTerm& term) {
    return (term.at.weight[0] * term.at.weight[0]) * term.block;
}
void add_one_node_blocks(std::span<const ContactTerm> terms, BlockCsr& A);

/// Iterations add up over sub-steps; what a user should know becomes a flag.
/// `body`: where it is worst; -1: not known.
void report_solve(SolveStats stats, StepReport& report, Index body = -1);

/// The right-hand side of a step and what is measured against it. Sized once.
class LinearStep {
  public:
    static constexpr Index grain = 2048;  // nodes a chunk: about 50 kB of vectors

    explicit LinearStep(const Model& model);

    /// Elastic forces, written by the caller; build() adds the external ones [N].
    std::vector<Vec3d>& force() { return force_; }
    std::span<const Vec3d> force() const { return force_; }

    /// b = M v + h f + the impulses of contact [N s], and the coefficients of A.
    void build(const StepInput& in, std::span<const Vec3d> v);
    /// The coefficients alone: m + h (mass damping) of the lumped masses.
    const SystemCoefficients& set_coefficients(double h);

    std::span<const Vec3d> b() const { return b_; }
    const SystemCoefficients& coefficients() const { return coefficients_; }

    /// |a| over the free degrees of freedom of nodes begin .. end - 1; `partial` has room for one
    /// number a chunk.
    double free_norm(std::span<const Vec3d> a, Index begin, Index end,
                     std::span<double> partial) const;
    double free_norm(std::span<const Vec3d> a) {
        return free_norm(a, 0, model_.n_nodes(), partial_);
    }
    /// The body where A v⁺ = b is missed most, for reports.
    Index worst_body(const LinearOperator& A, std::span<const Vec3d> v_new) const;
    std::span<double> partial() { return partial_; }  // one number a node

    /// What holds the pins: the residual of A v⁺ = b in prescribed rows is their impulse. `A` has
    /// the contact terms of one node in it.
    void find_reactions(const StepInput& in, const BlockCsr& A, std::span<const Vec3d> v_new,
                        NodeForces& forces) const;
    /// The same for a product A v⁺ that lacks the terms of several nodes only.
    void find_reactions(const StepInput& in, std::span<const Vec3d> product,
                        std::span<const Vec3d> v_new, NodeForces& forces) const;
    /// Contact forces that b does not know act on the pins as well.
    void subtract_contact(NodeForces& forces) const;
    bool has_pins() const { return !pinned_.empty(); }
    std::span<const Index> pinned() const { return pinned_; }

  private:
    template <class RowProduct>
    void react(const StepInput& in, std::span<const Vec3d> v_new, const RowProduct& Av,
               NodeForces& forces) const;

    const Model& model_;
    std::vector<Index> pinned_;     // nodes with a prescribed degree of freedom
    std::vector<double> diagonal_;  // m + h (mass damping), lumped [kg]
    std::vector<Vec3d> force_, b_;
    std::vector<double> partial_;
    SystemCoefficients coefficients_;
};

}  // namespace limber

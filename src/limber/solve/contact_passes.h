// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/core/fields.h"
#include "limber/linalg/pcg.h"
#include "limber/solve/linear_step.h"

namespace limber {

struct ContactPassOptions {
    int passes = 10;
    double tolerance = 1e-4;
};

template <class Visitor>
void fields(Visitor& field, ContactPassOptions& o) {
    field("contact_passes", o.passes, between(1, 1000),
          "contact by constraints is solved with the factor as it is and, up to so many times in "
          "all, again with what that left out; 1: once");
    field("contact_tolerance", o.tolerance, inside(0, 1),
          "what the factor may leave out, as a share of the impulses of the step");
}

/// Contact by constraints where P, the factor at hand, is not quite A⁻¹. Constraints that know the
/// answer v(f₀) = A⁻¹ (b + f₀) to some impulses f₀, and P alone for what they change of them, find
/// v = v(f₀) + P (f − f₀). With it A v = b + f − r, and r = (I − A P) (f − f₀) is what P leaves out
/// of the change. Where r is too much, conjugate gradients on A find v(f), and the constraints are
/// solved again from there: at the fixed point r = 0 whatever P is.
///
/// The first f₀ are the impulses of the last step. A body at rest then has v(f₀) = 0 to begin with:
/// no iterations, and one pass.
class ContactPasses {
  public:
    ContactPasses(const Model& model, const ContactPassOptions& options, double rel_tolerance);

    struct System {
        const LinearOperator& A;
        const InverseOperator& P;
        LinearStep& step;  // with b
    };
    /// Before free motion: b + f₀, which it is to be solved for.
    std::span<const Vec3d> begin(const LinearStep& step, const StepInput& in);
    /// Free motion without f₀, where the matrix that answers is P itself.
    std::span<const Vec3d> begin_without(const LinearStep& step);
    std::span<const Vec3d> load() const { return load_; }
    /// After free motion: v is what conjugate gradients left, b + f₀ − r₀ = A v. Constraints are
    /// told that v is the answer to f₀ − r₀ then, so that P goes over r₀ with what it does for them
    /// anyway. Else a body near rest, where no iterations are needed, would keep the motion that
    /// the tolerance allows.
    void give_residual_to_constraints(const LinearOperator& A, std::span<const Vec3d> v);
    /// Stepper::answered().
    std::span<const Vec3d> answered() const { return answered_; }
    /// Stepper::answers().
    bool answers(const System& system, const StepInput& in, std::span<const Vec3d> impulses,
                 State& state, StepReport& report);

    /// After answers() was false: P is another one from now on.
    void use_new_factor() { last_norm_ = 0; }
    /// Of conjugate gradients since begin().
    int iterations() const { return iterations_; }

  private:
    void extrapolate(std::span<Vec3d> v);

    const Model& model_;
    ContactPassOptions options_;
    Pcg pcg_;
    int pass_ = 0, iterations_ = 0;
    std::span<const Vec3d> load_;
    std::vector<Vec3d> answered_;  // f₀; empty: 0
    std::vector<Vec3d> rhs_, product_;
    // Of the last pass: its impulses, the answer to them, and what P missed of that.
    std::vector<Vec3d> last_impulses_, last_answer_, last_missed_;
    double last_norm_ = 0;
};

}  // namespace limber

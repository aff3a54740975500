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

/// Contact by constraints where P, the factor at hand, is not quite A⁻¹. With v from constraints
/// that know P alone, A v = b + f − r, and r = (I − A P) f is what P leaves out of the answer to
/// their impulses f. Where r is too much, conjugate gradients on A find the answer v(f), and the
/// constraints are solved again from v(f) − P f: at the fixed point r = 0 whatever P is.
class ContactPasses {
  public:
    ContactPasses(const Model& model, const ContactPassOptions& options, double rel_tolerance);

    struct System {
        const LinearOperator& A;
        const InverseOperator& P;
        LinearStep& step;  // with b
    };
    /// After each free motion.
    void begin() { pass_ = 0; }
    /// Stepper::answers().
    bool answers(const System& system, const StepInput& in, std::span<const Vec3d> impulses,
                 State& state, StepReport& report);

  private:
    const Model& model_;
    ContactPassOptions options_;
    Pcg pcg_;
    int pass_ = 0;
    std::vector<Vec3d> rhs_, product_, solution_;
};

}  // namespace limber

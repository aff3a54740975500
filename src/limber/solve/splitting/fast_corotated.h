// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/solve/splitting/options.h"
#include "limber/solve/stepper.h"

namespace limber {

/// Corotated elasticity by one constant factor (Kugelstadt, Koschier & Bender 2018, "Fast corotated
/// FEM using operator splitting"). With the rotations R of the tets held, the stretching term
/// μ |F − R|² of the law is quadratic, and its Hessian 2μ V Dᵀ D is a Laplacian times the identity
/// whatever R is: with inertia and damping one matrix of numbers P (linalg/supernodal/scalar.h),
/// factorised once for a step length. An iteration is
///
///   1. R of every tet by one Newton step from the last (fem/elements/corotated_sweep.h)
///   2. g = the gradient of the step's objective (solve/objective.h) with R held
///   3. x ← x − P⁻¹ g
///
/// scheme = "split" is the source's Algorithm 2: P and g without volume, one iteration from the
/// inertial prediction, then sweeps over volume constraints. What that leaves out does not go to
/// zero with more iterations: stretching does not know of the volume, nor the constraints of
/// stretching, and det F − 1 stands for tr(RᵀF − I).
///
/// scheme = "joint": g holds the volume term λ/2 tr²(RᵀF − I), P its share 2μ + λ; steps are
/// corrected by those before (solve/splitting/subspace.h), also by those of the step of time
/// before, and the last x by what g is there: no solve, but without it few iterations a step of
/// time gain energy. It goes to the minimum of the step, that of `newton` under the same law. Where
/// |g|² in the norm of P⁻¹ rises a hundredfold the iteration goes back to the best x and on without
/// a memory.
///
/// Laws `corotated` and `projective`; pins by elimination; inertia, damping, contact and integrator
/// as in solve/objective.h. In steps with contact P is factorised again with a third of the trace
/// of each contact's block.
class FastCorotatedStepper final : public Stepper {
  public:
    using Options = FastCorotatedOptions;
    FastCorotatedStepper(const Model& model, const Options& options);
    ~FastCorotatedStepper() override;
    std::string_view name() const override { return "fast_corotated"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    /// History: rotations, v of the last step, and what the next one is corrected by.
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override;
    std::string describe() override;

  private:
    struct Loop;
    template <class Real>
    struct LoopOf;
    std::unique_ptr<Loop> loop_;
};

}  // namespace limber

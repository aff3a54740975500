// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/gpu/stepper.h"
#include "limber/solve/descent/untangle.h"

namespace limber::gpu {

/// solver.kind = "descent" with directions jacobi and block_jacobi.
class DescentOnDevice final : public DeviceStepper {
  public:
    DescentOnDevice(const Model& model, const DescentOptions& options,
                    std::unique_ptr<DescentRun> run, const DescentSetup& setup);
    std::string_view name() const override { return "descent"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override {
        knot_.begin();
        DeviceStepper::free_motion(in, state, forces, report);
    }
    void integrate(const StepInput& in, State& state) const override {
        DeviceStepper::integrate(in, state);
        if (knot_.throws()) knot_.apply(state);
    }
    /// History: that of the CPU's DescentStepper, entry for entry, so that a run may change device.
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override;

  private:
    template <class List, class Self>
    static void list_history(List& list, Self& self);
    bool wants_spectrum(std::int64_t step) const override {
        return control_.length.wants_longest(step);
    }
    void look_for_knots(const StepInput& in, std::int64_t step, StepReport& report) override;

    double max_step_;
    Knot knot_;
};

/// What options ask of a run, for a model.
DescentSetup descent_setup(const Model& model, const DescentOptions& options);

}  // namespace limber::gpu

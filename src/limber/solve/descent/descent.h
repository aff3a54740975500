// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/solve/descent/options.h"
#include "limber/solve/stepper.h"

namespace limber {

/// A step of time as minimisation of its objective by descent: Wang & Yang 2016, Algorithm 1, one
/// loop with four replaceable parts (direction.h, step_length.h, acceleration.h,
/// initial.h), in single or double precision.
class DescentStepper final : public Stepper {
  public:
    using Options = DescentOptions;
    DescentStepper(const Model& model, const Options& options);
    ~DescentStepper() override;
    std::string_view name() const override { return "descent"; }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    /// History: v of the last step and its step length.
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override;
    void describe_cells(CellFields& fields) const override;
    bool watch(SolveWatcher watcher) override;

    struct Loop;  // of either precision

  private:
    std::unique_ptr<Loop> loop_;
};

/// InputError text where parts cannot go together; empty: they can.
std::string descent_conflict(const DescentOptions& options);

}  // namespace limber

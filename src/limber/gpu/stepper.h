// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/gpu/descent/run.h"
#include "limber/solve/descent/options.h"
#include "limber/solve/stepper.h"

namespace limber::gpu {

/// What a device stepper needs of its options.
struct FirstGuess {
    InitialKind initial = InitialKind::acceleration;
    double eta = 0.2;
};

/// A step of time by a DescentRun, on the device or on its host twin. The host hands in the state
/// where it is not what the last step ended with, loads, pins and contact, and reads the end.
class DeviceStepper : public Stepper {
  public:
    DeviceStepper(const Model& model, const FirstGuess& guess, std::unique_ptr<DescentRun> run,
                  const DescentSetup& setup);
    ~DeviceStepper() override;
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override;
    void integrate(const StepInput& in, State& state) const override;
    void reset() override;
    std::string describe() override;
    void describe_cells(CellFields& fields) const override;

  protected:
    /// The device is asked for the longest step before step `step`.
    virtual bool wants_spectrum(std::int64_t /*step*/) const { return false; }
    /// Tets were held by the conversion at the end of a step with these elastic energies.
    virtual void look_for_knots(const StepInput& in, std::int64_t step, StepReport& report) = 0;
    /// The first body with a tet that the conversion holds; -1: none.
    int held_body(std::span<const double> interpolants) const;

    /// What stays on the device between steps, for save(), and back, after load().
    void fetch_history() const;
    void hand_in_history();
    /// All of History that is not the method's own.
    template <class List, class Self>
    static void list_kept(List& list, Self& self, std::string_view name) {
        if (self.converts_) list.flags(name, self.kept_);
    }

    const Model& model_;
    std::unique_ptr<DescentRun> run_;
    DescentControl control_;  // as the last step left it
    double rel_tolerance_;
    bool converts_ = false;
    mutable std::vector<Vec3d> v_before_;
    mutable std::vector<char> kept_;
    bool has_before_ = false;  // v_{t-1} is on the device
    std::string lost_;         // why the device is gone; empty: it is there

  private:
    void compute(const StepInput& in, const State& state, DeviceUse& use);
    void touch(std::span<const ContactTerm> terms);
    StepNumbers numbers(const StepInput& in) const;
    void finish(const StepInput& in, State& state, NodeForces& forces, StepReport& report);
    void forget_state();

    FirstGuess guess_;
    std::vector<Vec3d> x_there_, v_there_;  // the state on the device; empty: not known
    std::vector<Vec3d> loads_there_, loads_there_before_, pins_there_;  // likewise
    std::vector<Vec3d> x_end_, v_mean_, reaction_, v_start_;
    bool any_held_ = false;  // by pins
    TouchedNodes touched_;
    std::vector<Index> count_;  // of entries a node, all 0 between steps
};

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/sim/observer.h"
#include "limber/solve/stepper.h"

namespace limber {

struct WorldOptions {
    int max_substeps = 16;  // a step that fails even so fails for good
    bool measure_energy =
        true;  // fill the energies of every StepReport (one more pass over the elements)
};

/// A model in time: owns the model, the state, a stepper, a contact method and the observers.
class World {
  public:
    World(Model model, std::unique_ptr<Stepper> stepper, std::unique_ptr<ContactMethod> contact,
          WorldOptions options = {});
    World(World&&) = delete;  // the stepper borrows the model

    void add(std::unique_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }
    /// One step of length model().h. On failure the last good state is kept and report.failed is
    /// set.
    StepReport step();
    void begin();  // tells the observers
    void end();

    const Model& model() const { return *model_; }
    const State& state() const { return state_; }
    State& state() { return state_; }
    const NodeForces& forces() const { return forces_; }
    const ContactSet& contacts() const { return contacts_; }
    const Stepper& stepper() const { return *stepper_; }
    const ContactMethod& contact() const { return *contact_; }
    std::uint64_t state_hash() const;  // of x, v and step

    void save(ByteWriter& out) const;  // State and every History
    void load(ByteReader& in);         // all or nothing: an error leaves the world untouched

  private:
    bool advance(double h, int n_substeps, int substep, StepReport& report, const Timer& clock);
    void drive(double h, double t_end);  // loads and pin velocities at t_end
    void measure(StepReport& report) const;
    StepFailure diagnose() const;

    std::unique_ptr<Model> model_;
    std::unique_ptr<Stepper> stepper_;
    std::unique_ptr<ContactMethod> contact_;
    std::vector<std::unique_ptr<Observer>> observers_;
    WorldOptions options_;
    State state_, trial_;
    NodeForces forces_;
    ContactSet contacts_;
    std::vector<Vec3d> pin_velocity_;
    std::vector<Index> surface_nodes_;
};

}  // namespace limber

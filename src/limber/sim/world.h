// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "limber/core/stop.h"
#include "limber/sim/control.h"
#include "limber/sim/energy_balance.h"
#include "limber/sim/observer.h"
#include "limber/sim/verdict.h"
#include "limber/solve/rigid_bodies.h"
#include "limber/solve/stepper.h"

namespace limber {

struct WorldOptions {
    int max_substeps = 16;       // a step that fails even in so many parts fails for good
    bool measure_energy = true;  // fill the energies of every StepReport (one more pass over the
                                 // elements); without them nobody notices a run that gains energy
    VerdictRules verdict = {};
    /// A step can be stopped on its way when the one before took so long [ms]: only then is the
    /// History copied first. The first step of a world always can.
    double stoppable_ms = 250;
};

/// A model in time: owns the model, the state, a stepper, a contact method and the observers.
class World {
  public:
    /// The stepper must have been made for this very model.
    World(std::unique_ptr<const Model> model, std::unique_ptr<Stepper> stepper,
          std::unique_ptr<ContactMethod> contact, WorldOptions options = {});

    void add(std::unique_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }
    void begin();  // tells the observers that a run starts
    /// One step of length model().h. A step that ends in a state that is not finite, or gains
    /// energy from nowhere beyond all measure, is tried again in smaller parts. On failure the last
    /// good state is kept and report.failed is set. With a deadline [ms] contact by constraints
    /// stops iterating when the step has taken that long, and the report says what is left:
    /// StepFlag::deadline, constraints.residual.
    /// In a StopScope it throws Stopped when asked to: the world then is at its last good state and
    /// can be saved or stepped on. Observers are not stopped.
    StepReport step(double deadline_ms = 0);
    /// Whether a clock decides in this run.
    bool clocked() const { return stepper_->clocked() || contact_->clocked(); }
    void end();  // tells the observers that the run is over

    const Model& model() const { return *model_; }
    /// Its arrays stay where they are in memory for as long as the world lives, through every step
    /// and load(); within a step they are on their way.
    const State& state() const { return state_; }
    /// To change it from outside: energies are measured anew before the next step.
    State& state() {
        energies_known_ = false;
        return state_;
    }
    /// The one way in from outside; the next step sees what is written here. No entry may be added
    /// or taken away.
    Control& control() { return control_; }
    const Control& control() const { return control_; }
    /// Where the entries of Control::drives are at the end of the last step.
    std::span<const double> drives() const { return drives_at_start_; }
    /// What went wrong so far, over all runs that led here.
    const Verdict& verdict() const { return verdict_; }
    const NodeForces& forces() const { return forces_; }
    const ContactSet& contacts() const { return contacts_; }
    const Stepper& stepper() const { return *stepper_; }
    Stepper& stepper() { return *stepper_; }
    const ContactMethod& contact() const { return *contact_; }
    /// Puts another one in its place between steps: one around it, to which all that it remembers
    /// belongs. Gives it back.
    std::unique_ptr<ContactMethod> exchange_contact(std::unique_ptr<ContactMethod> next) {
        return std::exchange(contact_, std::move(next));
    }
    std::uint64_t state_hash() const;  // of x, v and step

    void save(ByteWriter& out) const;  // State and every History
    void load(ByteReader& in);         // all or nothing: an error leaves the world untouched

    /// Iterations of each (sub-)step tried in the last step, in order: what a clock decided. After
    /// each come, as -1 - d, the decisions d of a stepper that has more to tell (Stepper), and as
    /// -1 - contact_mark - d those of the contact method.
    std::span<const int> decisions() const { return decisions_; }
    /// The next step uses these instead of the clock; must outlive it.
    void replay(std::span<const int> decisions) { replay_ = decisions; }

  private:
    StepReport attempt(double deadline_ms);
    bool advance(int n_parts, int part, const Timer& clock, StepReport& report);
    bool constrain(const StepInput& in, const ContactInput& touch, StepReport& report);
    void see_control();
    void keep_drives();
    void drive(double h, double t_end, int n_parts, int part);
    double load_share(double t) const;  // of gravity and forces, while they grow
    void load_at(double t, double share_of_step, std::span<Vec3d> out) const;
    double drive_at(std::size_t k, double t, double share_of_step) const;
    bool balances(StepReport& report);  // state_, against start_ and the work in between
    void reject(StepReport& report);
    void measure(StepReport& report);
    void look_for_penetration(StepReport& report) const;
    bool state_is_in_range();
    Index worst_node() const;
    bool bad_load_at(Index node) const;
    StepFailure diagnose(const StepReport& report) const;
    void load_arrays(ByteReader& in);
    void save_history(ByteWriter& out) const;
    void load_history(ByteReader& in);
    void keep_history();
    void recover_history();

    std::unique_ptr<const Model> model_;
    std::unique_ptr<Stepper> stepper_;
    std::unique_ptr<ContactMethod> contact_;
    std::vector<std::unique_ptr<Observer>> observers_;
    WorldOptions options_;
    // A step is taken in place, so that whoever looks at the state never looks at an old one.
    State state_;
    State start_;             // where the step at hand began
    bool under_way_ = false;  // state_ is within a step
    Control control_;
    bool pushed_ = false;                  // some force of the control is not zero
    std::vector<double> drives_at_start_;  // where Control::drives are at state_.time
    RigidBodies rigid_;
    NodeForces forces_;
    ContactSet contacts_;
    std::vector<Vec3d> pin_velocity_, external_start_;
    std::vector<Vec3d> answered_velocity_;  // for contact by constraints
    std::vector<Index> surface_nodes_;      // of all bodies
    std::vector<ContactSurface> surfaces_;  // one a body
    std::vector<double> inertia_;           // of the step's h: what contact presses against [kg]
    EnergyMeter meter_;
    EnergyBalance balance_;
    bool balanced_ = false;           // energies of this run's steps can be set against each other
    bool energies_known_ = false;     // energies_ are those of state_ between steps
    bool gained_by_contact_ = false;  // what the last try of a step gained
    Energies energies_, next_energies_;  // of the start of the step, and of the end of a try
    Verdict verdict_;
    std::vector<double> edges_;  // mean edge of each body's surface [m]
    std::vector<double> partial_;
    std::vector<int> decisions_;
    std::span<const int> replay_;
    const StopFlag* stop_ = nullptr;  // of the step at hand; null: it goes on to its end
    ByteWriter history_;              // of state_, where the step at hand can be stopped
    bool stopped_ = false;            // history_ is the History; stepper and contact have lost it
    double last_step_ms_ = -1;        // -1: none yet
    double deadline_ms_ = 0;          // of the step at hand; 0: none
    double output_ms_ = 0;  // of the observers after the last step; reported with the next one
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/core/bytes.h"
#include "limber/core/timer.h"
#include "limber/solve/model.h"
#include "limber/solve/state.h"
#include "limber/solve/step_report.h"

namespace limber {

/// What one (sub-)step is given. Everything is evaluated at the end of the step, t + h.
struct StepInput {
    double h;                         // [s]
    std::span<const Vec3d> external;  // gravity and loads [N]
    std::span<const Vec3d>
        pin_velocity;  // [m/s] where Model::free is 0: lands the node on its key frame
    std::span<const ContactTerm> contact;     // what the contact method adds to A and b
    const Timer* clock = nullptr;             // since the beginning of World::step
    int forced_iterations = -1;               // >= 0 when decisions are replayed
    std::span<const Vec3d> external_start{};  // the loads at t, for the trapezoidal rule alone [N]
    bool constrained = false;                 // contact by constraints comes after free_motion()
    bool touching = false;                    // contacts of any kind act in this step
    std::span<const Vec3d> impulses{};  // that constraints expect on the nodes [N s]; none: no idea
};

/// Values of tets that a solver wants to show, besides those of every run.
struct CellField {
    std::string name;
    std::vector<double> value;  // one a tet of the model
    std::string title = name;   // for people
    bool categories = false;    // values are numbers of things
};
using CellFields = std::vector<CellField>;

/// Numbers of one step that a solver wants in a table of its own, <name>.csv.
struct StepTable {
    std::string name;
    std::vector<std::pair<std::string, double>> row;  // the same columns every step
};

/// Where an iteration begins, and where the last one ended: for studies. Not a number, or empty,
/// where the solver does not know it. In single precision values have its noise.
struct Iterate {
    int number = 0;
    double value = NAN;     // of the objective of the step [J]
    double residual = NAN;  // |r| / |b|
    double kinetic = NAN;   // [J]
    std::span<const Vec3d> x{};
};
using SolveWatcher = std::function<void(const Iterate&)>;

/// A time integrator with its linear or nonlinear solver. Owns its workspaces; borrows the model.
class Stepper {
  public:
    virtual ~Stepper() = default;
    virtual std::string_view name() const = 0;
    /// Stages 3 to 6: state.v becomes the velocity at t + h without constraint forces; state.x
    /// stays. Also fills forces.reaction. Failures are data: report.solve and report.flags.
    virtual void free_motion(const StepInput& in, State& state, NodeForces& forces,
                             StepReport& report) = 0;
    /// A⁻¹ of the last free_motion, for contact by constraints; null: this solver has none, or none
    /// at this state.
    virtual Compliance* compliance() { return nullptr; }
    /// Whether that is another one after answers() was false.
    virtual bool renews_compliance() const { return false; }
    /// The impulses of constraints that state.v, after free_motion() and after answers() was false,
    /// is the answer to [N s]; none: 0. Prescribed coordinates have none of it.
    virtual std::span<const Vec3d> answered() const { return {}; }
    /// Constraints took state.v to change by compliance() times the change of their impulses [N s],
    /// from answered() to these. True: that is the step's answer to them. False: compliance() is
    /// not all of it, being stale or a tangent, and constraints are to be solved again: state.v
    /// becomes the answer to these impulses.
    virtual bool answers(const StepInput&, std::span<const Vec3d> /*impulses*/, State&,
                         StepReport&) {
        return true;
    }
    /// The reactions at pins again, after constraints changed the velocities of free_motion to v by
    /// forces.contact.
    virtual void correct_reactions(const StepInput&, std::span<const Vec3d> /*v*/, NodeForces&) {}
    /// Stage 9: positions from velocities. Implicit Euler: x += h v.
    virtual void integrate(const StepInput& in, State& state) const;
    /// History: what the next step remembers beyond State (warm starts, stale factors). State plus
    /// History is a full checkpoint; resuming must give the same bits as running through.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    /// Forget the History: after a rejected step, whose values cannot be trusted.
    virtual void reset() {}
    /// What the solver needs for this model, in one line for the user; empty: nothing of note.
    virtual std::string describe() { return {}; }
    /// For files and pictures, after a step.
    virtual void describe_cells(CellFields&) const {}
    virtual const StepTable* table() const { return nullptr; }
    /// Whether steps follow each other in time: energies then balance (sim/energy_balance.h).
    virtual bool advances_time() const { return true; }
    /// Whether results depend on the clock (deadlines): such runs record their decisions.
    virtual bool clocked() const { return false; }
    /// What the clock decided in the last free_motion beside the iterations, which World knows: a
    /// list of numbers >= 0 that replay() takes for the next one.
    virtual std::span<const Index> decisions() const { return {}; }
    virtual void replay(std::span<const Index>) {}
    /// Shows the iterates of the steps to come; an empty watcher: no more. False: it has none.
    virtual bool watch(SolveWatcher) { return false; }
    /// The next step is searched for from these positions. False: it does not search.
    virtual bool start_next_at(std::span<const Vec3d>) { return false; }
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/scene/format/field_visitors.h"
#include "limber/solve/stepper.h"

namespace limber {

struct AutomaticContactOptions;
struct SceneDef;
struct ObstacleDef;
class ErrorList;

/// What a converged step solves.
enum class SolverFamily {
    linearly_implicit,  // one linear system a step, rotations frozen at its start
    minimising,         // the objective of the step (solve/objective.h), any law and integrator
    position_based,     // small steps that nothing is iterated to convergence in
};

/// The form of a solver that computes on the graphics card (gpu/steppers.h).
struct DeviceForm {
    std::unique_ptr<Stepper> (*make)(const Model& model, const AnyOptions& options);
    /// What it does not take, in words; empty: nothing.
    std::string (*options_conflict)(const AnyOptions& options);
    std::string (*model_conflict)(const Model& model, const AnyOptions& options);
    /// Puts what it takes in the place of a default that it does not take, where the scene gives
    /// nothing: what and why, empty: nothing. None: it takes the defaults.
    std::string (*settle)(const Origin& given, AnyOptions& options) = nullptr;
};

/// Laws of tets that a solver takes.
struct LawsTaken {
    std::vector<std::string_view> names;  // none: all that its family takes
    std::string_view because;             // "which needs ..."
    std::string_view instead;             // a solver that takes others
};

/// A solver name of scenes and of --solver: a stepper with its defaults, and what others have to
/// know of it. They ask this, and never for a name.
struct StepperEntry {
    OptionCase options;
    std::unique_ptr<Stepper> (*make)(const Model& model, const AnyOptions& options) = nullptr;
    /// Throws InputError where the options, or they and the scene, cannot go together; none: any.
    void (*check)(const SceneDef& scene) = nullptr;
    /// Solvers of one family agree on a step when they are run to convergence.
    SolverFamily family = SolverFamily::minimising;
    LawsTaken laws{};
    /// Whether contact forces have to be explicit with these options; none: never.
    bool (*explicit_contact)(const AnyOptions& options) = nullptr;
    /// Whether the solver with these options has a factor for contact by constraints; none: never.
    bool (*has_compliance)(const AnyOptions& options) = nullptr;
    /// Whether it stops short of the minimum where no inertia holds the nodes, as a fixed number of
    /// sweeps does; none: never.
    bool (*needs_inertia)(const AnyOptions& options) = nullptr;
    /// Whether its factor is never made again, so that springs which come while it runs are not
    /// held by it; none: never.
    bool (*keeps_factor_for_good)(const AnyOptions& options) = nullptr;
    /// Whether positions are single within a step; none: never.
    bool (*in_floats)(const AnyOptions& options) = nullptr;
    /// What `auto` makes looser for cloth; none: nothing.
    double& (*tolerance)(AnyOptions& options) = nullptr;
    /// Its options are DescentOptions, of which `tune` finds lengths and momentum (sim/tune.h).
    bool tunable = false;
    /// Another name is put in its place before anything is made (scene/automatic.h).
    bool open = false;
    /// For device = "cuda"; none: the solver computes on the CPU alone.
    std::optional<DeviceForm> device = std::nullopt;
};
/// The entry of a name that the scene reader has accepted.
const StepperEntry& stepper_entry(std::string_view name);

/// How a contact method with its options sees what comes.
struct ContactSight {
    double distance = 0;              // at which it begins to act [m]
    bool followed = false;            // fast nodes are followed along their paths
    bool bodies = true, self = true;  // that bodies feel each other, and themselves
    bool sees_end = false;            // looks at where a step ends, too
};
/// Why a contact method has no part in an equilibrium.
struct NoEquilibrium {
    std::string with;     // " with friction"
    std::string because;  // "its forces follow from velocities, ..."
    std::string instead;  // options that have; may be empty
};

/// A name of [contact] method, and what others have to know of it. They ask this, and never for a
/// name.
struct ContactEntry {
    OptionCase options;
    /// The joints of the model go to methods that act by constraints.
    std::unique_ptr<ContactMethod> (*make)(const AnyOptions& options, const Model& model) = nullptr;
    bool acts = true;             // looks for contacts
    bool by_constraints = false;  // needs a factor; has joints and rigid bodies
    bool by_energies = false;     // for solvers that minimise
    bool everywhere = false;      // with every solver: what studies fall back to
    bool open = false;            // as of solvers
    /// None where it does not act.
    ContactSight (*sight)(const AnyOptions& options) = nullptr;
    /// Whether options are left to follow the solver, and what makes them do it.
    bool (*follows_solver)(const AnyOptions& options) = nullptr;
    void (*follow)(AnyOptions& options, bool wants_explicit) = nullptr;
    /// What a scene gives to `auto` goes to the method that it chooses.
    void (*take)(const AutomaticContactOptions& given, AnyOptions& options) = nullptr;
    /// As of solvers.
    double& (*tolerance)(AnyOptions& options) = nullptr;
    /// `slides`: an obstacle has friction of its own. None: it always has.
    std::optional<NoEquilibrium> (*no_equilibrium)(const AnyOptions& options,
                                                   bool slides) = nullptr;
    /// Throws InputError where it would run away with the model that was built; none: nowhere.
    void (*check_model)(const SceneDef& scene, const Model& model) = nullptr;
};
const ContactEntry& contact_entry(std::string_view name);
/// The first that goes with every solver.
const ContactEntry& contact_for_every_solver();

struct ObstacleEntry {
    OptionCase options;
    /// Adds to the remarks what a user should know about a file that was read.
    ObstacleShape (*make)(const ObstacleDef& obstacle, const SceneDef& scene,
                          std::vector<std::string>& remarks);
    bool reads_a_file = false;
};

std::span<const StepperEntry> steppers();
std::span<const ContactEntry> contact_methods();
/// Further names. Not while another thread reads scenes.
void add_stepper(const StepperEntry& entry);
void add_contact_method(const ContactEntry& entry);
std::span<const ObstacleEntry> obstacle_shapes();

std::span<const OptionCase> stepper_cases();
std::span<const OptionCase> contact_cases();
std::span<const OptionCase> obstacle_cases();

/// InputError where the scene is for a device that is not there, or that this build has no kernels
/// for. Apart from check_solver(): a scene is right or wrong whatever machine looks at it.
void require_device(const SceneDef& scene);
/// InputError where the model has what the solver's form for the scene's device does not take.
/// Needs no device.
void check_device(const SceneDef& scene, const Model& model);

/// On the scene's device, after both of these checks.
std::unique_ptr<Stepper> make_stepper(const SceneDef& scene, const Model& model);
std::unique_ptr<ContactMethod> make_contact(const SceneDef& scene, const Model& model);
ObstacleShape make_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene,
                                  std::vector<std::string>& remarks);
/// Whatever can be said about the shape without reading a file.
void check_obstacle_shape(const ObstacleDef& obstacle, const SceneDef& scene);
/// Of the scene's solver with its options: whether contact forces have to be explicit; whether it
/// has a factor for constraints.
bool has_explicit_contact(const SceneDef& scene);
bool has_compliance(const SceneDef& scene);
/// Refuses options that cannot go together, with the reason.
void check_solver(const SceneDef& scene, ErrorList& errors);

}  // namespace limber

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

/// A solver name of scenes and of --solver: a stepper with its defaults.
struct StepperEntry {
    OptionCase options;
    std::unique_ptr<Stepper> (*make)(const Model& model, const AnyOptions& options);
    /// Throws InputError where the options, or they and the scene, cannot go together.
    void (*check)(const SceneDef& scene);
    /// Solvers of one family agree on a step when they are run to convergence.
    SolverFamily family;
    /// Whether contact forces have to be explicit with these options; none: never.
    bool (*explicit_contact)(const AnyOptions& options) = nullptr;
    /// Whether the solver with these options has a factor for contact by constraints; none: never.
    bool (*has_compliance)(const AnyOptions& options) = nullptr;
    /// Whether it stops short of the minimum where no inertia holds the nodes, as a fixed number of
    /// sweeps does; none: never.
    bool (*needs_inertia)(const AnyOptions& options) = nullptr;
    /// For device = "cuda"; none: the solver computes on the CPU alone.
    std::optional<DeviceForm> device = std::nullopt;
};
struct ContactEntry {
    OptionCase options;
    /// The joints of the model go to methods that act by constraints.
    std::unique_ptr<ContactMethod> (*make)(const AnyOptions& options, const Model& model);
};
struct ObstacleEntry {
    OptionCase options;
    /// Adds to the remarks what a user should know about a file that was read.
    ObstacleShape (*make)(const ObstacleDef& obstacle, const SceneDef& scene,
                          std::vector<std::string>& remarks);
    bool reads_a_file = false;
};

std::span<const StepperEntry> steppers();
/// The entry of a name that the scene reader has accepted.
const StepperEntry& stepper_entry(std::string_view name);
std::span<const ContactEntry> contact_methods();
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
/// Refuses options that cannot go together, with the reason.
void check_solver(const SceneDef& scene, ErrorList& errors);

}  // namespace limber

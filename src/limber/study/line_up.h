// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who takes part in a comparison: every solver on the same scene with the same contact, and those
// that cannot take it left out with the reason, before the first step.

#include <optional>
#include <string>
#include <vector>

#include "limber/study/solver_spec.h"

namespace limber {

/// One value of an options struct, for tables: key = value as in a scene file.
struct Setting {
    std::string key, value;
    bool by_default = true;
};
std::vector<Setting> settings_of(const OptionCase& options, const AnyOptions& values);

struct LinedUp {
    SolverSpec spec;
    std::optional<SceneDef> scene;      // under this solver, with the contact of all
    std::optional<InputError> refusal;  // where there is no scene: why
};

struct LineUp {
    StudyScene study;                  // with the contact of all
    std::vector<LinedUp> solvers;      // as asked for; at least one has a scene
    std::optional<LinedUp> reference;  // where one is asked for; has a scene
    /// Where the scene's contact was changed so that all take it: what, why, and how to keep it.
    std::string contact_note;

    /// The scene of the first solver that runs: what the model is made of.
    const SceneDef& first_scene() const;
};

/// Tries every solver on the scene. Contact is that of the scene where all take it. Where some do
/// not, all get penalty forces if that lets more of them run (options that both methods have stay),
/// unless the user chose the method by --set contact.method=...; automatic penalty forces are
/// explicit for all where one solver takes no others. InputError: an option of a solver is wrong,
/// the reference asked for cannot run, or nobody can.
LineUp line_up(const StudyScene& study, const std::vector<SolverSpec>& solvers,
               const std::optional<SolverSpec>& reference);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/core/fields.h"

namespace limber {

struct SceneDef;
struct Value;

/// What contact.method = "auto" hands on to the method that it chooses.
struct AutomaticContactOptions {
    double friction = 0.3;
    bool bodies = true, self = false;
};
template <class Visitor>
void fields(Visitor& field, AutomaticContactOptions& o) {
    field("friction", o.friction, between(0, 10),
          "Coulomb coefficient where the obstacle gives none");
    field("bodies", o.bodies, any_value(), "bodies touch each other");
    field("self", o.self, any_value(), "bodies and cloth touch themselves: folds, tentacles");
}

/// Whether anything in the scene may touch anything.
bool can_touch(const SceneDef& scene);

/// What version 0.1 took where a table of the default case `now` does not name its `tag`; empty:
/// the same.
std::string_view old_default(std::string_view tag, std::string_view now);

/// Tables that give options and no name mean the defaults of version 0.1, "corotational" and
/// "penalty": their names are put in, and what to tell of it is returned. Options that `auto` has
/// itself leave the choice open.
std::vector<std::string> name_old_defaults(Value& document);

/// solver.kind = "auto" and contact.method = "auto": puts what is right for the scene in their
/// place, and the reasons into SceneDef::chosen; so too where a default is not for the device that
/// the scene asks for. A function of the scene alone: never of the clock, the load, the number of
/// threads or what the machine has.
void choose_automatically(SceneDef& scene);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// The names of [contact] method: one entry each.

#include "limber/contact/methods/lagrange.h"
#include "limber/contact/methods/none.h"
#include "limber/contact/methods/penalty.h"
#include "limber/contact/methods/projection.h"
#include "limber/contact/methods/repulsion.h"
#include "limber/scene/automatic.h"
#include "limber/scene/check/explicit_contact.h"
#include "limber/scene/entry_list.h"
#include "limber/scene/registry.h"
#include "limber/solve/model.h"

namespace limber {

namespace {

template <class Method, class Options>
std::unique_ptr<ContactMethod> make_method(const AnyOptions& options, const Model&) {
    return std::make_unique<Method>(options.as<Options>());
}

template <class Options>
void take(const AutomaticContactOptions& given, AnyOptions& to) {
    auto& options = to.as<Options>();
    options.friction = given.friction;
    options.bodies = given.bodies;
    options.self = given.self;
}

/// Springs alone have an equilibrium. Friction goes by velocities, and so does explicit contact.
std::optional<NoEquilibrium> penalty_without_equilibrium(const AnyOptions& options, bool slides) {
    const auto& o = options.as<PenaltyOptions>();
    slides = slides || o.friction > 0;
    if (!slides && o.form != PenaltyForm::explicit_form) return {};
    return NoEquilibrium{slides ? " with friction" : "",
                         "its forces follow from velocities, which an equilibrium does not have",
                         "friction = 0"};
}

std::vector<ContactEntry> contact_table() {
    return {
        {.options = option_case<AutomaticContactOptions>(
             "auto", "constraints where the solver has a factor, else penalty"),
         .make = [](const AnyOptions&, const Model&) -> std::unique_ptr<ContactMethod> {
             throw InputError("contact.method = \"auto\" was not resolved");
         },
         .open = true},
        {.options = option_case<NoOptions>("none", "bodies pass through obstacles"),
         .make = [](const AnyOptions&, const Model&) -> std::unique_ptr<ContactMethod> {
             return std::make_unique<NoContact>();
         },
         .acts = false},
        {.options = option_case<PenaltyOptions>("penalty",
                                                "springs and Coulomb friction at surface nodes"),
         .make = make_method<PenaltyContact, PenaltyOptions>,
         .everywhere = true,
         .sight =
             [](const AnyOptions& options) {
                 const auto& o = options.as<PenaltyOptions>();
                 return ContactSight{.distance = o.thickness,
                                     .followed = o.form == PenaltyForm::implicit_form,
                                     .bodies = o.bodies,
                                     .self = o.self};
             },
         .follows_solver =
             [](const AnyOptions& options) {
                 return options.as<PenaltyOptions>().form == PenaltyForm::automatic;
             },
         .follow =
             [](AnyOptions& options, bool wants_explicit) {
                 options.as<PenaltyOptions>().form =
                     wants_explicit ? PenaltyForm::explicit_form : PenaltyForm::implicit_form;
             },
         .take = take<PenaltyOptions>,
         .no_equilibrium = penalty_without_equilibrium,
         .check_model = check_explicit_contact},
        {.options = option_case<ProjectionOptions>(
             "projection", "surface nodes put back onto obstacles after each step, with friction"),
         .make = make_method<ProjectionContact, ProjectionOptions>,
         .sight =
             [](const AnyOptions& options) {
                 return ContactSight{.distance = options.as<ProjectionOptions>().thickness,
                                     .bodies = false,
                                     .self = false};
             },
         .no_equilibrium =
             [](const AnyOptions&, bool) {
                 return std::optional(NoEquilibrium{
                     "", "it moves nodes after the equilibrium was found, which is none then", ""});
             }},
        {.options = option_case<RepulsionOptions>(
             "repulsion", "repulsive energies for minimising solvers, without friction"),
         .make = make_method<RepulsionContact, RepulsionOptions>,
         .by_energies = true,
         .sight =
             [](const AnyOptions& options) {
                 const auto& o = options.as<RepulsionOptions>();
                 return ContactSight{.distance = o.thickness, .bodies = o.bodies, .self = o.self};
             }},
        {.options = option_case<LagrangeOptions>(
             "lagrange", "no penetration and Coulomb friction as constraints; Zeng et al. 2022"),
         .make = [](const AnyOptions& options,
                    const Model& model) -> std::unique_ptr<ContactMethod> {
             return std::make_unique<LagrangeContact>(options.as<LagrangeOptions>(),
                                                      make_joints(model.joints));
         },
         .by_constraints = true,
         .sight =
             [](const AnyOptions& options) {
                 const auto& o = options.as<LagrangeOptions>();
                 return ContactSight{.distance = o.distance,
                                     .followed = true,
                                     .bodies = o.bodies,
                                     .self = o.self,
                                     .sees_end = true};
             },
         .take = take<LagrangeOptions>,
         .tolerance = [](AnyOptions& options) -> double& {
             return options.as<LagrangeOptions>().limits.tolerance;
         }},
    };
}

EntryList<ContactEntry>& contact_list() {
    static EntryList<ContactEntry> list(contact_table());
    return list;
}

}  // namespace

std::span<const ContactEntry> contact_methods() {
    return contact_list().entries();
}
std::span<const OptionCase> contact_cases() {
    return contact_list().cases();
}
const ContactEntry& contact_entry(std::string_view name) {
    return contact_list().of(name);
}
const ContactEntry& contact_for_every_solver() {
    for (const ContactEntry& entry : contact_methods())
        if (entry.everywhere) return entry;
    throw Bug("no contact method goes with every solver");
}
void add_contact_method(const ContactEntry& entry) {
    contact_list().add(entry);
}

}  // namespace limber

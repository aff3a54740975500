// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/repulsion.h"

#include "limber/contact/methods/penalty.h"
#include "limber/core/check.h"

namespace limber {

void RepulsionContact::detect(const ContactInput& in, ContactSet& out) {
    LIMBER_CHECK(in.h > 0, "the step must be positive");
    finder_.find(in,
                 {.thickness = options_.thickness,
                  .friction = 0,
                  .bodies = options_.bodies,
                  .self = options_.self},
                 out);
    for (Contact& c : out.contacts) c.friction = 0;
    out.terms.reserve(out.contacts.capacity());
}

/// ½ k (d − gap − h n·(w − v_s))² + ½ h c (n·(w − v_s))²
///   = ½ wᵀ (h² k + h c) n nᵀ w − h (k (d − gap) + (h k + c) n·v_s) n·w + const
void RepulsionContact::respond(const ContactInput& in, ContactSet& set) {
    set.terms.clear();
    const double h = in.h;
    for (const Contact& c : set.contacts) {
        const double mass = mass_of(c.at, in.mass).mean;
        const double k = options_.stiffness > 0
                             ? options_.stiffness
                             : automatic_stiffness(PenaltyForm::implicit_form, mass, h);
        const double depth = options_.thickness - c.gap;
        const double weight = h * h * k + (depth > 0 ? h * zone_damping(k, h) : 0);
        const double push = h * k * depth + weight * dot(c.normal, c.surface_velocity);
        set.terms.push_back({c.at, weight * outer(c.normal, c.normal), push * c.normal, c.normal});
    }
}

void RepulsionContact::read_back(const ContactInput& in, std::span<const Vec3d> v_end,
                                 ContactSet& set, std::span<Vec3d> f) {
    LIMBER_CHECK(set.terms.size() == set.contacts.size(), "the set is of another method");
    for (std::size_t i = 0; i < set.contacts.size(); ++i) {
        Contact& c = set.contacts[i];
        const ContactTerm& term = set.terms[i];
        const Vec3d w = c.at.gather(v_end);
        c.force = term.acts(w) ? (1 / in.h) * (term.impulse - term.block * w) : Vec3d{};
        c.at.scatter(c.force, f);
    }
}

}  // namespace limber

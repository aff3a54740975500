// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/penalty.h"

#include <algorithm>
#include <string>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

constexpr Index contacts_per_chunk = 256;

/// A stiff spring under implicit Euler throws a node out of the contact zone in one step, at
/// depth/h, and the node would hop for ever: out, fall for a step, thrown out again. A damping of
/// `relaxation_steps` h k makes it leave at depth / ((1 + relaxation_steps) h) instead. After a
/// step at that speed the next step still ends inside the zone, so the contact stays active and the
/// node settles. It vanishes with h for a spring that the step resolves.
constexpr double relaxation_steps = 3;

/// Explicit forces on a body that an implicit step moves: h²k of a node as a share of its diagonal
/// block of A. A point load on an elastic body moves it about three times as far as the diagonal
/// block alone says; 0.3 leaves the margin of a factor of two to the stable limit.
constexpr double implicit_body_share = 0.3;

/// Of a spring in an equilibrium, in parts of the diagonal block of what it presses on.
constexpr double static_stiffness = 100;

/// Of the positive side relative to the other one.
Vec3d relative_velocity(const Contact& c, std::span<const Vec3d> v) {
    return c.at.gather(v) - c.surface_velocity;
}

}  // namespace

double automatic_stiffness(PenaltyForm form, double mass, double h) {
    return (form == PenaltyForm::explicit_form ? 0.1 : 1000.0) * mass / (h * h);
}

double zone_damping(double k, double h) {
    return relaxation_steps * h * k;
}

double PenaltyContact::stiffness(double mass, double h) const {
    return options_.stiffness > 0 ? options_.stiffness
                                  : automatic_stiffness(options_.form, mass, h);
}

PenaltyContact::PastContact PenaltyContact::past_of(const Contact& c) const {
    const auto it =
        std::lower_bound(past_.begin(), past_.end(), c.key,
                         [](const PastContact& a, const ContactKey& key) { return a.key < key; });
    return it != past_.end() && it->key == c.key ? *it : PastContact{};
}

PenaltyContact::PastContact PenaltyContact::remembered(const Contact& c, const ContactTerm& term) {
    const double f_n = dot(c.normal, c.force);
    return {c.key, f_n < 0 || term.block == Mat3d{}, std::max(f_n, 0.0)};
}

/// Springs alone, a hundred times as stiff as what they press on: the same whatever the load step.
ContactTerm PenaltyContact::static_term(const ContactInput& in, const Contact& c) const {
    const double h = in.h;
    const double k = options_.stiffness > 0
                         ? options_.stiffness
                         : static_stiffness * mass_of(c.at, in.inertia).mean / (h * h);
    ContactTerm term{c.at, h * h * k * outer(c.normal, c.normal), {}};
    term.push = c.normal;
    term.impulse =
        h * k * (options_.thickness - c.gap) * c.normal + term.block * c.surface_velocity;
    return term;
}

ContactTerm PenaltyContact::implicit_term(const ContactInput& in, const Contact& c) const {
    const StencilMass m = mass_of(c.at, in.mass);
    const double h = in.h, k = stiffness(m.mean, h);
    const double depth = options_.thickness - c.gap;
    const Vec3d u = relative_velocity(c, in.v);
    const double u_n = dot(c.normal, u);
    const PastContact past = past_of(c);
    ContactTerm term{c.at, {}, {}};
    // Surfaces that slide on each other have more contacts than they need; let go of those that
    // would stick.
    if (c.at.n > 1 && past.let_go && u_n > 0) return term;
    // Outside the zone nothing acts yet: a damper there would stop the node in the air.
    double c_n = depth > 0 ? zone_damping(k, h) : 0;
    if (depth > 0 && u_n < 0) c_n += options_.damping * 2 * std::sqrt(k * m.all);
    const double c_t =
        c.friction * past.normal_force / std::max(norm(u - u_n * c.normal), options_.slip_speed);
    const Mat3d nn = outer(c.normal, c.normal);
    term.block = (h * h * k + h * c_n) * nn + h * c_t * (Mat3d::identity() - nn);
    term.impulse = h * k * depth * c.normal + term.block * c.surface_velocity;
    return term;
}

ContactTerm PenaltyContact::explicit_term(const ContactInput& in, const Contact& c) const {
    const double h = in.h;
    const bool implicit_body = !in.inertia.empty() && !in.bodies.empty();
    double m = mass_of(c.at, in.inertia.empty() ? in.mass : in.inertia).all;
    // A stiff body answers as a whole: its contacts share its mass, and together they may be as
    // stiff as symplectic Euler allows, with a margin: h² Σk = M of at most 4 M.
    if (implicit_body) {
        m *= implicit_body_share;
        for (const Index body : {c.body, c.other})
            if (body >= 0) m = std::min(m, in.bodies[body].mass / body_contacts_of_[body]);
    }
    if (c.at.n > 1) {
        Index sharing = 1;
        for (int k = 0; k < c.at.n; ++k) sharing = std::max(sharing, shares_[c.at.node[k]]);
        m /= sharing;
    }
    const double k = implicit_body && options_.stiffness == 0 ? m / (h * h) : stiffness(m, h);
    const Vec3d u = relative_velocity(c, in.v);
    const double u_n = dot(c.normal, u);
    const double f_n = k * (options_.thickness - c.gap) +
                       options_.damping * 2 * std::sqrt(k * m) * std::max(-u_n, 0.0);
    ContactTerm term{c.at, {}, {}};
    term.impulse = h * f_n * c.normal;
    const Vec3d u_t = u - u_n * c.normal;
    const double speed = norm(u_t);
    if (speed > 0) term.impulse -= (std::min(h * c.friction * f_n, m * speed) / speed) * u_t;
    return term;
}

/// How many contacts each node has; read only for nodes that have one.
void PenaltyContact::count_shares(const ContactInput& in, const ContactSet& set) {
    shares_.resize(in.x.size());
    const auto each = [&](auto&& f) {
        for (const Contact& c : set.contacts)
            for (int k = 0; k < c.at.n; ++k) f(shares_[c.at.node[k]]);
    };
    each([](Index& n) { n = 0; });
    each([](Index& n) { ++n; });
    body_contacts_of_.assign(in.bodies.size(), 0);
    for (const Contact& c : set.contacts)
        for (const Index body : {c.body, c.other})
            if (body >= 0 && body < std::ssize(body_contacts_of_)) ++body_contacts_of_[body];
}

void PenaltyContact::detect(const ContactInput& in, ContactSet& out) {
    LIMBER_CHECK(in.h > 0, "the step must be positive");
    LIMBER_CHECK(in.x.size() == in.v.size() && in.x.size() == in.mass.size(),
                 "positions, velocities and masses must match");
    finder_.find(in,
                 {.thickness = options_.thickness,
                  .friction = options_.friction,
                  .bodies = options_.bodies,
                  .self = options_.self,
                  .arriving = options_.form == PenaltyForm::implicit_form,
                  // Explicit forces of a node and of the faces beside it would add up beyond what
                  // the step holds.
                  .faces = options_.form == PenaltyForm::implicit_form},
                 out);
    out.terms.reserve(out.contacts.capacity());
    past_.reserve(out.contacts.capacity());
}

void PenaltyContact::respond(const ContactInput& in, ContactSet& set) {
    set.terms.resize(set.contacts.size());
    if (options_.form == PenaltyForm::explicit_form && !in.equilibrium) count_shares(in, set);
    parallel_for(static_cast<Index>(set.contacts.size()), contacts_per_chunk, [&](Index i) {
        const Contact& contact = set.contacts[i];
        if (in.equilibrium) {
            set.terms[i] = static_term(in, contact);
            return;
        }
        set.terms[i] = options_.form == PenaltyForm::implicit_form ? implicit_term(in, contact)
                                                                   : explicit_term(in, contact);
    });
}

/// What the solver applied in the step: h f = impulse - block v⁺.
void PenaltyContact::read_back(const ContactInput& in, std::span<const Vec3d> v_end,
                               ContactSet& set, std::span<Vec3d> f) {
    LIMBER_CHECK(set.terms.size() == set.contacts.size(), "the set is of another method");
    LIMBER_CHECK(in.h > 0, "the step must be positive");
    past_.clear();
    for (std::size_t i = 0; i < set.contacts.size(); ++i) {
        Contact& c = set.contacts[i];
        const ContactTerm& term = set.terms[i];
        const Vec3d w = c.at.gather(v_end);
        c.force = term.acts(w) ? (1 / in.h) * (term.impulse - term.block * w) : Vec3d{};
        c.at.scatter(c.force, f);
        if (options_.form == PenaltyForm::implicit_form) past_.push_back(remembered(c, term));
    }
    std::sort(past_.begin(), past_.end(),
              [](const PastContact& a, const PastContact& b) { return a.key < b.key; });
}

void PenaltyContact::save(ByteWriter& out) const {
    out.put_array("penalty_contacts", std::span<const PastContact>(past_));
}

void PenaltyContact::load(ByteReader& in) {
    constexpr std::string_view name = "penalty_contacts";
    past_ = in.get_vector<PastContact>(name);
    for (std::size_t i = 0; i < past_.size(); ++i) {
        const PastContact& a = past_[i];
        const bool ordered = i == 0 || past_[i - 1].key < a.key;
        if (!ordered || !std::isfinite(a.normal_force) || a.normal_force < 0)
            in.fail(name, "is damaged at index " + std::to_string(i));
    }
}

}  // namespace limber

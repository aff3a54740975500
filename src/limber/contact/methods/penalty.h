// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/contact/contact_finder.h"
#include "limber/core/fields.h"

namespace limber {

/// When the penalty forces are taken: at the start of the step, or linearised at its end.
enum class PenaltyForm { explicit_form, implicit_form, automatic };
constexpr std::array<std::string_view, 3> enum_names(PenaltyForm) {
    return {"explicit", "implicit", "auto"};
}

struct PenaltyOptions {
    PenaltyForm form = PenaltyForm::automatic;  // implicit, unless the solver wants explicit forces
    double stiffness = 0;      // k of each node [N/m]; 0: automatic, see automatic_stiffness()
    double thickness = 1e-3;   // the force begins at this distance from the surface [m]
    double friction = 0.3;     // Coulomb's mu, where the obstacle has none of its own
    double damping = 0.1;      // of approach, as a share of the critical 2 sqrt(k m)
    double slip_speed = 1e-4;  // implicit form: below it friction is viscous, i.e. sticks [m/s]
    bool bodies = true;        // bodies against each other
    bool self = false;         // bodies against themselves
    bool unsafe = false;       // explicit form where it runs away or sinks in
};

template <class Visitor>
void fields(Visitor& field, PenaltyOptions& o) {
    field("form", o.form, any_value(),
          "implicit: forces linearised at the end of the step, stable for any stiffness; explicit: "
          "forces at its start, needs small steps; auto: implicit where the solver can");
    field("stiffness", o.stiffness, at_least(0, Unit::stiffness),
          "normal force per metre of depth at each node; 0: chosen from node mass and step");
    field("thickness", o.thickness, at_least(0, Unit::length),
          "distance from the surface at which the force begins");
    field("friction", o.friction, between(0, 10),
          "Coulomb coefficient where the obstacle gives none");
    field("damping", o.damping, between(0, 10),
          "damping of the approach as a share of the critical one");
    field("slip_speed", o.slip_speed, positive(Unit::velocity),
          "implicit form: slower than this a node sticks and creeps; bounds the creep");
    field("bodies", o.bodies, any_value(), "bodies touch each other");
    field("self", o.self, any_value(), "bodies and cloth touch themselves: folds, tentacles");
    field("unsafe", o.unsafe, any_value(),
          "explicit form: run it where it would run away or sink in, instead of refusing it");
}

/// k = a m / h² [N/m], with a = 1000 (implicit) or 0.1 (explicit).
///
/// A node of mass m that carries the load of N such masses rests (N / a) g h² deep in the contact
/// zone: at h = 1/60 s and a = 1000 that is 2.7 µm N, so that the default thickness of 1 mm holds
/// columns of 360 nodes off the surface. With its damping it adds 4 a m to a diagonal block of
/// A = M + h²K, where soft rubber (1 MPa, 1000 kg/m³, 5 cm cells, h = 1/60 s) already has some
/// 100 m; preconditioners that read the diagonal undo it. The explicit form is symplectic Euler on
/// a spring, stable for h sqrt(k/m) < 2; a = 0.1 gives 20 steps a period.
double automatic_stiffness(PenaltyForm form, double mass, double h);
/// Of a node inside the contact zone of a stiffness k [N s/m]; penalty.cpp says why.
double zone_damping(double k, double h);

/// Springs between surfaces and obstacles, and between surfaces, with Coulomb friction.
///
/// Written for a node and an obstacle below. Between surfaces (body_contacts.h) v is the sum over
/// the contact's stencil, w_k v_k, and m the mass that the sum moves: 1 / Σ w_k²/m_k. The stiffness
/// of the implicit form is made of the geometric mean of the two sides' masses: with the smaller
/// one heavy bodies would sink into light ones, with the larger one conjugate gradients would crawl
/// where light bodies lie on heavy ones. The explicit form takes the mass of the sum, shared among
/// the contacts of its busiest node, which keeps it stable.
///
/// Obstacle motion enters once, through the carried velocity v_s of the surface: distance g and
/// normal n are those of the start of the step (n turned to its end), u = v - v_s is the velocity
/// relative to the surface, and the distance at the end is g + h n·u⁺. All forces depend on u
/// alone: a conveyor and a moving floor are the still case seen from a moving frame.
///
/// Implicit form, with d the thickness and P = I - n nᵀ:
///   f = k (d - g - h n·u⁺) n - c (n·u⁺) n - c_t P u⁺,   c_t = mu f_lag / max(|P u|, slip_speed)
///   A_ii += h² k n nᵀ + h c n nᵀ + h c_t P,   b_i += h k (d - g) n + (the same blocks) v_s
/// - A contact is active when g + h n·u < d with the velocity of the start of the step. A node that
///   comes from outside is followed along its path with exact distances (sphere tracing, Hart
///   1996), so that it neither tunnels nor meets the extension of a face it misses; g and n are
///   then of the tangent plane where it arrives.
/// - c = 3 h k inside the zone, plus `damping` on approach: a node that got too deep is let out in
///   several steps instead of being thrown out in one (penalty.cpp says why).
/// - The force is linear within a step, so it can pull: where other forces lift a node off that
///   seemed to stay, it is held back until the end of that step (of a few steps, if they lift it
///   with less than it was pressed down with). A node that leaves the zone by its own speed is free
///   at once. Between surfaces, which have more contacts than they need and would hold each other
///   in self-stress, a contact that pulled is let go for as long as it opens.
/// - Friction is lagged (Li et al. 2020, incremental potential contact): f_lag is the normal force
///   of the last step, remembered in the History, so that the friction impulse of a run is mu times
///   its normal impulse, one step late. c_t >= 0, so f_t·u⁺ <= 0: friction never does positive work
///   on the relative motion.
/// - Creep bound: a node loaded with |f_t| <= mu f_lag creeps at slip_speed |f_t| / (mu f_lag), at
///   most slip_speed. A node loaded above that leaves by a factor |f_t| / (mu f_lag) a step until
///   its speed exceeds h mu f_n / m, then slides with Coulomb's force (to first order in h).
///
/// Explicit form: the same forces from g and u of the start, active for g < d, never attractive,
/// and friction at most m |P u| / h, so that it cannot reverse the slip of a free node. A node
/// loaded with f_t then creeps at h |f_t| / m.
class PenaltyContact final : public ContactMethod {
  public:
    explicit PenaltyContact(const PenaltyOptions& options) : options_(options) {
        if (options_.form == PenaltyForm::automatic) options_.form = PenaltyForm::implicit_form;
    }
    std::string_view name() const override { return "penalty"; }
    /// terms[i] belongs to contacts[i]. Same bits for any number of threads.
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput& in, ContactSet& set) override;
    void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                   std::span<Vec3d> f) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    void reset() override { past_.clear(); }
    const PenaltyOptions& options() const { return options_; }

  private:
    ContactTerm static_term(const ContactInput& in, const Contact& c) const;
    ContactTerm implicit_term(const ContactInput& in, const Contact& contact) const;
    ContactTerm explicit_term(const ContactInput& in, const Contact& contact) const;
    double stiffness(double mass, double h) const;
    void count_shares(const ContactInput& in, const ContactSet& set);

    struct PastContact {
        ContactKey key;
        Index let_go = 0;         // 1: it pulled, or was let go already
        double normal_force = 0;  // [N], >= 0
    };
    PastContact past_of(const Contact& contact) const;
    static PastContact remembered(const Contact& contact, const ContactTerm& term);

    PenaltyOptions options_;
    ContactFinder finder_;
    std::vector<PastContact> past_;  // History: the last step's, by key
    // Workspaces, derived in every detect() and kept for their capacity.
    std::vector<Index> body_contacts_of_;  // per body: its contacts
    std::vector<Index> shares_;            // explicit form, per node: its contacts
};

}  // namespace limber

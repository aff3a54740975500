// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/contact/acting_constraints.h"
#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/augmented.h"
#include "limber/contact/contact_finder.h"
#include "limber/contact/joint.h"
#include "limber/core/fields.h"

namespace limber {

struct LagrangeOptions {
    double alarm = 0;       // contacts are looked for within this distance [m]; 0: automatic
    double distance = 0;    // at which surfaces are kept [m]
    double spacing = 0;     // of contacts between the same bodies [m]; 0: automatic
    double friction = 0.3;  // Coulomb's mu, where the obstacle has none of its own
    bool bodies = true;     // bodies against each other
    bool self = false;      // bodies against themselves
    ComplementarityMethod solver = ComplementarityMethod::automatic;
    ComplementarityOptions limits{.max_iterations = 1000, .tolerance = 1e-6};
    double deadline_ms = 0;  // of the step, for the solver; 0: none
    int relinearise = 3;     // at most so many more passes of detection and solve
    double overlap = 1e-3;   // of the mean edge: what calls for one
};

template <class Visitor>
void fields(Visitor& field, LagrangeOptions& o) {
    field("alarm", o.alarm, at_least(0, Unit::length),
          "distance within which contacts are looked for; 0: a tenth of the mean edge of the "
          "surfaces");
    field("distance", o.distance, at_least(0, Unit::length), "at which surfaces are kept apart");
    field("spacing", o.spacing, at_least(0, Unit::length),
          "at most one contact a region: of those between the same two things that are nearer to "
          "each other than this, with normals less than 25 degrees apart, the first is kept; 0: a "
          "tenth of the alarm distance, between bodies only");
    field("friction", o.friction, between(0, 10),
          "Coulomb coefficient where the obstacle gives none");
    field("bodies", o.bodies, any_value(), "bodies touch each other");
    field("self", o.self, any_value(), "bodies and cloth touch themselves: folds, tentacles");
    field("solver", o.solver, any_value(), "of the complementarity problem");
    field("iterations", o.limits.max_iterations, between(1, 1000000),
          "cap of the complementarity solver");
    field("tolerance", o.limits.tolerance, between(0, 1),
          "complementarity residual that ends it, relative to the largest free velocity at a "
          "contact");
    field(
        "deadline_ms", o.deadline_ms, at_least(0),
        "the solver of the complementarity problem stops when the step has taken so long, and what "
        "is left is reported; 0: it does not look at the clock");
    field("relinearise", o.relinearise, between(0, 100),
          "at most so many more passes of detection and solve in a step that would end with "
          "surfaces truly inside each other by more than `overlap`");
    field("overlap", o.overlap, between(0, 1),
          "share of the mean edge by which surfaces may be inside each other at the end of a step");
}

/// Contact and Coulomb friction as a complementarity problem on impulses, coupled through the
/// compliance of the bodies (Zeng et al. 2022, section 3):
///
///   v_free = A⁻¹ b                       free motion, without contact              (13)
///   u_free = H v_free + gap/h            H: normals and tangents, frozen           (14)
///   u = u_free + W p,  W = H A⁻¹ Hᵀ      0 <= u_n ⊥ p_n >= 0, Coulomb for p_t      (15), (5), (6)
///   v = v_free + A⁻¹ Hᵀ p                                                          (17)
///
/// in velocities and impulses p = h λ instead of the source's positions and forces: W then has the
/// unit of an inverse mass. Contacts are looked for along the paths that free motion takes, so that
/// what a step would run into is found whatever its speed. A gap below zero at the start is closed
/// by at most the alarm distance a step, so that a bad start does not explode.
///
/// What moves only by the forces found here, as a finger that its cable bends, may end inside what
/// its free motion did not come near. So the gaps are measured where the step ends. Where surfaces
/// overlap by more than `overlap`, contacts are looked for again along the paths to that end, and
/// solved for together with those that pushed or were on their way; at most `relinearise` times.
/// Nodes against bodies then have the normal and the foot of that end: each pass is a step of
/// Newton's method on the true gaps. A node in a fold between two faces keeps both.
///
/// Impulses are remembered by contact for the next step's start.
class LagrangeContact final : public ContactMethod {
  public:
    using Options = LagrangeOptions;
    explicit LagrangeContact(const Options& options,
                             std::vector<std::unique_ptr<Joint>> joints = {});

    std::string_view name() const override { return "lagrange"; }
    bool by_constraints() const override { return true; }
    /// With joints those on the way that bodies were taking; else nothing yet: contacts are those
    /// of free motion.
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput&, ContactSet&) override {}
    ConstraintReport constrain(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                               ContactSet& set) override;
    Settled settles(const ContactInput& in, std::span<const Vec3d> v, ContactSet& set,
                    ConstraintReport& report) override;
    std::span<const Vec3d> node_impulses() const override { return impulse_; }
    /// Those of the last step.
    std::span<const Vec3d> expected_impulses() const override { return expected_; }
    void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                   std::span<Vec3d> f) override;
    void save(ByteWriter& out) const override;
    void load(ByteReader& in) override;
    std::span<const std::unique_ptr<Joint>> joints() const override { return joints_; }
    void keep() override;
    void reset() override;
    bool clocked() const override { return options_.deadline_ms > 0; }
    std::span<const Index> decisions() const override { return decided_; }
    void replay(std::span<const Index> decisions) override {
        replayed_.assign(decisions.begin(), decisions.end());
        replaying_ = true;
    }

    const ConstraintSet& constraints() const { return set_; }  // of the last step
    std::span<const double> impulses() const { return p_; }    // of its rows [N s]

  private:
    struct PastContact {
        ContactKey key;
        Vec3d impulse;  // [N s], on the positive side
    };
    struct Impulses {
        std::vector<PastContact> contacts;  // by key
        std::vector<double> joints;         // of the joints' rows [N s]
    };
    BodyContactOptions near(const ContactInput& in);
    void find_sheets(const ContactInput& in, std::span<const Vec3d> v, ContactSet& found);
    void find(const ContactInput& in, bool at_end, ContactSet& set);
    void find_more(const ContactInput& in, std::span<const Vec3d> v, bool at_end, ContactSet& set);
    bool in_a_fold(const Contact& a, const Contact& b, const ContactInput& in,
                   std::span<const Vec3d> v) const;
    void turn_to_end(const ContactInput& in, std::vector<Contact>& contacts);
    ContactSet::Left deepest(const ContactInput& in, const std::vector<Contact>& contacts) const;
    ContactSet::Left deepest_at_end(const ContactInput& in, std::span<const Vec3d> v);
    ContactSet::Left deepest_at(const ContactInput& in, std::span<const Vec3d> x, double time);
    void report_depth(const ContactInput& in, const ContactSet::Left& deepest, ContactSet& set);
    bool ends_too_deep(const ContactInput& in, std::span<const Vec3d> v, ContactSet& set,
                       ConstraintReport& report);
    Settled sheets_settle(const ContactInput& in, std::span<const Vec3d> v, ContactSet& set);
    void find_free_motion(const ContactInput& in, Compliance& A);
    void look_for_contacts(const ContactInput& in, std::span<const Vec3d> v, ContactSet& set);
    void solve_pass(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                    ConstraintReport& report);
    void solve_acting(const ContactInput& in, Compliance& A, std::span<Vec3d> v, bool by_clock,
                      ConstraintReport& report);
    void note(const ContactInput& in, const ComplementarityStats& stats, ConstraintReport& report);
    void correct(Compliance& A, std::span<Vec3d> v, ConstraintReport& report);
    void keep_pushes(double h);
    void thin_out(const ContactInput& in, double spacing, std::vector<Contact>& contacts);
    void add_rows(const ContactInput& in, const ContactSet& set);
    void start_from(const Impulses& before, const ContactSet& set);
    void keep_impulses(double h, ContactSet& set);
    double mean_edge(const ContactInput& in);
    double alarm_distance(const ContactInput& in);
    double spacing(const ContactInput& in);
    ComplementarityOptions limits_of(const ContactInput& in);
    bool without_W(const ContactInput& in, const Compliance& A, Index rows) const;
    ComplementarityStats solve_without_W(const ContactInput& in, Compliance& A);
    Index worst_body(const ContactInput& in, std::span<const Vec3d> v) const;

    Options options_;
    std::vector<std::unique_ptr<Joint>> joints_;
    std::unique_ptr<ComplementaritySolver> solver_;
    ContactFinder finder_;
    ActingConstraints acting_;
    double mean_edge_ = 0;     // of the surfaces at rest [m]
    ContactSet found_;         // at the end of a pass
    bool measured_ = false;    // how deep the step ends
    int looked_ = 0;           // how often contacts were looked for in this step
    bool look_ = false;        // the next pass does, along the motion of the last one
    ContactSet::Left before_;  // where the step began, then where it ended before they were
    // Of the solves without W of a step that is not settled yet, and of the last one.
    double loose_ = 0;
    bool loosely_ = false, tightly_ = false;
    SheetContacts sheets_;
    bool sheets_touch_ = false;    // among the rows
    std::vector<Contact> extra_;   // of sheets, for the next pass
    int looks_ = 0;                // at sheets at the end of this step
    std::vector<Contact> at_end_;  // of the pass before, where another looks along its way
    std::vector<std::pair<ContactKey, Index>> by_key_;
    std::vector<Vec3d> end_, still_;
    std::vector<Vec3d> kept_;  // points of the contacts between bodies
    std::vector<Index> kept_at_;
    ConstraintSet set_;
    std::vector<Index> joint_rows_;  // where each joint's rows begin, and where contacts' do
    AugmentedLagrangian augmented_;
    std::vector<double> largest_W_;  // per group: a bound of its diagonal [1/kg]
    std::vector<double> u_free_, u_, p_;
    std::vector<Vec3d> impulse_, change_;  // of the last pass, and A⁻¹ of it
    std::vector<Vec3d> free_;              // v without contact, as far as A⁻¹ knows it
    std::vector<Vec3d> expected_;          // [N s]
    // Iterations of each solve where a clock may end them; and those of the run that is repeated.
    std::vector<Index> decided_, replayed_;
    bool replaying_ = false;
    Impulses latest_;            // of the last pass
    Impulses past_;              // History: of the last step that was kept
    std::vector<Index> pushed_;  // History: nodes that pushed in it, ascending
    std::vector<Vec3d> push_;    // History: with which force [N]
};

}  // namespace limber

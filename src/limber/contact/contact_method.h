// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "limber/contact/contact_filter.h"
#include "limber/contact/obstacle.h"
#include "limber/core/bytes.h"
#include "limber/core/timer.h"
#include "limber/linalg/schur/compliance.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// The nodes a contact acts on, up to four. What it sees of the bodies is Σ w_k v[node_k]; a force
/// f on that sum acts on node k as w_k f. Against an obstacle: one node of weight 1, or the points
/// of a face. Between bodies: a vertex (+1) against a face (minus its barycentric coordinates), or
/// an edge against an edge; the weights then add up to 0.
struct ContactStencil {
    std::array<Index, 4> node{};
    std::array<double, 4> weight{};
    int n = 0;

    static ContactStencil of_node(Index node) { return {{node}, {1}, 1}; }
    Vec3d gather(std::span<const Vec3d> value) const {
        Vec3d sum = weight[0] * value[node[0]];
        for (int k = 1; k < n; ++k) sum += weight[k] * value[node[k]];
        return sum;
    }
    void scatter(const Vec3d& f, std::span<Vec3d> out) const {
        for (int k = 0; k < n; ++k) out[node[k]] += weight[k] * f;
    }
};

/// What a contact is, whatever the step: methods that remember find it again by this. A vertex that
/// slides from face to face of one body stays the same contact.
struct ContactKey {
    enum Kind : Index {
        node_obstacle,  // node of a body, obstacle
        node_body,      // node of a body, the other body (or its own)
        obstacle_node,  // corner of a mesh obstacle (counted through all of them), body
        edges,          // two edges, counted through all bodies and mesh obstacles
        face_obstacle,  // face or edge of a body (its face, counted through all of them), obstacle
        sheet_node,   // node of a sheet, twice the other sheet's body and on which side of its own
        sheet_edges,  // two edges, counted through all sheets
    };
    Index kind = node_obstacle, a = 0, b = 0;
    friend auto operator<=>(const ContactKey&, const ContactKey&) = default;
};
/// As files name them.
constexpr std::array<std::string_view, ContactKey::sheet_edges + 1> enum_names(ContactKey::Kind) {
    return {"node-obstacle", "node-body",  "corner-body", "edge-edge",
            "face-obstacle", "node-sheet", "sheet-edges"};
}

/// One place where a body is near an obstacle, another body or itself, found at the start of a step
/// and frozen for it.
struct Contact {
    ContactStencil at;
    ContactKey key;
    Index obstacle = -1;  // -1: between bodies
    Index body = 0;       // of the nodes with positive weight
    Index other = -1;     // body of the nodes with negative weight; -1 against an obstacle
    Vec3d normal;         // unit, out of the obstacle or of `other`
    double gap = 0;       // signed distance [m], negative inside; of a node that arrives within
                          // the step: to the tangent plane where it arrives
    Vec3d
        surface_velocity;  // of the obstacle there, averaged over the step [m/s]; 0 between bodies
    double friction = 0;
    Vec3d force;  // on the positive side, filled after the step [N]

    Index node() const { return at.node[0]; }
};

/// What a method adds to the linear system of a step:
///   A_kl += w_k w_l block,   b_k += w_k impulse   for the nodes k, l of its stencil.
/// A node that touches several things has several terms. For minimising solvers it is the energy
/// ½ wᵀ block w − impulse·w over the velocity w of the stencil. A one-sided term has it only while
/// it pushes along `push`, where block and impulse are along it; then it goes on at its least
/// value.
struct ContactTerm {
    ContactStencil at;
    Mat3d block{};    // [kg], symmetric positive semidefinite
    Vec3d impulse{};  // [N s]
    Vec3d push{};     // unit; 0: two-sided

    LIMBER_HD bool one_sided() const { return push != Vec3d{}; }
    LIMBER_HD bool acts(const Vec3d& w) const {
        return !one_sided() || dot(push, impulse - block * w) > 0;
    }
    LIMBER_HD double energy(const Vec3d& w) const {  // [J]
        if (acts(w)) return 0.5 * dot(w, block * w) - dot(impulse, w);
        const double p = dot(push, impulse);
        return -0.5 * p * p / dot(push, block * push);
    }
};

struct ContactSet {
    std::vector<Contact> contacts;   // in an order that no number of threads changes
    std::vector<ContactTerm> terms;  // for methods that act through A and b; as contacts
    double max_penetration = 0;      // at the start of the step; by constraints: at its end [m]
    /// Of methods that act by constraints: the deepest at the end of the step, where it is more
    /// than they allow; its sides as in a Contact.
    struct Left {
        double depth = 0;  // [m]; 0: none
        Index body = -1, other = -1, obstacle = -1;
    } left;
};

/// The boundary of one body, as the model has it.
struct ContactSurface {
    std::span<const Triangle> triangles;  // outward, model node indices
    std::span<const Index> nodes;         // ascending
    double mass = 0;                      // of the whole body [kg]
    /// A sheet without an inside: its nodes touch other surfaces; its faces only obstacles and
    /// sheets.
    bool open = false;
    double thickness = 0;  // of a sheet [m]
};

struct ContactInput {
    std::span<const Vec3d> x, v;           // state at the start of the step
    std::span<const Index> surface_nodes;  // of all bodies, ascending
    std::span<const Obstacle> obstacles;
    std::span<const double> mass;              // [kg] per node
    double time = 0, h = 0;                    // obstacles move from time to time + h [s]
    std::span<const ContactSurface> bodies{};  // none: obstacles alone are looked for
    std::span<const Vec3d> rest{};             // positions at rest [m], for self-contact
    /// What a node sets against a force within the step: its diagonal block of A at rest, m + h²
    /// K_ii [kg]. None: its mass.
    std::span<const double> inertia{};
    std::span<const Vec3d> free{};  // 0 where a pin prescribes a coordinate, else 1. None: all free
    /// Of constrain(): impulses on the nodes that v is the answer to [N s], but for prescribed
    /// coordinates, which answer through A⁻¹ alone. None: v is free motion.
    std::span<const Vec3d> answered{};
    bool again = false;                     // constrain() was called before in this step
    bool same_compliance = false;           // ... with this A⁻¹
    bool last_try = false;                  // what is rejected now fails for good
    bool equilibrium = false;               // no step of motion: no masses, no velocities
    const Timer* clock = nullptr;           // since the beginning of the step
    double deadline_ms = 0;                 // for what iterates; 0: none
    const ContactFilter* filter = nullptr;  // none: everything feels everything

    /// Bodies hold consecutive nodes, in order.
    Index body_of(Index node) const {
        const auto it = std::upper_bound(
            bodies.begin(), bodies.end(), node, [](Index wanted, const ContactSurface& body) {
                return !body.nodes.empty() && wanted < body.nodes.front();
            });
        return std::max<Index>(0, static_cast<Index>(it - bodies.begin()) - 1);
    }
    bool ignores(Index node, Index obstacle) const {
        return filter && filter->any_obstacle() && filter->obstacle(body_of(node), obstacle);
    }
};

/// What a force on a stencil's sum moves: the mass of all of it; and the geometric mean of its two
/// sides, where it has two [kg].
struct StencilMass {
    double all = 0, mean = 0;
};
inline StencilMass mass_of(const ContactStencil& at, std::span<const double> mass) {
    double inverse[2] = {0, 0};
    for (int k = 0; k < at.n; ++k)
        inverse[at.weight[k] < 0] += at.weight[k] * at.weight[k] / mass[at.node[k]];
    const double all = 1 / (inverse[0] + inverse[1]);
    return {all, inverse[1] > 0 ? 1 / std::sqrt(inverse[0] * inverse[1]) : all};
}

/// What a method that acts by constraints did in a step.
struct ConstraintReport {
    int passes = 0;       // calls of constrain() that the step needed
    int rows = 0;         // of H
    int rounds = 0;       // problems solved, each for the rows found to act; over all passes
    int built = 0;        // rows of the largest W of the last pass; 0: none was needed
    int iterations = 0;   // of the complementarity solver, over all passes
    double residual = 0;  // complementarity_residual(), relative
    bool converged = true;
    bool late = false;  // the clock ended it
    double smallest_gap =
        0;            // where the step ends, of nodes and of rows [m]; 0 where none is below
    Index body = -1;  // where they are worst, if they did not converge
    double detect_ms = 0, compliance_ms = 0, resolve_ms = 0, correct_ms = 0;

    /// Of W, as a share of the one for all rows.
    double built_share() const { return rows > 0 ? static_cast<double>(built) / rows : 0; }
    /// Counts and times add up; the rest is that of the last call.
    void add_pass(const ConstraintReport& last) {
        const ConstraintReport before = *this;
        *this = last;
        passes = before.passes + 1;
        rounds += before.rounds;
        iterations += before.iterations;
        late = late || before.late;
        detect_ms += before.detect_ms;
        compliance_ms += before.compliance_ms;
        resolve_ms += before.resolve_ms;
        correct_ms += before.correct_ms;
    }
};

class Joint;

/// How contact is resolved; one file in contact/methods/ and one entry in scene/contact_methods.cpp
/// each.
class ContactMethod {
  public:
    virtual ~ContactMethod() = default;
    virtual std::string_view name() const = 0;
    /// Whether it looks for contacts at all.
    virtual bool acts() const { return true; }
    /// Stage 2: fills out.contacts, which keeps its capacity between steps.
    virtual void detect(const ContactInput& in, ContactSet& out) = 0;
    /// Stage 8 for methods that act through A and b: fills set.terms from set.contacts.
    virtual void respond(const ContactInput& in, ContactSet& set) = 0;
    /// Whether the method acts by constraints, through constrain(), and needs the solver's A⁻¹.
    virtual bool by_constraints() const { return false; }
    /// Impulses on the nodes that such a method expects of the step [N s], known after detect(): a
    /// solver whose A⁻¹ is not all of the answer starts from them. None: no idea.
    virtual std::span<const Vec3d> expected_impulses() const { return {}; }
    /// Stages 7 to 9 of such a method: in.v is the velocity under the impulses in.answered; `v`
    /// becomes that of the end of the step.
    virtual ConstraintReport constrain(const ContactInput&, Compliance&, std::span<Vec3d> /*v*/,
                                       ContactSet&) {
        return {};
    }
    /// Whether the answer v is good enough for the method where it ends. `again`: constrain() is to
    /// be called again, with in.v and in.answered as they were; `reject`: the step is too long.
    enum class Settled { yes, again, reject };
    virtual Settled settles(const ContactInput&, std::span<const Vec3d> /*v*/, ContactSet&,
                            ConstraintReport&) {
        return Settled::yes;
    }
    /// Impulses of the last constrain() on the nodes [N s].
    virtual std::span<const Vec3d> node_impulses() const { return {}; }
    /// After the step: the forces that acted, into contacts[].force and added to f (which the
    /// caller clears) [N].
    /// Only for steps that are kept: a method may remember them.
    virtual void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                           std::span<Vec3d> f) = 0;
    /// After the positions of the end of the step are known: methods that move nodes themselves
    /// change x and v, and add the forces that would have done it to f [N]. in.x and in.v are no
    /// longer those of the start.
    virtual void correct(const ContactInput&, std::span<Vec3d> /*x*/, std::span<Vec3d> /*v*/,
                         ContactSet&, std::span<Vec3d> /*f*/) {}
    /// Work on the bodies, while their nodes went from `from` to `to`, of what is neither contact
    /// nor joint: the mouse of a user [J]. Of the last read_back().
    virtual double work_by_hand(std::span<const Vec3d> /*from*/,
                                std::span<const Vec3d> /*to*/) const {
        return 0;
    }
    /// As those of a Stepper: whether a clock decides, what it decided, and what it is to decide.
    virtual bool clocked() const { return false; }
    virtual std::span<const Index> decisions() const { return {}; }
    virtual void replay(std::span<const Index>) {}
    /// What holds by the scene, where the method acts by constraints.
    virtual std::span<const std::unique_ptr<Joint>> joints() const { return {}; }
    /// History: what the next step remembers of this one.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    /// A whole step was accepted: what joints go back to on reset().
    virtual void keep() {}
    virtual void reset() {}
};

}  // namespace limber

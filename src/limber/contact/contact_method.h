// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "limber/contact/obstacle.h"
#include "limber/core/bytes.h"

namespace limber {

/// One node near one obstacle, found at the start of a step and frozen for it.
struct Contact {
    Index node = 0;
    Index obstacle = 0;
    Vec3d normal;            // unit, out of the obstacle
    double gap = 0;          // signed distance to the surface [m], negative inside; of a node that
                             // arrives within the step: to the tangent plane where it arrives
    Vec3d surface_velocity;  // of the obstacle there, averaged over the step [m/s]
    double friction = 0;
    Vec3d force;  // on the node, filled after the step [N]
};

/// What a method adds to the linear system of a step, at one node:  A_ii += block,  b_i += impulse.
/// A node that touches several obstacles has several terms, one after the other.
struct ContactTerm {
    Index node = 0;
    Mat3d block{};    // [kg]
    Vec3d impulse{};  // [N s]
};

struct ContactSet {
    std::vector<Contact> contacts;   // by node, then obstacle
    std::vector<ContactTerm> terms;  // for methods that act through A and b; by node
    double max_penetration = 0;      // at the start of the step [m]
};

struct ContactInput {
    std::span<const Vec3d> x, v;           // state at the start of the step
    std::span<const Index> surface_nodes;  // of all bodies, ascending
    std::span<const Obstacle> obstacles;
    std::span<const double> mass;  // [kg] per node
    double time = 0, h = 0;        // obstacles move from time to time + h [s]
};

/// How contact is resolved; one file in contact/methods/ and one line in scene/registry.cpp each.
class ContactMethod {
  public:
    virtual ~ContactMethod() = default;
    virtual std::string_view name() const = 0;
    /// Stage 2: fills `out`, which keeps its capacity between steps.
    virtual void detect(const ContactInput& in, ContactSet& out) = 0;
    /// After the step: the forces that acted, into contacts[].force and added to f (which the
    /// caller clears) [N].
    /// Only for steps that are kept: a method may remember them.
    virtual void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                           std::span<Vec3d> f) = 0;
    /// History: what the next step remembers of this one.
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    virtual void reset() {}
};

}  // namespace limber

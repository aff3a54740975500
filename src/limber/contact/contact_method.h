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
    double gap = 0;          // signed distance to the surface [m], negative inside
    Vec3d surface_velocity;  // of the obstacle there [m/s]
    double friction = 0;
    Vec3d force;  // on the node, filled after the step [N]
};

/// What a method adds to the linear system of a step, at one node:  A_ii += block,  b_i += impulse.
struct ContactTerm {
    Index node = 0;
    Mat3d block{};    // [kg]
    Vec3d impulse{};  // [N s]
};

struct ContactSet {
    std::vector<Contact> contacts;   // by node, then obstacle
    std::vector<ContactTerm> terms;  // for methods that act through A and b
    double max_penetration = 0;      // [m]
};

struct ContactInput {
    std::span<const Vec3d> x, v;           // state at the start of the step
    std::span<const Index> surface_nodes;  // of all bodies, ascending
    std::span<const Obstacle> obstacles;
    std::span<const double> mass;  // [kg] per node
    double time = 0, h = 0;        // obstacles are taken at time + h
};

/// How contact is resolved; one file in contact/methods/ and one line in scene/registry.cpp each.
class ContactMethod {
  public:
    virtual ~ContactMethod() = default;
    virtual std::string_view name() const = 0;
    /// Stage 2: fills `out`, which keeps its capacity between steps.
    virtual void detect(const ContactInput& in, ContactSet& out) = 0;
    /// After the step: the forces that acted, into contacts[].force and summed into f [N].
    virtual void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                           std::span<Vec3d> f) const = 0;
    virtual void save(ByteWriter&) const {}
    virtual void load(ByteReader&) {}
    virtual void reset() {}
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/contact/contact_finder.h"
#include "limber/core/fields.h"

namespace limber {

struct RepulsionOptions {
    double stiffness = 0;     // k of each node [N/m]; 0: that of implicit penalty forces
    double thickness = 1e-3;  // the energy begins at this distance [m]
    bool bodies = true;       // bodies against each other
    bool self = false;        // bodies against themselves
};

template <class Visitor>
void fields(Visitor& field, RepulsionOptions& o) {
    field("stiffness", o.stiffness, at_least(0, Unit::stiffness),
          "normal force per metre of depth at each node; 0: chosen from node mass and step");
    field("thickness", o.thickness, at_least(0, Unit::length),
          "distance from the surface at which the energy begins");
    field("bodies", o.bodies, any_value(), "bodies touch each other");
    field("self", o.self, any_value(), "bodies and cloth touch themselves: folds, tentacles");
}

/// Repulsive energies added to the energy that a step minimises (Wang & Yang 2016, section 6):
///
///   ½ k max(0, d − g(x))²,   g(x) = gap + n·(motion of the stencil relative to the surface)
///
/// with gap and normal frozen at the start of the step, and with the damping of penalty forces
/// inside the zone, so that nodes settle instead of hopping. Unlike penalty forces, which are
/// linear within a step, they never pull: the minimiser sees where they end. Without friction: the
/// source handles that by position constraints (`projection`).
class RepulsionContact final : public ContactMethod {
  public:
    using Options = RepulsionOptions;
    explicit RepulsionContact(const Options& options) : options_(options) {}
    std::string_view name() const override { return "repulsion"; }
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput& in, ContactSet& set) override;
    void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                   std::span<Vec3d> f) override;

  private:
    Options options_;
    ContactFinder finder_;
};

}  // namespace limber

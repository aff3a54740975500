// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/core/fields.h"

namespace limber {

struct ProjectionOptions {
    double thickness = 1e-3;  // nodes are put this far off the surface [m]
    double friction = 0.3;    // Coulomb's mu, where the obstacle has none of its own
};

template <class Visitor>
void fields(Visitor& field, ProjectionOptions& o) {
    field("thickness", o.thickness, at_least(0, Unit::length),
          "distance from the surface at which nodes are kept");
    field("friction", o.friction, between(0, 10),
          "Coulomb coefficient where the obstacle gives none");
}

/// Position constraints enforced at the end of each step (Wang & Yang 2016, section 6), against
/// obstacles alone:
///
///   a node nearer than the thickness d is moved out along the normal by δ = d − distance, and its
///   way along the surface in this step, seen from the obstacle, is shortened by at most mu δ;
///   what moved x by Δ changes v by Δ/h.
///
/// A node that rests is pressed δ = g h² into the surface a step, and friction holds it while its
/// way is shorter than mu δ: it sticks without creeping. Bodies do not feel that their nodes
/// will be moved, so large steps look soft and pass thin obstacles: take small ones.
class ProjectionContact final : public ContactMethod {
  public:
    using Options = ProjectionOptions;
    explicit ProjectionContact(const Options& options) : options_(options) {}
    std::string_view name() const override { return "projection"; }
    /// Finds nothing yet: what touches is known at the end of the step.
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput&, ContactSet&) override {}
    void read_back(const ContactInput&, std::span<const Vec3d>, ContactSet&,
                   std::span<Vec3d>) override {}
    void correct(const ContactInput& in, std::span<Vec3d> x, std::span<Vec3d> v, ContactSet& set,
                 std::span<Vec3d> f) override;

  private:
    void project(const ContactInput& in, Index obstacle, std::span<Vec3d> x, std::span<Vec3d> v,
                 ContactSet& set, std::span<Vec3d> f);
    Options options_;
    std::vector<Vec3d> start_;    // positions at the start of the step [m]
    std::vector<Contact> found_;  // one a surface node; where it did not touch, without a stencil
};

}  // namespace limber

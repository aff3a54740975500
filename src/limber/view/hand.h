// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "limber/contact/contact_method.h"

namespace limber {

/// A spring from a point of a body to where the mouse is.
struct Pull {
    ContactStencil at;
    Vec3d target;          // [m]
    double stiffness = 0;  // [N/m]
    double damping = 0;    // [N s/m]
    Vec3d point, force{};  // of the last step: where it held, what it did [N]
};

/// A ball that pushes bodies.
struct ToolBall {
    Vec3d position;  // where the mouse wants it [m]
    double radius = 0.1;
};

/// What a user does to a running simulation, as a contact method around the scene's own: springs
/// become terms of A and b, the tool one more obstacle. Nothing else in a step has to know.
class Hand final : public ContactMethod {
  public:
    /// `implicit` springs need a solver whose matrix takes contact terms at once; the others hold
    /// theirs to what an explicit force can do without oscillating.
    Hand(std::unique_ptr<ContactMethod> scene, std::span<const Obstacle> obstacles, bool implicit);

    /// Made without the scene's own, this is it from now on.
    void take_over(std::unique_ptr<ContactMethod> scene) { scene_ = std::move(scene); }

    void pull(const Pull& spring) { pull_ = spring; }
    void move(const Vec3d& target) {
        if (pull_) pull_->target = target;
    }
    void release() { pull_.reset(); }
    const std::optional<Pull>& pulling() const { return pull_; }

    /// Moves the tool; it glides there in the next step. None: no tool.
    void set_tool(const std::optional<ToolBall>& tool);
    const std::optional<ToolBall>& tool() const { return tool_; }

    std::string_view name() const override { return scene_->name(); }
    bool acts() const override { return scene_->acts(); }
    void detect(const ContactInput& in, ContactSet& out) override;
    void respond(const ContactInput& in, ContactSet& set) override;
    void read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                   std::span<Vec3d> f) override;
    bool by_constraints() const override { return scene_->by_constraints(); }
    ConstraintReport constrain(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                               ContactSet& set) override {
        return scene_->constrain(with_tool(in), A, v, set);
    }
    Settled settles(const ContactInput& in, std::span<const Vec3d> v, ContactSet& set,
                    ConstraintReport& report) override {
        return scene_->settles(with_tool(in), v, set, report);
    }
    std::span<const Vec3d> expected_impulses() const override {
        return scene_->expected_impulses();
    }
    void correct(const ContactInput& in, std::span<Vec3d> x, std::span<Vec3d> v, ContactSet& set,
                 std::span<Vec3d> f) override {
        scene_->correct(with_tool(in), x, v, set, f);
    }
    double work_by_hand(std::span<const Vec3d> from, std::span<const Vec3d> to) const override;
    std::span<const Vec3d> node_impulses() const override { return scene_->node_impulses(); }
    bool clocked() const override { return scene_->clocked(); }
    std::span<const Index> decisions() const override { return scene_->decisions(); }
    void replay(std::span<const Index> decisions) override { scene_->replay(decisions); }
    void save(ByteWriter& out) const override { scene_->save(out); }
    void load(ByteReader& in) override { scene_->load(in); }
    std::span<const std::unique_ptr<Joint>> joints() const override { return scene_->joints(); }
    void keep() override { scene_->keep(); }
    void reset() override { scene_->reset(); }

  private:
    ContactInput with_tool(const ContactInput& in) const;
    ContactTerm spring(const ContactInput& in) const;

    std::unique_ptr<ContactMethod> scene_;
    std::vector<Obstacle> obstacles_;  // the scene's, and the tool last while there is one
    bool implicit_;
    std::optional<Pull> pull_;
    std::optional<ToolBall> tool_;
    Vec3d tool_from_{};  // where the tool is at the start of the step
};

}  // namespace limber

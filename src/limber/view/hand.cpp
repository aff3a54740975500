// SPDX-License-Identifier: Apache-2.0
#include "limber/view/hand.h"

#include <algorithm>

namespace limber {

Hand::Hand(std::unique_ptr<ContactMethod> scene, std::span<const Obstacle> obstacles, bool implicit)
    : scene_(std::move(scene)),
      obstacles_(obstacles.begin(), obstacles.end()),
      implicit_(implicit) {}

void Hand::set_tool(const std::optional<ToolBall>& tool) {
    if (tool_) obstacles_.pop_back();
    if (tool && (!tool_ || tool_->radius != tool->radius)) tool_from_ = tool->position;
    tool_ = tool;
    if (!tool_) return;
    Obstacle ball;
    ball.name = "tool";
    ball.shape = SphereShape{tool_->radius};
    obstacles_.push_back(std::move(ball));
}

ContactInput Hand::with_tool(const ContactInput& in) const {
    ContactInput out = in;
    if (tool_) out.obstacles = obstacles_;
    return out;
}

void Hand::detect(const ContactInput& in, ContactSet& out) {
    if (tool_) {
        // At most a radius a step, so that nothing is jumped over.
        const Vec3d way = tool_->position - tool_from_;
        const double share = std::min(1.0, tool_->radius / std::max(norm(way), 1e-300));
        Obstacle& ball = obstacles_.back();
        ball.position = tool_from_;
        ball.motion.translate.times = {in.time, in.time + in.h};
        ball.motion.translate.values = {Vec3d{}, share * way};
    }
    scene_->detect(with_tool(in), out);
}

/// f = k (target − p⁺) − c v_p with p⁺ = p + h v_p:  A += (h² k + h c) I,  b += h k (target − p).
ContactTerm Hand::spring(const ContactInput& in) const {
    const double h = in.h;
    ContactTerm term;
    term.at = pull_->at;
    double k = pull_->stiffness, c = pull_->damping;
    const Vec3d p = pull_->at.gather(in.x);
    if (implicit_) {
        term.block = (h * h * k + h * c) * Mat3d::identity();
        term.impulse = (h * k) * (pull_->target - p);
        return term;
    }
    // Explicit: a fifth of what the nodes set against it within one step.
    double inertia = 0;
    for (int i = 0; i < term.at.n; ++i)
        inertia += term.at.weight[i] *
                   (in.inertia.empty() ? in.mass[term.at.node[i]] : in.inertia[term.at.node[i]]);
    k = std::min(k, 0.2 * inertia / (h * h));
    c = std::min(c, 0.2 * inertia / h);
    term.impulse = h * (k * (pull_->target - p) - c * pull_->at.gather(in.v));
    return term;
}

void Hand::respond(const ContactInput& in, ContactSet& set) {
    scene_->respond(with_tool(in), set);
    if (pull_) set.terms.push_back(spring(in));
}

void Hand::read_back(const ContactInput& in, std::span<const Vec3d> v_end, ContactSet& set,
                     std::span<Vec3d> f) {
    if (pull_) {
        const ContactTerm& term = set.terms.back();
        const Vec3d v = pull_->at.gather(v_end);
        pull_->force = (1 / in.h) * (term.impulse - term.block * v);
        pull_->point = pull_->at.gather(in.x) + in.h * v;
        set.terms.pop_back();
    }
    scene_->read_back(with_tool(in), v_end, set, f);
    if (tool_) tool_from_ += obstacles_.back().motion.translate.values.back();
}

double Hand::work_by_hand(std::span<const Vec3d> from, std::span<const Vec3d> to) const {
    if (!pull_) return 0;
    return dot(pull_->force, pull_->at.gather(to) - pull_->at.gather(from));
}

}  // namespace limber

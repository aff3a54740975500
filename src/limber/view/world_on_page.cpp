// SPDX-License-Identifier: Apache-2.0
#include "limber/view/world_on_page.h"

#include <cmath>
#include <numbers>

#include "limber/contact/contact_read_back.h"
#include "limber/contact/joint.h"
#include "limber/core/errors.h"
#include "limber/scene/registry.h"
#include "limber/sim/control.h"
#include "limber/view/session.h"

namespace limber {

namespace {

constexpr std::size_t max_reports = 600;  // between two stats messages

double body_mass(const Model& m, Index node) {
    const Body& body = m.body_of_node(node);
    double mass = 0;
    for (Index i = body.node_begin; i < body.node_end; ++i) mass += m.mass[i];
    return mass;
}

}  // namespace

void WorldOnPage::show(const World& world, Hand& hand) {
    auto surface = std::make_unique<DisplaySurface>(world.model());
    positions_.resize(3 * static_cast<std::size_t>(surface->n_vertices()));
    surface_ = std::move(surface);
    world_ = &world;
    hand_ = &hand;
    reports_.clear();
    ++scene_number_;
}

/// Pulls like a spring that would swing the whole body at 2 Hz, half damped; value makes it weaker
/// or stronger.
void WorldOnPage::start_pull(const Command& c) {
    if (!in_surface(c.pick)) throw InputError("command: there is no such triangle");
    if (!(c.value > 0 && c.value <= 1000)) throw InputError("command: value is 0 to 1000");
    Pull pull;
    pull.at = surface_->stencil(c.pick);
    pull.target = c.point;
    const double mass = body_mass(world_->model(), pull.at.node[0]);
    const double omega = 2 * std::numbers::pi * 2;
    pull.stiffness = c.value * mass * omega * omega;
    pull.damping = std::sqrt(pull.stiffness * mass);
    pull.point = pull.at.gather(world_->state().x);
    hand_->pull(pull);
}

bool WorldOnPage::handle(const Command& c) {
    switch (c.verb) {
        case Verb::pull:
            start_pull(c);
            return true;
        case Verb::move:
            hand_->move(c.point);
            return true;
        case Verb::release:
            hand_->release();
            return true;
        case Verb::tool:
            if (!(c.value > 0 && c.value <= 1e3)) throw InputError("command: radius is 0 to 1000");
            hand_->set_tool(ToolBall{c.point, c.value});
            return true;
        case Verb::tool_off:
            hand_->set_tool(std::nullopt);
            return true;
        case Verb::colour:
            colour_ = c.text;
            return true;
        case Verb::contacts:
            show_contacts_ = c.on;
            return true;
        default:
            return false;
    }
}

void WorldOnPage::stepped(const StepReport& report) {
    if (reports_.size() < max_reports) reports_.push_back(report);
}

void WorldOnPage::describe(SceneDescription& out) const {
    out.scene = scene_number_;
    out.parts = surface_->parts();
    for (const Body& body : world_->model().bodies) {
        out.nodes.push_back(body.node_end - body.node_begin);
        out.tets.push_back(body.tet_end - body.tet_begin);
    }
    out.obstacles = &world_->model().obstacles;
    out.fields = Colours::fields(*world_);
}

std::string WorldOnPage::geometry() const {
    return encode_geometry(scene_number_, static_cast<std::uint32_t>(surface_->n_vertices()),
                           surface_->triangles());
}

std::string WorldOnPage::frame() {
    const World& world = *world_;
    const State& state = world.state();
    surface_->positions(state.x, positions_);
    FrameContent content;
    content.scene = scene_number_;
    content.number = ++frame_number_;
    content.step = state.step;
    content.time = state.time;
    content.positions = positions_;
    if (!colour_.empty() && colours_.evaluate(colour_, world, *surface_)) {
        content.values = colours_.values();
        content.lo = colours_.lo();
        content.hi = colours_.hi();
    }
    poses_.clear();
    for (const Obstacle& obstacle : world.model().obstacles)
        poses_.push_back(pose_at(obstacle, state.time));
    content.poses = poses_;
    arrows_.clear();
    if (show_contacts_)
        for (const Contact& contact : world.contacts().contacts)
            arrows_.push_back({contact_point(contact, state.x), contact.force});
    content.contacts = arrows_;
    std::vector<ForceArrow> hand;
    if (const auto& pull = hand_->pulling())
        hand.push_back({pull->at.gather(state.x), pull->force});
    content.hand = hand;
    cables_.clear();
    cable_pieces(world.model(), state.x, state.time, cables_);
    content.cables = cables_;
    return encode_frame(content);
}

std::string WorldOnPage::take_stats() {
    if (reports_.empty()) return {};
    std::vector<Reading> readings;
    for (const auto& joint : world_->contact().joints())
        for (const JointReading& r : joint->readings())
            readings.push_back({std::string(joint->name()) + ' ' + std::string(r.what), r.value});
    std::vector<Reading> drives;
    for (std::size_t k = 0; k < world_->drives().size(); ++k)
        if (const DriveKind kind = drive_kind(world_->model(), k); !kind.what.empty())
            drives.push_back({std::string(kind.name), world_->drives()[k]});
    std::string out = stats_message(reports_, readings, drives);
    reports_.clear();
    return out;
}

bool takes_implicit_springs(const SceneDef& scene) {
    const AnyOptions& solver = scene.solver.options;
    const StepperEntry& entry = stepper_entry(solver.name);
    // A factor that is never made again does not hold the hand's spring, and overshoots by it.
    const bool stale = entry.keeps_factor_for_good && entry.keeps_factor_for_good(solver);
    return !stale && !has_explicit_contact(scene);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// What a running simulation tells the page: frames, statistics, status and the scene.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/contact/contact_read_back.h"
#include "limber/contact/joint.h"
#include "limber/scene/solver_name.h"
#include "limber/view/live.h"
#include "limber/view/verdict_message.h"

namespace limber {

namespace {

using Json = nlohmann::json;

/// As a shell takes it for one word.
std::string shell_word(const std::string& text) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + '\'';
}

}  // namespace

std::string LiveSession::frame() {
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
    changed_ = false;
    return encode_frame(content);
}

std::string LiveSession::take_stats() {
    if (reports_.empty()) return {};
    std::vector<Reading> readings;
    for (const auto& joint : world_->contact().joints())
        for (const JointReading& r : joint->readings())
            readings.push_back({std::string(joint->name()) + ' ' + std::string(r.what), r.value});
    std::vector<Reading> drives;
    for (const Drive& drive : drives_of(world_->model(), world_->state().time))
        drives.push_back({drive.name, drive.value});
    std::string out = stats_message(reports_, readings, drives);
    reports_.clear();
    return out;
}

std::string LiveSession::take_verdict() {
    std::string now = verdict_message(*world_, since_, failure_);
    if (now == told_verdict_) return {};
    told_verdict_ = now;
    return now;
}

/// What runs this scene without the page; nothing for a dropped file, which goes with the page.
std::string LiveSession::command() const {
    if (!remark_.empty()) return {};
    std::string out = "limber run " + shell_word(file_);
    for (const std::string& set : load_.sets) out += " --set " + shell_word(set);
    return out;
}

std::string LiveSession::status() const {
    Json pins = Json::array();
    for (const UserPin& pin : pins_)
        pins.push_back({pin.position.x, pin.position.y, pin.position.z});
    const Json out = {{"type", "status"},
                      {"playing", playing()},
                      {"speed", playback_.speed},
                      {"failure", failure_},
                      {"recording", recording_ ? recording_->dir : ""},
                      {"colour", colour_},
                      {"contacts", show_contacts_},
                      {"pins", pins},
                      {"solver", solver_name(scene_)},
                      {"command", command()},
                      {"by_hand", by_hand_},
                      {"busy", busy_}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void LiveSession::announce(ViewServer& server) {
    SceneDescription d;
    d.scene = scene_number_;
    d.mode = "live";
    d.name = std::filesystem::path(file_).stem().string();
    d.def = &scene_;
    d.parts = surface_->parts();
    for (const Body& body : world_->model().bodies) {
        d.nodes.push_back(body.node_end - body.node_begin);
        d.tets.push_back(body.tet_end - body.tet_begin);
    }
    d.obstacles = &world_->model().obstacles;
    d.fields = Colours::fields(*world_);
    d.warnings = built_.warnings;
    d.drives = drives_.all();
    d.gallery = options_.gallery;
    d.panels = true;
    d.uploads = !options_.upload_folder.empty();
    server.publish(Slot::scene, scene_message(d));
    server.publish(
        Slot::geometry,
        encode_geometry(scene_number_, static_cast<std::uint32_t>(surface_->n_vertices()),
                        surface_->triangles()));
    server.publish(Slot::status, status());
    told_verdict_ = verdict_message(*world_, since_, failure_);
    server.publish(Slot::verdict, told_verdict_);
    changed_ = true;
}

}  // namespace limber

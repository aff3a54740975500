// SPDX-License-Identifier: Apache-2.0
// What a running simulation tells the page: frames, statistics, status and the scene.
#include <filesystem>
#include <nlohmann/json.hpp>

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
    changed_ = false;
    return page_.frame();
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
                      {"colour", page_.colour()},
                      {"contacts", page_.shows_contacts()},
                      {"pins", pins},
                      {"solver", solver_name(scene_)},
                      {"command", command()},
                      {"by_hand", by_hand_},
                      {"busy", busy_}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void LiveSession::announce(ViewServer& server) {
    SceneDescription d;
    page_.describe(d);
    d.mode = "live";
    d.name = std::filesystem::path(file_).stem().string();
    d.def = &scene_;
    d.warnings = built_.warnings;
    d.drives = drives_.all();
    d.gallery = options_.gallery;
    d.panels = true;
    d.uploads = !options_.upload_folder.empty();
    server.publish(Slot::scene, scene_message(d));
    server.publish(Slot::geometry, page_.geometry());
    server.publish(Slot::status, status());
    told_verdict_ = verdict_message(*world_, since_, failure_);
    server.publish(Slot::verdict, told_verdict_);
    changed_ = true;
}

}  // namespace limber

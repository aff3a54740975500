// SPDX-License-Identifier: Apache-2.0
#include "limber/view/program_view.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"
#include "limber/scene/solver_name.h"
#include "limber/sim/control.h"
#include "limber/view/page_files.h"
#include "limber/view/verdict_message.h"

namespace limber {

namespace {

constexpr std::chrono::milliseconds frame_every{16}, stats_every{100};
constexpr double drive_time = 0.1;  // from one end of a slider to the other [s]

/// The index in Control::drives.
std::size_t drive_of_name(const Model& model, std::size_t n, const std::string& name) {
    for (std::size_t k = 0; k < n; ++k)
        if (const DriveKind kind = drive_kind(model, k); !kind.what.empty() && kind.name == name)
            return k;
    throw InputError("there is no cable or cavity '" + printable(name) + "'");
}

}  // namespace

ProgramView::ProgramView(World& world, const SceneDef& scene, std::vector<std::string> warnings)
    : world_(world), scene_(scene), warnings_(std::move(warnings)) {
    auto hand =
        std::make_unique<Hand>(nullptr, world.model().obstacles, takes_implicit_springs(scene));
    page_.show(world, *hand);
    drives_ = drives_of(world.model(), 0);
    hand_ = hand.get();
    hand_->take_over(world.exchange_contact(std::move(hand)));
}

void ProgramView::open(const ServerOptions& options) {
    require_page();
    const std::lock_guard lock(mutex_);
    if (server_)
        throw InputError("this world is on a live page already, " + server_->url() +
                         "; close that first");
    auto server = std::make_unique<ViewServer>(options);
    hand_->release();
    hand_->set_tool(std::nullopt);
    driven_.clear();
    failure_.clear();
    by_hand_ = false;
    since_ = world_.state().step;
    next_frame_ = next_stats_ = {};
    server_ = std::move(server);
    announce();
    send_frame();
}

void ProgramView::close() {
    const std::lock_guard lock(mutex_);
    server_.reset();
}

bool ProgramView::is_open() const {
    const std::lock_guard lock(mutex_);
    return server_ != nullptr;
}
std::string ProgramView::url() const {
    const std::lock_guard lock(mutex_);
    return server_ ? server_->url() : "";
}
int ProgramView::port() const {
    const std::lock_guard lock(mutex_);
    return server_ ? server_->port() : 0;
}
int ProgramView::clients() const {
    const std::lock_guard lock(mutex_);
    return server_ ? server_->counts().clients : 0;
}

void ProgramView::update() {
    const std::lock_guard lock(mutex_);
    if (!server_) throw InputError("this live page is closed");
    handle_messages(
        *server_, [this](const Command& command) { handle(command); }, [](const std::string&) {});
    send_stats();
    send_frame();
}

void ProgramView::before_step(const World&) {
    const std::lock_guard lock(mutex_);
    if (!server_) {  // closed since, perhaps by another thread in the middle of a step
        hand_->release();
        if (hand_->tool()) hand_->set_tool(std::nullopt);
        driven_.clear();
        return;
    }
    handle_messages(
        *server_, [this](const Command& command) { handle(command); }, [](const std::string&) {});
    lead_drives();
}

void ProgramView::after_step(const World&, const StepReport& report) {
    const std::lock_guard lock(mutex_);
    if (!server_) return;
    page_.stepped(report);
    const std::string failure = report.failed ? report.failure.what : "";
    if (failure != failure_) {
        failure_ = failure;
        server_->publish(Slot::status, status());
    }
    const Clock::time_point now = Clock::now();
    const bool tell = now >= next_stats_;
    if (tell) send_stats();
    // Now and then although nobody waits for one: whoever comes while no step is taken sees it.
    if (tell || (now >= next_frame_ && server_->wants_frame())) send_frame();
}

void ProgramView::send_frame() {
    server_->publish(Slot::frame, page_.frame());
    next_frame_ = Clock::now() + frame_every;
}

void ProgramView::send_stats() {
    if (std::string stats = page_.take_stats(); !stats.empty())
        server_->publish(Slot::stats, std::move(stats));
    if (std::string verdict = verdict_message(world_, since_, failure_); verdict != told_verdict_) {
        told_verdict_ = verdict;
        server_->publish(Slot::verdict, std::move(verdict));
    }
    next_stats_ = Clock::now() + stats_every;
}

void ProgramView::handle(const Command& command) {
    const bool by_hand = by_hand_;
    // Where the mouse is comes too often for a status each, unless it is the first of it.
    const bool stream =
        command.verb == Verb::move || command.verb == Verb::tool || command.verb == Verb::drive;
    if (page_.handle(command)) {
        by_hand_ = by_hand_ || command.verb == Verb::pull || command.verb == Verb::tool;
    } else if (command.verb == Verb::drive) {
        drive(command.text, command.value);
        by_hand_ = true;
    } else {
        // The page shows the old value again.
        server_->publish(Slot::status, status());
        throw InputError("'" + std::string(verb_name(command.verb)) +
                         "' is not for this page: a program steps this world, and its scene stays "
                         "as it is; allowed: to pull, to push, drives, colours and contacts");
    }
    if (!stream || by_hand_ != by_hand) server_->publish(Slot::status, status());
}

/// By the world's control, as the program does: whoever writes last is followed.
void ProgramView::drive(const std::string& name, double value) {
    const std::size_t k = drive_of_name(world_.model(), world_.control().drives.size(), name);
    const auto range = std::find_if(drives_.begin(), drives_.end(),
                                    [&](const Drive& drive) { return drive.name == name; });
    if (!(value >= range->lo && value <= range->hi))
        throw InputError("'" + name + "' goes from " + number_text(range->lo) + " to " +
                         number_text(range->hi) + ' ' + range->unit);
    Control wanted = idle_control(world_.model());
    wanted.drives[k] = value;
    check_control(wanted, world_.model());
    std::erase_if(driven_, [&](const Driven& driven) { return driven.drive == k; });
    driven_.push_back({k, value, (range->hi - range->lo) / drive_time});
}

void ProgramView::lead_drives() {
    for (const Driven& driven : driven_) {
        const double now = world_.drives()[driven.drive];
        const double most = driven.speed * world_.model().h;
        world_.control().drives[driven.drive] = now + std::clamp(driven.target - now, -most, most);
    }
    std::erase_if(driven_, [&](const Driven& driven) {
        return world_.control().drives[driven.drive] == driven.target;
    });
}

std::string ProgramView::status() const {
    using Json = nlohmann::json;
    const Json out = {{"type", "status"},
                      {"playing", true},
                      {"speed", 1},
                      {"failure", failure_},
                      {"recording", ""},
                      {"colour", page_.colour()},
                      {"contacts", page_.shows_contacts()},
                      {"pins", Json::array()},
                      {"solver", solver_name(scene_)},
                      {"command", ""},
                      {"by_hand", by_hand_},
                      {"busy", ""}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ProgramView::announce() {
    SceneDescription d;
    page_.describe(d);
    d.mode = "program";
    d.name = std::filesystem::path(scene_.file).stem().string();
    d.def = &scene_;
    d.warnings = warnings_;
    d.drives = drives_;
    for (Drive& drive : d.drives) {
        const std::size_t k =
            drive_of_name(world_.model(), world_.control().drives.size(), drive.name);
        drive.value = world_.drives()[k];
        drive.by_hand = world_.control().drives[k].has_value();
    }
    server_->publish(Slot::scene, scene_message(d));
    server_->publish(Slot::geometry, page_.geometry());
    server_->publish(Slot::status, status());
    told_verdict_ = verdict_message(world_, since_, failure_);
    server_->publish(Slot::verdict, told_verdict_);
}

}  // namespace limber

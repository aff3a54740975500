// SPDX-License-Identifier: Apache-2.0
#include "limber/view/live.h"

#include <algorithm>
#include <cmath>

#include "limber/core/errors.h"
#include "limber/sim/tune.h"
#include "limber/sim/verdict_rules.h"

namespace limber {

namespace {

bool is_prefix(std::string_view prefix, std::string_view path) {
    return path.starts_with(prefix) && path.size() > prefix.size() && path[prefix.size()] == '.';
}

}  // namespace

LiveSession::LiveSession(LiveOptions options)
    : options_(std::move(options)), playback_{.playing = options_.playing} {
    open(options_.scene, options_.load);
}

LiveSession::~LiveSession() {
    try {
        stop_recording();
    } catch (const std::exception&) {
        // Whoever wants to know calls finish(): a destructor that throws ends the program.
    }
}

void LiveSession::open(const std::string& file, const LoadOptions& load) {
    PreparedScene prepared = prepare_scene(file, load);
    if (file == file_) prepared.remark = remark_;  // the same, again
    open(std::move(prepared));
}

void LiveSession::open(PreparedScene prepared) {
    stop_recording();
    Drives before = std::exchange(drives_, Drives(*prepared.model));
    try {
        make_world(prepared.scene, std::move(prepared.model), nullptr);
    } catch (...) {
        drives_ = std::move(before);
        throw;
    }
    file_ = std::move(prepared.file);
    load_ = std::move(prepared.load);
    scene_ = std::move(prepared.scene);
    built_ = std::move(prepared.built);
    remark_ = std::move(prepared.remark);
    pins_.clear();
    by_hand_ = false;
}

void LiveSession::add_pin(Model& model, const UserPin& user) const {
    Pin pin{"pin of the page", {user.node}, {true, true, true}, {}};
    pin.motion.translate.times = {0};
    pin.motion.translate.values = {user.position - model.mesh.nodes[user.node]};
    model.pins.push_back(std::move(pin));
    model.free[user.node] = {};
}

/// Throws before anything changes.
void LiveSession::make_world(const SceneDef& scene, std::unique_ptr<Model> model,
                             const State* state) {
    auto stepper = make_stepper(wants_tuning(scene) ? tuned(scene, *model).scene : scene, *model);
    auto hand = std::make_unique<Hand>(make_contact(scene, *model), model->obstacles,
                                       takes_implicit_springs(scene));
    if (hand_) hand->set_tool(hand_->tool());
    Hand* const new_hand = hand.get();
    Model* const new_model = model.get();
    const double h = model->h;
    auto world = std::make_unique<World>(
        std::move(model), std::move(stepper), std::move(hand),
        WorldOptions{.measure_energy = scene.output.energy, .verdict = verdict_rules(scene)});
    if (state) {
        world->state() = *state;
        // Time is step * h always: under another h it is the nearest multiple.
        world->state().step = std::llround(state->time / h);
        world->state().time = static_cast<double>(world->state().step) * h;
    }
    drives_.apply(*new_model, world->state().time);
    page_.show(*world, *new_hand);
    model_ = new_model;
    hand_ = new_hand;
    world_ = std::move(world);
    failure_.clear();
    since_ = world_->state().step;
    changed_ = true;
}

/// A new world with the state of now. `model`: the one to use; none: made from the edited scene.
void LiveSession::rebuild(std::unique_ptr<Model> model) {
    const State state = world_->state();
    if (!model) {
        BuildReport built;
        model = std::make_unique<Model>(build_model(scene_, built));
        built_ = std::move(built);
        if (model->n_nodes() != world_->model().n_nodes()) pins_.clear();
        for (const UserPin& pin : pins_) add_pin(*model, pin);
    }
    const bool same_bodies = model->n_nodes() == world_->model().n_nodes();
    make_world(scene_, std::move(model), same_bodies ? &state : nullptr);
}

void LiveSession::refuse_while_recording() const {
    if (recording_)
        throw InputError("stop recording first: a run folder holds one scene from start to end");
}

/// One value of the scene, as --set would have it; ranges and names are checked by the reader.
void LiveSession::change(const std::string& path, const std::string& literal) {
    refuse_while_recording();
    if (!is_live_path(path, scene_))
        throw InputError("'" + printable(path) +
                         "' cannot be changed here; allowed: solver, material, contact, time.step, "
                         "gravity and device");
    LoadOptions load = load_;
    // Another kind drops the options of the old one; a value replaces what was set before.
    const std::size_t dot = path.rfind('.');
    const bool kind = path == "solver.kind" || path == "contact.method";
    std::erase_if(load.sets, [&](const std::string& set) {
        const std::string_view old = std::string_view(set).substr(0, set.find('='));
        return old == path || (kind && is_prefix(path.substr(0, dot), old));
    });
    load.sets.push_back(path + '=' + literal);
    SceneDef scene = load_scene(file_, load);
    SceneDef before = std::exchange(scene_, std::move(scene));
    try {
        const bool same_model =
            path == "device" || path.starts_with("solver.") || path.starts_with("contact.");
        rebuild(same_model ? std::make_unique<Model>(world_->model()) : nullptr);
    } catch (...) {
        scene_ = std::move(before);
        throw;
    }
    load_ = std::move(load);
    if (world_->state().step > 0) by_hand_ = true;  // the command would have it from the start
}

/// Holds the node where it is now; one that the page holds already is let go.
void LiveSession::pin(const SurfacePick& pick) {
    refuse_while_recording();
    if (!page_.in_surface(pick)) throw InputError("command: there is no such triangle");
    const Index node = page_.surface().node(pick);
    if (std::erase_if(pins_, [&](const UserPin& p) { return p.node == node; }) > 0)
        return rebuild(nullptr);
    if (world_->model().free[node] != Vec3d{1, 1, 1})
        throw InputError("this point is held by the scene itself");
    if (pins_.size() >= 1000) throw InputError("there are 1000 pins already");
    const UserPin made{node, world_->state().x[node]};
    auto model = std::make_unique<Model>(world_->model());
    add_pin(*model, made);
    rebuild(std::move(model));
    pins_.push_back(made);
    by_hand_ = true;
}

void LiveSession::set_recording(bool on) {
    if (!on) return stop_recording();
    if (recording_) return;
    if (!options_.record) throw InputError("nothing can be recorded here");
    Recording begun = options_.record(*world_, scene_);
    for (const auto& observer : begun.observers) observer->begin(*world_);
    recording_ = std::move(begun);
}

/// Whatever happens here, nothing is recorded afterwards: a second try would fail as the first did.
void LiveSession::stop_recording() {
    if (!recording_) return;
    const Recording ended = std::move(*recording_);
    recording_.reset();
    for (const auto& observer : ended.observers) observer->end(*world_);
    if (ended.finish) ended.finish();
}

void LiveSession::handle(const Command& c, ViewServer& server) {
    const std::uint32_t scene = page_.scene();
    const bool by_hand = by_hand_;
    changed_ = true;
    try {
        if (!playback_.handle(c)) act(c, server);
    } catch (...) {
        // What was refused may have ended something on its way, as a recording.
        server.publish(Slot::status, status());
        throw;
    }
    // Where the mouse is comes too often for a status each, unless it is the first of it.
    const bool stream = c.verb == Verb::move || c.verb == Verb::tool || c.verb == Verb::drive;
    if (page_.scene() != scene)
        announce(server);
    else if (!stream || by_hand_ != by_hand)
        server.publish(Slot::status, status());
}

void LiveSession::act(const Command& c, ViewServer& server) {
    if (page_.handle(c)) {
        by_hand_ = by_hand_ || c.verb == Verb::pull || c.verb == Verb::tool;
        return;
    }
    switch (c.verb) {
        case Verb::play:
        case Verb::pause:
        case Verb::speed:
        case Verb::pull:
        case Verb::move:
        case Verb::release:
        case Verb::tool:
        case Verb::tool_off:
        case Verb::colour:
        case Verb::contacts:
            break;  // playback_'s, page_'s
        case Verb::step:
            if (failure_.empty()) advance(server);
            break;
        case Verb::reset:
            open(file_, load_);
            break;
        case Verb::pin:
            pin(c.pick);
            break;
        case Verb::unpin:
            refuse_while_recording();
            pins_.clear();
            rebuild(nullptr);
            break;
        case Verb::drive:
            drives_.set(*model_, c.text, c.value, world_->state().time);
            by_hand_ = true;
            break;
        case Verb::set:
            change(c.text, c.literal);
            break;
        case Verb::open: {
            const auto found =
                std::find_if(options_.gallery.begin(), options_.gallery.end(),
                             [&](const GalleryEntry& entry) { return entry.name == c.text; });
            if (found == options_.gallery.end())
                throw InputError("there is no scene '" + printable(c.text) + "' in the gallery");
            open(found->file, {});
            break;
        }
        case Verb::record:
            set_recording(c.on);
            break;
        case Verb::cancel:
            cancel_upload(server);
            break;
        case Verb::seek:
            throw InputError("command: a simulation cannot go back; reset starts it again");
    }
}

void LiveSession::uploaded(const std::string& file, ViewServer& server) {
    if (works_.size() > 1)
        throw InputError("two dropped files are being read already; wait a moment, or cancel");
    cancel_upload(server);  // the newest is the one that is wanted
    works_.push_back(std::make_unique<UploadWork>(file, [&server] { server.wake(); }));
}

void LiveSession::cancel_upload(ViewServer& server) {
    if (works_.empty() || works_.back()->cancelled()) return;
    works_.back()->cancel();
    busy_.clear();
    server.publish(Slot::notice, text_notice("the dropped file was left aside"));
}

void LiveSession::poll(ViewServer& server) {
    std::unique_ptr<UploadWork> finished;
    for (auto& work : works_) {
        if (!work->done()) continue;
        if (!work->cancelled()) finished = std::move(work);
        work.reset();
    }
    std::erase(works_, nullptr);
    const bool working = !works_.empty() && !works_.back()->cancelled();
    if (std::string now = working ? works_.back()->progress() : ""; now != busy_) {
        busy_ = std::move(now);
        server.publish(Slot::status, status());
    }
    if (!finished) return;
    open(finished->take());
    announce(server);
    server.publish(Slot::notice, text_notice(remark_));
}

void LiveSession::advance(ViewServer& server) {
    const StepReport report = world_->step();
    changed_ = true;
    if (recording_) try {
            for (auto& observer : recording_->observers) observer->after_step(*world_, report);
        } catch (const SystemError& error) {  // a full disk ends the recording, not the simulation
            recording_.reset();
            server.publish(Slot::notice, error_notice(error));
            server.publish(Slot::status, status());
        }
    if (report.failed) {
        failure_ = report.failure.what;
        server.publish(Slot::status, status());
    }
    page_.stepped(report);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/view/describe.h"
#include "limber/view/hand.h"
#include "limber/view/session.h"
#include "limber/view/upload_work.h"
#include "limber/view/world_on_page.h"

namespace limber {

/// What writes a recording: made when the user asks for one, told of steps, destroyed at its end.
struct Recording {
    std::string dir;
    std::vector<std::unique_ptr<Observer>> observers;
    std::function<void()> finish;  // after the observers' end
};

struct LiveOptions {
    std::string scene;  // file
    LoadOptions load;
    std::vector<GalleryEntry> gallery;
    /// Starts a recording of this world; empty: none can be made.
    std::function<Recording(const World&, const SceneDef&)> record;
    bool playing = true;
    std::string upload_folder;  // empty: none are taken
};

/// A simulation that goes on for as long as somebody looks. Options of solver, material, contact
/// and time step change while it runs: the model is made anew and the state carried over.
class LiveSession final : public Session {
  public:
    explicit LiveSession(LiveOptions options);
    ~LiveSession() override;

    void announce(ViewServer& server) override;
    void handle(const Command& command, ViewServer& server) override;
    /// Begins to make a scene of it beside the steps; poll() opens it.
    void uploaded(const std::string& file, ViewServer& server) override;
    void poll(ViewServer& server) override;
    void finish() override { stop_recording(); }
    bool working() const override { return !works_.empty(); }
    void advance(ViewServer& server) override;
    double interval() const override { return world_->model().h; }
    bool playing() const override { return playback_.playing && failure_.empty(); }
    double speed() const override { return playback_.speed; }
    bool changed() const override { return changed_; }
    std::string frame() override;
    std::string take_stats() override { return page_.take_stats(); }
    std::string take_verdict() override;

    const World& world() const { return *world_; }
    std::string status() const;  // the status message

  private:
    struct UserPin {
        Index node = 0;
        Vec3d position;
    };
    /// Reads the scene and makes its world; throws before anything changes.
    void open(const std::string& file, const LoadOptions& load);
    void open(PreparedScene prepared);
    /// Does a command that playback_ does not.
    void act(const Command& command, ViewServer& server);
    std::string command() const;
    void cancel_upload(ViewServer& server);
    void make_world(const SceneDef& scene, std::unique_ptr<Model> model, const State* state);
    void change(const std::string& path, const std::string& literal);
    void rebuild(std::unique_ptr<Model> model);
    void add_pin(Model& model, const UserPin& pin) const;
    void refuse_while_recording() const;
    void pin(const SurfacePick& pick);
    void set_recording(bool on);
    void stop_recording();

    LiveOptions options_;
    std::string file_;
    LoadOptions load_;
    SceneDef scene_;
    BuildReport built_;
    std::unique_ptr<World> world_;
    Model* model_ = nullptr;  // the world's
    Hand* hand_ = nullptr;    // the world's contact method
    WorldOnPage page_;
    std::vector<UserPin> pins_;
    Drives drives_;
    bool by_hand_ = false;  // since the start something was done that command() leaves out
    std::optional<Recording> recording_;
    std::vector<std::unique_ptr<UploadWork>> works_;  // the last is wanted, unless cancelled
    std::string busy_;                                // its progress, as the page was told
    std::string remark_;                              // of a dropped file; empty: a file that stays

    Playback playback_;
    bool changed_ = true;
    std::string failure_;
    std::int64_t since_ =
        0;  // the step at which this world was made; its verdict counts from there
    std::string told_verdict_;  // the last message
};

}  // namespace limber

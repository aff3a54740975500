// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/contact/obstacle.h"
#include "limber/render/frame.h"
#include "limber/scene/scene.h"
#include "limber/view/describe.h"
#include "limber/view/frame_message.h"
#include "limber/view/session.h"

namespace limber {

/// A finished run, frame by frame.
class ReplayRun {
  public:
    /// InputError where the folder holds no frames.
    explicit ReplayRun(const std::string& dir);

    struct Part {
        std::string name;
        std::vector<Index> nodes;         // of the frame's points, one a vertex
        std::vector<Triangle> triangles;  // vertices of this part
        Index n_points = 0, n_tets = 0;
        bool skin = false;
    };
    const std::string& dir() const { return dir_; }
    const SceneDef& scene() const { return scene_; }
    const std::vector<Obstacle>& obstacles() const { return obstacles_; }
    const std::vector<Part>& parts() const { return parts_; }
    const std::vector<std::int64_t>& steps() const { return steps_; }
    double time(std::size_t frame) const {
        return static_cast<double>(steps_[frame]) * scene_.time.step;
    }
    /// The frame nearest to a time.
    std::size_t frame_at(double time) const;
    /// Reads a frame; a body that has other nodes than at the start is an InputError.
    void load(std::size_t frame);
    std::size_t frame() const { return frame_; }
    const std::vector<FrameBody>& bodies() const { return bodies_; }

    /// Three floats a vertex, appended.
    void positions(std::vector<float>& out) const;
    /// One value a vertex, appended; NaN-free.
    void values(std::string_view field, std::vector<float>& out) const;

  private:
    std::string dir_;
    SceneDef scene_;
    std::vector<Obstacle> obstacles_;
    std::vector<std::int64_t> steps_;
    std::vector<Part> parts_;
    std::vector<FrameBody> bodies_;
    std::size_t frame_ = 0;
};

/// One run, or two side by side: the second follows the first in time, and colours may show how far
/// apart they are.
class ReplaySession final : public Session {
  public:
    explicit ReplaySession(const std::vector<std::string>& dirs);

    void announce(ViewServer& server) override;
    void handle(const Command& command, ViewServer& server) override;
    void uploaded(const std::string& file, ViewServer& server) override;
    void advance(ViewServer& server) override;
    double interval() const override;
    bool playing() const override { return playback_.playing; }
    double speed() const override { return playback_.speed; }
    bool changed() const override { return changed_; }
    std::string frame() override;
    std::string take_stats() override { return {}; }
    std::string status() const;

  private:
    void seek(std::size_t frame);
    void fill_values();
    void show_contacts(bool on);

    std::vector<ReplayRun> runs_;
    bool comparable_ = false;  // the same vertices in both
    std::size_t at_ = 0;
    std::uint32_t frame_number_ = 0;
    Playback playback_;
    bool changed_ = true, show_contacts_ = false;
    std::string colour_;
    std::vector<float> positions_, values_;
};

/// The rows of a run's steps.csv as a history message, thinned to at most `rows`; empty where the
/// run has none.
std::string history_message(const std::string& dir, std::size_t rows = 2000);

}  // namespace limber

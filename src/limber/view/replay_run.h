// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/contact/obstacle.h"
#include "limber/mesh/embedding.h"
#include "limber/render/frame.h"
#include "limber/scene/scene.h"

namespace limber {

/// A finished run, frame by frame.
class ReplayRun {
  public:
    /// InputError where the folder holds no frames, or none that can be read.
    explicit ReplayRun(const std::string& dir);

    struct Part {
        std::string name;
        std::vector<Index> nodes;         // of the points that are drawn, one a vertex
        std::vector<Triangle> triangles;  // vertices of this part
        Index n_points = 0, n_tets = 0;   // of the body that was computed
        Index n_skin = 0;                 // points of its skin; 0: it has none
        Embedding ride;                   // of the skin's points in the body, at rest
        bool skin() const { return n_skin > 0; }
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
    /// Reads a frame; a body that has other nodes than at the start is an InputError. What was
    /// loaded before stays where this fails.
    void load(std::size_t frame);
    std::size_t frame() const { return frame_; }
    /// Why frames before the first that could be read could not; empty: all could.
    const std::string& torn_start() const { return torn_start_; }

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
    SkinnedFrame loaded_;
    std::size_t frame_ = 0;
    std::string torn_start_;
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/view/replay_run.h"

#include <algorithm>
#include <cmath>

#include "limber/core/errors.h"
#include "limber/scene/build/model.h"

namespace limber {

namespace {

/// Where the skin sits in the body, both at rest.
Embedding ride_of(const FrameBody& body, const FrameBody& skin) {
    TetMesh rest;
    rest.tets = body.tets;
    for (std::size_t i = 0; i < body.points.size(); ++i)
        rest.nodes.push_back(body.points[i] - body.displacement[i]);
    std::vector<Vec3d> points;
    for (std::size_t i = 0; i < skin.points.size(); ++i)
        points.push_back(skin.points[i] - skin.displacement[i]);
    return embed(rest, points);
}

ReplayRun::Part part_of(const FrameBody& body, const FrameBody& skin) {
    ReplayRun::Part part;
    part.name = body.name;
    part.n_skin = static_cast<Index>(skin.points.size());
    FrameSurface surface = frame_surface(part.skin() ? skin : body);
    part.triangles = std::move(surface.triangles);
    part.nodes = std::move(surface.nodes);
    part.n_points = static_cast<Index>(body.points.size());
    part.n_tets = static_cast<Index>(body.tets.size());
    if (part.skin() && part.n_tets > 0) part.ride = ride_of(body, skin);
    return part;
}

/// A value of each tet, or of each triangle of cloth, to its corners: the mean over those around.
std::vector<double> mean_at_points(const FrameBody& body) {
    std::vector<double> sum(body.points.size(), 0), count(body.points.size(), 0);
    const auto share = [&](const auto& cells) {
        for (std::size_t e = 0; e < cells.size() && e < body.von_mises.size(); ++e)
            for (const Index i : cells[e]) {
                sum[i] += body.von_mises[e];
                count[i] += 1;
            }
    };
    share(body.tets);
    share(body.triangles);
    for (std::size_t i = 0; i < sum.size(); ++i)
        if (count[i] > 0) sum[i] /= count[i];
    return sum;
}

std::vector<double> lengths(const std::vector<Vec3d>& vectors) {
    std::vector<double> out;
    for (const Vec3d& v : vectors) out.push_back(norm(v));
    return out;
}

/// One value for each point that is drawn. Stress is known in the body alone: a skin shows what it
/// rides on.
std::vector<double> at_points(const FrameBody& body, const FrameBody& skin,
                              const ReplayRun::Part& part, std::string_view field) {
    const FrameBody& drawn = part.skin() ? skin : body;
    if (field == "speed") return lengths(drawn.velocity);
    if (field != "von_mises") return lengths(drawn.displacement);
    const std::vector<double> of_node = mean_at_points(body);
    if (!part.skin()) return of_node;
    std::vector<double> out(skin.points.size(), 0);
    for (Index i = 0; i < part.ride.n_points(); ++i)
        for (int c = 0; c < 4; ++c)
            out[i] += part.ride.weights[i][c] * of_node[part.ride.corners[i][c]];
    for (double& value : out)  // extrapolated where the skin lies outside of the tets
        value = std::isfinite(value) ? std::max(value, 0.0) : 0.0;
    return out;
}

}  // namespace

ReplayRun::ReplayRun(const std::string& dir)
    : dir_(dir), scene_(load_scene(dir + "/scene.toml")), steps_(frame_steps(dir)) {
    if (steps_.empty())
        throw InputError({dir, 0, 0, -1},
                         "holds no frames; was it run with output.formats = [\"vtu\"]?");
    std::vector<std::string> said_when_it_ran;
    obstacles_ = make_obstacles(scene_, said_when_it_ran);
    // The first that can be read says what there is.
    for (std::size_t k = 0; loaded_.bodies.empty(); ++k) {
        const auto next = [&](const std::exception& error) {
            if (k == 0)
                torn_start_ = "the first frame cannot be read: " + std::string(error.what());
            return k + 1 < steps_.size();
        };
        try {
            loaded_ = read_skinned_frame(dir_, steps_[k]);
            frame_ = k;
        } catch (const InputError& error) {
            if (!next(error)) throw;
        } catch (const SystemError& error) {
            if (!next(error)) throw;
        }
    }
    for (std::size_t b = 0; b < loaded_.bodies.size(); ++b)
        parts_.push_back(part_of(loaded_.bodies[b], loaded_.skins[b]));
}

std::size_t ReplayRun::frame_at(double t) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < steps_.size(); ++k)
        if (std::abs(time(k) - t) < std::abs(time(best) - t)) best = k;
    return best;
}

void ReplayRun::load(std::size_t k) {
    if (k == frame_) return;
    SkinnedFrame read = read_skinned_frame(dir_, steps_[k]);
    bool same = read.bodies.size() == parts_.size();
    for (std::size_t b = 0; same && b < read.bodies.size(); ++b)
        same = static_cast<Index>(read.bodies[b].points.size()) == parts_[b].n_points &&
               static_cast<Index>(read.skins[b].points.size()) == parts_[b].n_skin;
    if (!same)
        throw InputError({dir_, 0, 0, -1}, "the frame of step " + std::to_string(steps_[k]) +
                                               " has other bodies than the first one");
    loaded_ = std::move(read);
    frame_ = k;
}

void ReplayRun::positions(std::vector<float>& out) const {
    for (std::size_t b = 0; b < parts_.size(); ++b) {
        const FrameBody& drawn = parts_[b].skin() ? loaded_.skins[b] : loaded_.bodies[b];
        for (const Index i : parts_[b].nodes)
            for (int axis = 0; axis < 3; ++axis)
                out.push_back(static_cast<float>(drawn.points[i][axis]));
    }
}

void ReplayRun::values(std::string_view field, std::vector<float>& out) const {
    for (std::size_t b = 0; b < parts_.size(); ++b) {
        const std::vector<double> all =
            at_points(loaded_.bodies[b], loaded_.skins[b], parts_[b], field);
        for (const Index i : parts_[b].nodes) out.push_back(static_cast<float>(all[i]));
    }
}

}  // namespace limber

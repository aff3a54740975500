// SPDX-License-Identifier: Apache-2.0
#pragma once

// Moving surfaces for other programs: what limber export writes.

#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"

namespace limber {

/// One body: the same vertices and triangles in every frame.
struct AnimatedSurface {
    std::string name;
    std::vector<Triangle> triangles;
    std::vector<std::vector<float>> frames;  // three floats a vertex [m]
    std::size_t n_vertices() const { return frames.empty() ? 0 : frames[0].size() / 3; }
};

struct SurfaceAnimation {
    std::vector<AnimatedSurface> bodies;
    std::vector<double> times;  // of the frames, increasing [s]
    bool z_up = false;
};

/// glTF 2.0 binary: the first frame as mesh, each later one a morph target, weights that go from
/// one to the next. Turned to y up where the scene is z up, as glTF wants it.
void write_glb(const std::string& path, const SurfaceAnimation& animation);
/// ASCII USD: one mesh a body with points over time; 60 time codes a second.
void write_usda(const std::string& path, const SurfaceAnimation& animation);
/// One frame of one body; nine digits, so that floats read back as they were.
void write_obj_frame(const std::string& path, const AnimatedSurface& body, std::size_t frame);
/// Lightwave MDD point cache of one body: positions of every vertex of the OBJ of its first frame.
void write_mdd(const std::string& path, const AnimatedSurface& body,
               const std::vector<double>& times);

}  // namespace limber

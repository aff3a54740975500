// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.h"
#include "limber/render/image.h"

namespace limber {

/// Something with a surface: a soft body or an obstacle.
struct PictureBody {
    std::vector<Vec3d> points;
    std::vector<Triangle> triangles;  // outward
    Rgb colour = rgb_from_hex(0x3a86c8);
    std::vector<float> scalar;  // one per point: coloured by value; empty: by `colour`
    bool edges = false;         // draw the edges of the triangles
    float crease_degrees = 35;  // neighbours that meet at less are shaded smoothly
};

/// An endless floor or wall, solid below; drawn as a fading checkerboard.
struct PicturePlane {
    Vec3d point{0, 0, 0};
    Vec3d normal{0, 1, 0};  // unit
};

/// What the colours of `scalar` mean; drawn at the right edge when it has a title.
struct ColourScale {
    float lo = 0, hi = 1;
    std::string title;  // "von Mises [Pa]"; empty: no legend
};

/// Where to look from. Without an eye the picture frames everything that has an end.
struct PictureCamera {
    std::optional<Vec3d> eye, target;
    Vec3d direction{0.62, 0.42, 1.0};  // from the target to the eye, y up; when there is no eye
    double field_of_view = 32;         // vertical [degrees]
};

struct Picture {
    int width = 1280, height = 720;
    int samples = 3;  // per pixel side: 3 gives 9 a pixel
    int up_axis = 1;  // 1: y, 2: z
    std::vector<PictureBody> bodies;
    std::vector<PicturePlane> planes;
    PictureCamera camera;
    ColourScale scale;
};

/// The same bits for any number of threads.
Image render_frame(const Picture& picture);

/// A colour map of even steps for the eye, dark to bright: a straight run of lightness and hue in
/// Oklab (Ottosson 2020). t in [0, 1], clamped.
Rgb colour_map(float t);
/// Well-separated colours for bodies, in order of their appearance; repeats after eight.
Rgb body_colour(std::size_t index);

}  // namespace limber

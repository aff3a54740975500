// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/core/math.h"

namespace limber {

/// A triangle made ready for sampling, in homogeneous coordinates so that nothing needs clipping:
/// Olano & Greer 1997, "Triangle scan conversion using 2D homogeneous coordinates". With vertices
/// (x, y, w), x and y already multiplied by w, the edge function e_i(X, Y) = edge_i · (X, Y, 1) is
/// λ_i / w, where λ is the perspective-correct barycentric coordinate; it is negative outside or
/// behind the eye.
struct RasterTriangle {
    std::array<Vec3d, 3> edge;
    int x_begin = 0, x_end = 0, y_begin = 0, y_end = 0;  // samples to look at
    bool visible = false;
};

/// Samples lie at (i + ½, j + ½), i < width, j < height. Both sides of a triangle are drawn.
inline RasterTriangle setup_triangle(const std::array<Vec3d, 3>& corner, int width, int height) {
    RasterTriangle out;
    const double det = dot(corner[0], cross(corner[1], corner[2]));
    if (!(std::fabs(det) > 0) || !std::isfinite(det)) return out;  // edge-on: covers no sample
    for (int i = 0; i < 3; ++i)
        out.edge[i] = cross(corner[(i + 1) % 3], corner[(i + 2) % 3]) * (1 / det);

    double lo[2] = {0, 0}, hi[2] = {double(width), double(height)};
    // A corner behind the eye may project anywhere: then the whole window is looked at.
    if (corner[0].z > 0 && corner[1].z > 0 && corner[2].z > 0)
        for (int k = 0; k < 2; ++k) {
            const double a = corner[0][k] / corner[0].z, b = corner[1][k] / corner[1].z,
                         c = corner[2][k] / corner[2].z;
            lo[k] = std::clamp(std::min({a, b, c}), 0.0, hi[k]);
            hi[k] = std::clamp(std::max({a, b, c}), 0.0, hi[k]);
        }
    else if (corner[0].z <= 0 && corner[1].z <= 0 && corner[2].z <= 0)
        return out;
    out.x_begin = std::max(0, static_cast<int>(std::floor(lo[0] - 0.5)));
    out.y_begin = std::max(0, static_cast<int>(std::floor(lo[1] - 0.5)));
    out.x_end = std::min(width, static_cast<int>(std::ceil(hi[0] + 0.5)));
    out.y_end = std::min(height, static_cast<int>(std::ceil(hi[1] + 0.5)));
    out.visible = out.x_begin < out.x_end && out.y_begin < out.y_end;
    return out;
}

namespace detail {

/// λ that still counts as inside: closes the rounding gap between neighbours.
inline constexpr double raster_slack = 1e-9;

/// Narrows [first, last) to the samples of row Y that may be inside, a sample to spare.
inline void row_span(const RasterTriangle& t, double Y, int& first, int& last) {
    const Vec3d sum = t.edge[0] + t.edge[1] + t.edge[2];
    double lo = first, hi = last;
    for (const Vec3d& edge : t.edge) {
        const Vec3d e = edge + sum * raster_slack;  // e · (X, Y, 1) >= 0 inside
        const double rest = e.y * Y + e.z;
        if (e.x > 0) lo = std::max(lo, -rest / e.x - 1.5);
        if (e.x < 0) hi = std::min(hi, -rest / e.x + 1.5);
        if (e.x == 0 && rest < 0) hi = lo;
    }
    if (!(lo < hi)) last = first;
    if (!(lo < hi)) return;
    first = std::max(first, static_cast<int>(lo));
    last = std::min(last, static_cast<int>(std::ceil(hi)));
}

}  // namespace detail

/// Calls f(x, y, w, λ) for the samples of rows [y_begin, y_end) that the triangle covers. Samples
/// on an edge count for both neighbours: no cracks, and the depth test keeps one of them.
template <class F>
void sample_triangle(const RasterTriangle& t, int y_begin, int y_end, F&& f) {
    if (!t.visible) return;
    for (int y = std::max(y_begin, t.y_begin); y < std::min(y_end, t.y_end); ++y) {
        const double Y = y + 0.5;
        int first = t.x_begin, last = t.x_end;
        detail::row_span(t, Y, first, last);
        for (int x = first; x < last; ++x) {
            const double X = x + 0.5;
            std::array<double, 3> e;
            for (int i = 0; i < 3; ++i) e[i] = t.edge[i].x * X + t.edge[i].y * Y + t.edge[i].z;
            const double inverse_w = e[0] + e[1] + e[2];
            const double outside = -detail::raster_slack * inverse_w;
            if (!(inverse_w > 0) || e[0] < outside || e[1] < outside || e[2] < outside) continue;
            const double w = 1 / inverse_w;
            f(x, y, w, std::array<double, 3>{e[0] * w, e[1] * w, e[2] * w});
        }
    }
}

/// Sample rows a chunk of work owns: enough for little overhead, few enough to share among threads.
inline constexpr int raster_band = 32;

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/shapes/cloth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.h"
#include "limber/core/memory.h"

namespace limber {

void require_cloth_memory(double n_triangles) {
    constexpr double bytes_a_triangle = 3000;  // under descent; a factor is counted by itself
    require_memory(bytes_a_triangle * n_triangles, fmt::format("{:.0f} triangles", n_triangles));
}

namespace {

constexpr double max_nodes = 1e8;

/// Cells along the two directions, from `cells`, from `cell` or the shape's own.
std::array<Index, 2> resolution(const ShapeDef& shape, const std::array<double, 2>& extent,
                                const std::array<Index, 2>& own, const char* names) {
    std::array<double, 2> n{double(own[0]), double(own[1])};
    if (!shape.cells.empty()) {
        if (shape.cells.size() != 2)
            throw InputError(fmt::format("cells has {} numbers; this shape takes {}",
                                         shape.cells.size(), names));
        for (int k : {0, 1}) n[k] = shape.cells[k];
    } else if (shape.cell > 0) {
        for (int k : {0, 1}) n[k] = std::max(1.0, std::round(extent[k] / shape.cell));
    }
    if (!(n[0] >= 1 && n[1] >= 1 && n[0] * n[1] <= max_nodes))
        throw InputError(
            fmt::format("{:.4g} x {:.4g} cells; allowed: at least 1 x 1 and at most "
                        "1e8 in all",
                        n[0], n[1]));
    require_cloth_memory(2 * n[0] * n[1]);
    return {static_cast<Index>(n[0]), static_cast<Index>(n[1])};
}

/// Two triangles a cell, its diagonal turned from one cell to the next: neither direction is
/// stiffer. b and c are the neighbours of a, d is opposite; normals along (b − a) x (c − a).
void add_sheet_cell(Index a, Index b, Index c, Index d, bool turned, std::vector<Triangle>& out) {
    if (turned) {
        out.push_back({a, b, c});
        out.push_back({b, d, c});
    } else {
        out.push_back({a, b, d});
        out.push_back({a, d, c});
    }
}

/// Radius of the gown at a height, by key points with smooth ways between them: for a figure 1.7 m
/// tall that stands on y = 0.
struct ProfilePoint {
    double y, radius;
};
constexpr ProfilePoint profile[] = {{1.34, 0.130}, {1.26, 0.157}, {1.06, 0.118},
                                    {0.90, 0.185}, {0.62, 0.330}, {0.34, 0.480}};

constexpr double hips = 0.9;
constexpr int n_waves = 9;

/// Catmull-Rom through the key points, s from 0 (top) to 1 (hem).
ProfilePoint gown(double s) {
    constexpr int last = static_cast<int>(std::size(profile)) - 1;
    const double u = s * last;
    const int k = std::min(static_cast<int>(u), last - 1);
    const double t = u - k;
    const auto at = [](int i) {
        if (i < 0) return ProfilePoint{2 * profile[0].y - profile[1].y, profile[0].radius};
        if (i > last)
            return ProfilePoint{2 * profile[last].y - profile[last - 1].y,
                                2 * profile[last].radius - profile[last - 1].radius};
        return profile[i];
    };
    const ProfilePoint a = at(k - 1), b = at(k), c = at(k + 1), d = at(k + 2);
    const auto mix = [t](double p, double q, double r, double z) {
        return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - z + t * (3 * (q - r) + z - p)));
    };
    return {mix(a.y, b.y, c.y, d.y), mix(a.radius, b.radius, c.radius, d.radius)};
}

/// n + 1 points of the profile, equally far apart along it.
std::vector<ProfilePoint> even_profile(Index n) {
    const Index fine = 16 * n + 1000;
    std::vector<double> length(fine + 1, 0);
    for (Index i = 1; i <= fine; ++i) {
        const ProfilePoint a = gown(double(i - 1) / fine), b = gown(double(i) / fine);
        length[i] = length[i - 1] + std::hypot(b.y - a.y, b.radius - a.radius);
    }
    std::vector<ProfilePoint> out;
    Index at = 1;
    for (Index i = 0; i <= n; ++i) {
        const double wanted = length.back() * i / n;
        while (at < fine && length[at] < wanted) ++at;
        const double share = (wanted - length[at - 1]) / (length[at] - length[at - 1]);
        out.push_back(gown((double(at - 1) + share) / fine));
    }
    return out;
}

}  // namespace

ShapeSurface make_cloth_sheet(const ShapeDef& shape) {
    const auto [nx, nz] = resolution(shape, {1, 1}, {30, 30}, "[nx, nz]");
    ShapeSurface out;
    for (Index k = 0; k <= nz; ++k)
        for (Index i = 0; i <= nx; ++i) {
            const Index node = out.mesh.n_nodes();
            out.mesh.nodes.push_back(
                {double(2 * i - nx) / (2 * nx), 0, double(2 * k - nz) / (2 * nz)});
            if (i == 0) out.node_groups["x-"].push_back(node);
            if (i == nx) out.node_groups["x+"].push_back(node);
            if (k == 0) out.node_groups["z-"].push_back(node);
            if (k == nz) out.node_groups["z+"].push_back(node);
        }
    for (Index k = 0; k < nz; ++k)
        for (Index i = 0; i < nx; ++i) {
            const Index a = k * (nx + 1) + i, below = a + nx + 1;
            add_sheet_cell(below, below + 1, a, a + 1, (i + k) % 2 == 1, out.mesh.triangles);
        }
    return out;
}

ShapeSurface make_dress(const ShapeDef& shape) {
    const std::array<double, 2> extent{2 * std::numbers::pi * 0.25, 1.15};
    auto [around, along] = resolution(shape, extent, {122, 121}, "[around, along]");
    around = std::max<Index>(4, around + around % 2);  // the diagonals meet again
    ShapeSurface out;
    for (const ProfilePoint& ring : even_profile(along)) {
        // A perfect cone folds where its mesh does; waves below the hips say where cloth would.
        const double s = std::clamp((hips - ring.y) / (hips - profile[5].y), 0.0, 1.0);
        const double wave = 0.1 * s * s * (3 - 2 * s);
        for (Index i = 0; i < around; ++i) {
            const double angle = 2 * std::numbers::pi * i / around;
            const double r = ring.radius * (1 + wave * std::cos(n_waves * angle));
            out.mesh.nodes.push_back({r * std::cos(angle), ring.y, r * std::sin(angle)});
        }
    }
    for (Index i = 0; i < around; ++i) {
        out.node_groups["top"].push_back(i);
        out.node_groups["hem"].push_back(along * around + i);
    }
    for (Index k = 0; k < along; ++k)
        for (Index i = 0; i < around; ++i) {
            const Index a = k * around + i, b = k * around + (i + 1) % around;
            add_sheet_cell(a, b, a + around, b + around, (i + k) % 2 == 1, out.mesh.triangles);
        }
    return out;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/render/tessellate.h"

#include <algorithm>

#include "limber/core/check.h"

namespace limber {

namespace {

const double pi = std::acos(-1.0);

/// A quad a b c d, counter-clockwise from outside.
void add_quad(TriangleSurface& out, Index a, Index b, Index c, Index d) {
    out.triangles.push_back({a, b, c});
    out.triangles.push_back({a, c, d});
}

}  // namespace

TriangleSurface tessellate_sphere(double radius, int around) {
    LIMBER_CHECK(around >= 3, "a turn has at least three segments");
    const int rows = std::max(2, around / 2);
    TriangleSurface out;
    out.points.push_back({0, radius, 0});
    for (int j = 1; j < rows; ++j)
        for (int i = 0; i < around; ++i) {
            const double theta = pi * j / rows, phi = 2 * pi * i / around;
            out.points.push_back({radius * std::sin(theta) * std::cos(phi),
                                  radius * std::cos(theta),
                                  -radius * std::sin(theta) * std::sin(phi)});
        }
    out.points.push_back({0, -radius, 0});
    const auto at = [&](int j, int i) { return 1 + (j - 1) * around + i % around; };
    const auto south = static_cast<Index>(out.points.size() - 1);
    for (int i = 0; i < around; ++i) {
        out.triangles.push_back({0, at(1, i), at(1, i + 1)});
        for (int j = 1; j + 1 < rows; ++j)
            add_quad(out, at(j, i), at(j + 1, i), at(j + 1, i + 1), at(j, i + 1));
        out.triangles.push_back({south, at(rows - 1, i + 1), at(rows - 1, i)});
    }
    return out;
}

TriangleSurface tessellate_box(const Vec3d& half) {
    TriangleSurface out;
    for (int k = 0; k < 8; ++k)
        out.points.push_back(
            {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
    add_quad(out, 0, 4, 6, 2);  // x-
    add_quad(out, 1, 3, 7, 5);  // x+
    add_quad(out, 0, 1, 5, 4);  // y-
    add_quad(out, 2, 6, 7, 3);  // y+
    add_quad(out, 0, 2, 3, 1);  // z-
    add_quad(out, 4, 5, 7, 6);  // z+
    return out;
}

TriangleSurface tessellate_cylinder(double radius, double half_height, int around) {
    LIMBER_CHECK(around >= 3, "a turn has at least three segments");
    TriangleSurface out;
    for (int i = 0; i < around; ++i)
        for (double y : {-half_height, half_height}) {
            const double phi = 2 * pi * i / around;
            out.points.push_back({radius * std::cos(phi), y, -radius * std::sin(phi)});
        }
    const auto bottom = static_cast<Index>(out.points.size()), top = bottom + 1;
    out.points.push_back({0, -half_height, 0});
    out.points.push_back({0, half_height, 0});
    for (int i = 0; i < around; ++i) {
        const Index a = 2 * i, b = 2 * ((i + 1) % around);
        add_quad(out, a, b, b + 1, a + 1);
        out.triangles.push_back({bottom, b, a});
        out.triangles.push_back({top, a + 1, b + 1});
    }
    return out;
}

TriangleSurface tessellate_torus(double major, double minor, int around) {
    LIMBER_CHECK(around >= 3, "a turn has at least three segments");
    const int tube = std::max(3, around / 2);
    TriangleSurface out;
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < tube; ++j) {
            const double phi = 2 * pi * i / around, theta = 2 * pi * j / tube;
            const double r = major + minor * std::cos(theta);
            out.points.push_back({r * std::cos(phi), minor * std::sin(theta), -r * std::sin(phi)});
        }
    const auto at = [&](int i, int j) { return (i % around) * tube + j % tube; };
    for (int i = 0; i < around; ++i)
        for (int j = 0; j < tube; ++j)
            add_quad(out, at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
    return out;
}

void place(TriangleSurface& surface, const Mat3d& R, const Vec3d& t) {
    for (Vec3d& p : surface.points) p = R * p + t;
}

PictureBody obstacle_picture(const TriangleSurface& surface) {
    PictureBody body;
    body.points = surface.points;
    body.triangles = surface.triangles;
    body.colour = rgb_from_hex(0x9a9fa6);
    return body;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/render/light.h"

#include <limits>

#include "limber/core/parallel.h"
#include "limber/render/rasteriser.h"

namespace limber {

namespace {

constexpr int n_key = 45, n_sky = 45;  // multiples of 9: each of 9 samples a pixel gets its share
constexpr double golden_angle = 2.399963229728653;

/// Point k of n on the unit disk: Vogel's sunflower, evenly spread for any n.
void disk_point(int k, int n, double& u, double& v) {
    const double radius = std::sqrt((k + 0.5) / n), angle = golden_angle * k;
    u = radius * std::cos(angle);
    v = radius * std::sin(angle);
}

void frame_of(const Vec3d& n, Vec3d& u, Vec3d& v) {
    const Vec3d helper = std::fabs(n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    u = cross(helper, n);
    u = u * (1 / norm(u));
    v = cross(n, u);
}

void draw_depth(const Picture& picture, const Box3& bounds, int size, LightRay& ray) {
    frame_of(ray.towards, ray.axis_u, ray.axis_v);
    const Vec3d middle = (bounds.lo + bounds.hi) * 0.5;
    const double radius = 0.5 * norm(bounds.size()) * 1.02 + 1e-9;
    ray.size = size;
    ray.texel = 2 * radius / size;
    ray.origin = middle - ray.axis_u * radius - ray.axis_v * radius;
    ray.depth.assign(std::size_t(size) * size, -std::numeric_limits<float>::infinity());
    for (const PictureBody& body : picture.bodies)
        for (const Triangle& t : body.triangles) {
            std::array<Vec3d, 3> corner;
            std::array<double, 3> height;
            for (int i = 0; i < 3; ++i) {
                const Vec3d d = body.points[t[i]] - ray.origin;
                corner[i] = {dot(d, ray.axis_u) / ray.texel, dot(d, ray.axis_v) / ray.texel, 1};
                height[i] = dot(d, ray.towards);
            }
            sample_triangle(setup_triangle(corner, size, size), 0, size,
                            [&](int x, int y, double, const std::array<double, 3>& l) {
                                float& cell = ray.depth[std::size_t(y) * size + x];
                                const auto z = static_cast<float>(
                                    l[0] * height[0] + l[1] * height[1] + l[2] * height[2]);
                                if (z > cell) cell = z;
                            });
        }
}

}  // namespace

float LightRay::visibility(const Vec3d& p) const {
    const Vec3d d = p - origin;
    const double u = dot(d, axis_u) / texel - 0.5, v = dot(d, axis_v) / texel - 0.5;
    if (!(u >= 0 && v >= 0 && u < size - 1 && v < size - 1)) return 1;  // outside: nothing is there
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    const auto s = static_cast<float>(u - i), t = static_cast<float>(v - j);
    const auto z = static_cast<float>(dot(d, towards));
    const float* row = depth.data() + std::size_t(j) * size + i;
    const auto lit = [&](float blocker) { return blocker <= z ? 1.0f : 0.0f; };
    const float lower = (1 - s) * lit(row[0]) + s * lit(row[1]);
    const float upper = (1 - s) * lit(row[size]) + s * lit(row[size + 1]);
    return (1 - t) * lower + t * upper;
}

Lighting make_lighting(const Picture& picture, const Box3& bounds, const Vec3d& up,
                       const Vec3d& view_right, const Vec3d& view_back) {
    Lighting out;
    const auto unit = [](const Vec3d& v) { return v * (1 / norm(v)); };
    // The key light stands high behind the viewer's left shoulder, wherever the viewer stands.
    const Vec3d flat_back = view_back - up * dot(view_back, up);
    const Vec3d back = norm(flat_back) > 1e-6 ? unit(flat_back) : unit(cross(view_right, up));
    out.key_towards = unit(up * 1.25 + back * 0.55 - view_right * 0.75);
    Vec3d u, v;
    frame_of(out.key_towards, u, v);
    const Rgb warm = (1.0f / n_key) * Rgb{2.25f, 2.14f, 1.98f};
    for (int k = 0; k < n_key; ++k) {
        double a, b;
        disk_point(k, n_key, a, b);
        LightRay ray;
        ray.towards = unit(out.key_towards + (u * a + v * b) * 0.075);
        ray.radiance = warm;
        out.key.push_back(std::move(ray));
    }
    frame_of(up, u, v);
    // Even heights are an even spread over the hemisphere (Archimedes); the mean cosine on flat
    // ground is then ½, hence the 2.
    const Rgb zenith = (2.0f / n_sky) * Rgb{0.80f, 0.90f, 1.06f};
    for (int k = 0; k < n_sky; ++k) {
        const double z = (k + 0.5) / n_sky, r = std::sqrt(1 - z * z), angle = golden_angle * k;
        LightRay ray;
        ray.towards = u * (r * std::cos(angle)) + v * (r * std::sin(angle)) + up * z;
        ray.radiance = zenith;
        out.sky.push_back(std::move(ray));
    }
    // About a texel a pixel; the sky's shadows are wide and need half as many.
    const int side = std::max(picture.width, picture.height);
    const int key_map = std::clamp(side, 128, 1024), sky_map = std::clamp(side / 2, 128, 512);
    const double diameter = norm(bounds.size()) + 1e-9;
    out.key_offset = 2.0 * diameter / key_map;
    out.sky_offset = 1.5 * diameter / sky_map;
    parallel_chunks(n_key + n_sky, [&](Index k) {
        if (k < n_key)
            draw_depth(picture, bounds, key_map, out.key[k]);
        else
            draw_depth(picture, bounds, sky_map, out.sky[k - n_key]);
    });
    return out;
}

}  // namespace limber

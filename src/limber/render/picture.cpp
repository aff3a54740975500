// SPDX-License-Identifier: Apache-2.0
#include "limber/render/picture.h"

#include <limits>
#include <span>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/render/camera.h"
#include "limber/render/legend.h"
#include "limber/render/light.h"
#include "limber/render/normals.h"
#include "limber/render/rasteriser.h"

namespace limber {

namespace {

/// What one sample sees: filled by the depth test, shaded afterwards.
struct Fragment {
    float w = std::numeric_limits<float>::infinity();  // depth
    Index triangle = -1;                               // in Scene::triangles
    float l1 = 0, l2 = 0;                              // barycentric
    float edge = 1e9f;                                 // distance to the nearest edge [samples]
};

struct SceneTriangle {
    RasterTriangle raster;
    Index body = 0, triangle = 0;
};

struct Scene {
    const Picture& picture;
    Box3 bounds;
    int scale;
    View view;
    Lighting lighting;
    Vec3d up;
    double cell = 1;  // of the checkerboard [m]
    std::vector<std::vector<Vec3d>> corner_normals;
    std::vector<SceneTriangle> triangles;
};

constexpr float edge_width = 0.55f;  // half width of an edge line [pixels]

/// The backdrop at height t of the window, 0 at the top.
Rgb backdrop(float t) {
    static const Rgb top = rgb_from_hex(0xb9cad9), bottom = rgb_from_hex(0xeceeef);
    return mix(top, bottom, t * (2 - t));
}

SceneTriangle prepare(const Scene& scene, Index b, Index k) {
    const PictureBody& body = scene.picture.bodies[b];
    SceneTriangle out;
    out.body = b;
    out.triangle = k;
    std::array<Vec3d, 3> corner;
    for (int i = 0; i < 3; ++i) corner[i] = scene.view.project(body.points[body.triangles[k][i]]);
    out.raster = setup_triangle(corner, scene.picture.width * scene.scale,
                                scene.picture.height * scene.scale);
    return out;
}

/// From a sample to the nearest edge of its triangle [samples]. Each edge function is linear on the
/// screen and zero on its edge, so its value over its slope is the distance.
float edge_distance(const RasterTriangle& t, int x, int y) {
    double nearest = 1e9;
    for (const Vec3d& edge : t.edge) {
        const double slope = std::hypot(edge.x, edge.y);
        if (slope > 0)
            nearest = std::min(nearest,
                               std::fabs(edge.x * (x + 0.5) + edge.y * (y + 0.5) + edge.z) / slope);
    }
    return static_cast<float>(nearest);
}

/// Light arriving at p, of which sample `part` of `parts` looks at its share of the rays.
Rgb gather(const std::vector<LightRay>& rays, const Vec3d& p, const Vec3d& n, int part, int parts) {
    Rgb sum;
    int seen = 0;
    for (std::size_t k = part % rays.size(); k < rays.size(); k += parts) {
        ++seen;
        const double cosine = dot(n, rays[k].towards);
        if (cosine <= 0) continue;
        sum = sum + (static_cast<float>(cosine) * rays[k].visibility(p)) * rays[k].radiance;
    }
    return (static_cast<float>(rays.size()) / static_cast<float>(seen)) * sum;
}

struct Surface {
    Vec3d p, n;  // n unit, towards the viewer
    Rgb albedo;
    float gloss = 0;
};

Rgb shade(const Scene& scene, const Surface& s, const Vec3d& to_eye, int part, int parts) {
    const Lighting& light = scene.lighting;
    const Rgb key = gather(light.key, s.p + s.n * light.key_offset, s.n, part, parts);
    const Rgb sky = gather(light.sky, s.p + s.n * light.sky_offset, s.n, part, parts);
    // Light the ground sends back up, and a floor so that nothing is ever black.
    const auto below = static_cast<float>(0.5 - 0.5 * dot(s.n, scene.up));
    const Rgb bounce = (0.26f * below + 0.05f) * Rgb{1.0f, 0.97f, 0.92f};
    Rgb out = s.albedo * (0.50f * key + 0.46f * sky + bounce);
    if (s.gloss > 0) {
        Vec3d half = to_eye + light.key_towards;
        half = half * (1 / norm(half));
        const auto c = static_cast<float>(std::max(0.0, dot(s.n, half)));
        const auto grazing = static_cast<float>(1 - std::max(0.0, dot(s.n, to_eye)));
        const float lit = std::min(1.0f, key.g);
        out = out + (s.gloss * lit * std::pow(c, 48.0f)) * Rgb{1, 1, 1};
        out = out + (0.10f * s.gloss * std::pow(grazing, 4.0f)) * sky;  // Fresnel sheen
    }
    return out;
}

Rgb body_sample(const Scene& scene, const Fragment& f, const Vec3d& ray, int part, int parts) {
    const SceneTriangle& t = scene.triangles[f.triangle];
    const PictureBody& body = scene.picture.bodies[t.body];
    const Triangle& corner = body.triangles[t.triangle];
    const double l[3] = {1.0 - f.l1 - f.l2, f.l1, f.l2};
    Surface s;
    float value = 0;
    for (int i = 0; i < 3; ++i) {
        s.p += body.points[corner[i]] * l[i];
        s.n += scene.corner_normals[t.body][3 * std::size_t(t.triangle) + i] * l[i];
        if (!body.scalar.empty()) value += static_cast<float>(l[i]) * body.scalar[corner[i]];
    }
    const Vec3d to_eye = ray * (-1 / norm(ray));
    const double length = norm(s.n);
    s.n = length > 0 ? s.n * (1 / length) : to_eye;
    // Smooth normals may lean away a little at a silhouette; far away means an inside is seen.
    if (dot(s.n, to_eye) < -0.2) s.n = -s.n;
    s.albedo = body.colour;
    if (!body.scalar.empty()) {
        const ColourScale& scale = scene.picture.scale;
        const float range = scale.hi - scale.lo;
        s.albedo = colour_map(range > 0 ? (value - scale.lo) / range : 0.0f);
    }
    s.gloss = 0.16f;
    Rgb out = shade(scene, s, to_eye, part, parts);
    if (body.edges) {
        const float line = edge_width * static_cast<float>(scene.scale);
        if (f.edge < line) out = mix(out, 0.35f * out, 0.75f);
    }
    return out;
}

/// A soft checkerboard, evened out where a cell is smaller than a sample.
Rgb checker(const Scene& scene, const PicturePlane& plane, const Vec3d& p, double footprint) {
    static const Rgb light = rgb_from_hex(0xc6c5c1), dark = rgb_from_hex(0xbab9b7);
    Vec3d u = std::fabs(plane.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};
    u = u - plane.normal * dot(u, plane.normal);
    u = u * (1 / norm(u));
    const Vec3d v = cross(plane.normal, u), d = p - plane.point;
    const double a = dot(d, u) / scene.cell, b = dot(d, v) / scene.cell;
    const bool odd =
        (static_cast<long long>(std::floor(a)) + static_cast<long long>(std::floor(b))) & 1;
    const auto blur = static_cast<float>(std::clamp(footprint / scene.cell, 0.0, 1.0));
    return mix(odd ? dark : light, mix(dark, light, 0.5f), blur);
}

Rgb background_sample(const Scene& scene, double X, double Y, int part, int parts, float w_limit,
                      bool& hit, float& w_hit) {
    const Vec3d ray = scene.view.ray(X, Y);
    const Rgb sky = backdrop(static_cast<float>(Y / (2 * scene.view.center_y)));
    const PicturePlane* nearest = nullptr;
    double w = w_limit;
    for (const PicturePlane& plane : scene.picture.planes) {
        const double along = dot(ray, plane.normal);
        const double height = dot(plane.point - scene.view.eye, plane.normal);
        if (height >= 0 || along >= 0) continue;  // seen from behind: a plane hides nothing
        if (height / along < w) {
            w = height / along;
            nearest = &plane;
        }
    }
    hit = nearest != nullptr;
    w_hit = static_cast<float>(w);
    if (!nearest) return sky;
    Surface s;
    s.p = scene.view.eye + ray * w;
    s.n = nearest->normal;
    const double length = norm(ray);
    const double tilt = std::max(1e-3, -dot(ray, nearest->normal) / length);
    s.albedo = checker(scene, *nearest, s.p, w / scene.view.focal / tilt);
    const Rgb ground = shade(scene, s, ray * (-1 / length), part, parts);
    // Fade into the backdrop: an endless floor without a hard horizon.
    const Vec3d middle = (scene.bounds.lo + scene.bounds.hi) * 0.5;
    const double reach = norm(scene.bounds.size()) + 1e-9;
    const double away = norm(s.p - middle) / reach;
    const auto fade = static_cast<float>(std::clamp((away - 0.7) / 4.0, 0.0, 1.0));
    return mix(ground, sky, 1 - (1 - fade) * (1 - fade));
}

/// One band of sample rows: depth test, shading, averaging down to pixels.
void draw_band(const Scene& scene, std::span<const Index> candidates, int band, Image& image) {
    const int scale = scene.scale, width = scene.picture.width * scale;
    const int y_begin = band * raster_band * scale;
    const int y_end = std::min(scene.picture.height, (band + 1) * raster_band) * scale;
    std::vector<Fragment> fragments(std::size_t(width) * (y_end - y_begin));
    for (Index id : candidates) {
        const SceneTriangle& t = scene.triangles[id];
        const bool edges = scene.picture.bodies[t.body].edges;
        sample_triangle(
            t.raster, y_begin, y_end, [&](int x, int y, double w, const std::array<double, 3>& l) {
                Fragment& f = fragments[std::size_t(y - y_begin) * width + x];
                if (!(w < f.w)) return;
                f = {static_cast<float>(w), id, static_cast<float>(l[1]), static_cast<float>(l[2]),
                     edges ? edge_distance(t.raster, x, y) : 1e9f};
            });
    }
    const int parts = scale * scale;
    for (int py = y_begin / scale; py < y_end / scale; ++py)
        for (int px = 0; px < scene.picture.width; ++px) {
            Rgb sum;
            for (int part = 0; part < parts; ++part) {
                const int x = px * scale + part % scale, y = py * scale + part / scale;
                const Fragment& f = fragments[std::size_t(y - y_begin) * width + x];
                bool plane_hit = false;
                float w_plane = 0;
                Rgb colour;
                if (f.triangle < 0 || !scene.picture.planes.empty())
                    colour = background_sample(scene, x + 0.5, y + 0.5, part, parts, f.w, plane_hit,
                                               w_plane);
                if (f.triangle >= 0 && !plane_hit)
                    colour = body_sample(scene, f, scene.view.ray(x + 0.5, y + 0.5), part, parts);
                // A highlight above white must not outvote its neighbours at an edge.
                sum = sum + Rgb{std::min(colour.r, 1.0f), std::min(colour.g, 1.0f),
                                std::min(colour.b, 1.0f)};
            }
            const Rgb mean = (1.0f / static_cast<float>(parts)) * sum;
            std::uint8_t* out = image.pixel(px, py);
            out[0] = srgb_byte(mean.r);
            out[1] = srgb_byte(mean.g);
            out[2] = srgb_byte(mean.b);
        }
}

void check(const Picture& picture) {
    constexpr int largest = 16384;
    if (picture.width < 1 || picture.height < 1 || picture.width > largest ||
        picture.height > largest)
        throw InputError("picture size " + std::to_string(picture.width) + " x " +
                         std::to_string(picture.height) + "; allowed: 1 to 16384 a side");
    if (picture.samples < 1 || picture.samples > 8)
        throw InputError("picture samples " + std::to_string(picture.samples) +
                         "; allowed: 1 to 8 a pixel side");
    for (const PictureBody& body : picture.bodies) {
        LIMBER_CHECK(body.scalar.empty() || body.scalar.size() == body.points.size(),
                     "one scalar a point");
        for (const Vec3d& p : body.points) LIMBER_CHECK(is_finite(p), "points are finite");
        const auto n = static_cast<Index>(body.points.size());
        for (const Triangle& t : body.triangles)
            for (Index i : t) LIMBER_CHECK(i >= 0 && i < n, "triangles use existing points");
    }
}

/// Round cells, about a tenth of the subject: 1, 2 or 5 times a power of ten.
double checker_cell(const Box3& bounds) {
    const double wanted = 0.12 * norm(bounds.size()) + 1e-9;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    const double digit = wanted / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

}  // namespace

Image render_frame(const Picture& picture) {
    check(picture);
    Scene scene{.picture = picture,
                .bounds = picture_bounds(picture),
                .scale = picture.samples,
                .view = {},
                .lighting = {},
                .up = up_vector(picture),
                .corner_normals = {},
                .triangles = {}};
    scene.view = make_view(picture, scene.bounds, scene.scale);
    scene.cell = checker_cell(scene.bounds);
    scene.lighting =
        make_lighting(picture, scene.bounds, scene.up, scene.view.right, -scene.view.forward);
    for (const PictureBody& body : picture.bodies)
        scene.corner_normals.push_back(
            corner_normals(body.points, body.triangles, body.crease_degrees));

    const int n_bands = (picture.height + raster_band - 1) / raster_band;
    std::vector<std::vector<Index>> of_band(n_bands);
    for (std::size_t b = 0; b < picture.bodies.size(); ++b)
        for (std::size_t k = 0; k < picture.bodies[b].triangles.size(); ++k) {
            const SceneTriangle t = prepare(scene, static_cast<Index>(b), static_cast<Index>(k));
            if (!t.raster.visible) continue;
            const auto id = static_cast<Index>(scene.triangles.size());
            scene.triangles.push_back(t);
            const int rows = raster_band * scene.scale;
            for (int band = t.raster.y_begin / rows; band <= (t.raster.y_end - 1) / rows; ++band)
                of_band[band].push_back(id);
        }
    Image image{picture.width, picture.height,
                std::vector<std::uint8_t>(std::size_t(3) * picture.width * picture.height)};
    parallel_chunks(n_bands, [&](Index band) { draw_band(scene, of_band[band], band, image); });
    if (!picture.scale.title.empty()) draw_legend(picture.scale, image);
    return image;
}

}  // namespace limber

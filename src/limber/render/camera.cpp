// SPDX-License-Identifier: Apache-2.0
#include "limber/render/camera.h"

#include <algorithm>

namespace limber {

Vec3d up_vector(const Picture& picture) {
    return picture.up_axis == 2 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
}

Box3 picture_bounds(const Picture& picture) {
    bool any = false;
    Box3 box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    for (const PictureBody& body : picture.bodies)
        for (const Vec3d& p : body.points) {
            if (!any) box = {p, p};
            any = true;
            for (int k = 0; k < 3; ++k) {
                box.lo[k] = std::min(box.lo[k], p[k]);
                box.hi[k] = std::max(box.hi[k], p[k]);
            }
        }
    return box;
}

namespace {

Vec3d unit(const Vec3d& v, const Vec3d& otherwise) {
    const double n = norm(v);
    return n > 0 && std::isfinite(n) ? v * (1 / n) : otherwise;
}

/// y-up to the picture's up: (x, y, z) -> (x, -z, y) turns the scene on its back.
Vec3d turned(const Picture& picture, const Vec3d& v) {
    return picture.up_axis == 2 ? Vec3d{v.x, -v.z, v.y} : v;
}

void set_axes(View& view, const Vec3d& forward, const Vec3d& up) {
    view.forward = forward;
    const Vec3d side = std::fabs(up.y) > 0.5 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    // Straight down has no horizon: any sideways axis will do.
    const Vec3d right = cross(forward, up);
    view.right = norm(right) > 1e-9 ? unit(right, side) : side;
    view.up = cross(view.right, view.forward);
}

/// Moves the eye so that every point lies inside the window with a margin, centred: the exact
/// extent in each direction, since a bounding sphere wastes half the picture on a long beam.
void frame_everything(const Picture& picture, double tan_x, double tan_y, View& view) {
    // Inside means |x| <= tan_x (w) for all points: with x' = x - c, w' = w + d this is linear, and
    // the extremes of x + tan_x w and x - tan_x w decide.
    const double inf = std::numeric_limits<double>::infinity();
    double right = -inf, left = -inf, top = -inf, bottom = -inf;
    for (const PictureBody& body : picture.bodies)
        for (const Vec3d& p : body.points) {
            const double x = dot(p, view.right), y = dot(p, view.up), w = dot(p, view.forward);
            right = std::max(right, x - tan_x * w);
            left = std::max(left, -x - tan_x * w);
            top = std::max(top, y - tan_y * w);
            bottom = std::max(bottom, -y - tan_y * w);
        }
    if (!std::isfinite(right)) return;
    const double cx = (right - left) / 2, cy = (top - bottom) / 2;
    const double depth = -std::max((right + left) / (2 * tan_x), (top + bottom) / (2 * tan_y));
    view.eye = view.right * cx + view.up * cy + view.forward * depth;
}

}  // namespace

View make_view(const Picture& picture, const Box3& bounds, int scale) {
    const PictureCamera& camera = picture.camera;
    View view;
    const double width = double(picture.width) * scale, height = double(picture.height) * scale;
    const double tan_y = std::tan(camera.field_of_view * std::acos(-1.0) / 360);
    view.focal = 0.5 * height / tan_y;
    view.center_x = width / 2;
    view.center_y = height / 2;

    const Vec3d middle = (bounds.lo + bounds.hi) * 0.5;
    const Vec3d target = camera.target.value_or(middle);
    const Vec3d fallback = turned(picture, {0, 0, 1});
    Vec3d back = unit(turned(picture, camera.direction), fallback);
    if (camera.eye) back = unit(*camera.eye - target, fallback);
    set_axes(view, -back, up_vector(picture));
    if (camera.eye) {
        view.eye = *camera.eye;
        return view;
    }
    constexpr double margin = 1.22;  // air around the subject
    view.eye = target + back * (1.5 * norm(bounds.size()) + 1e-6);
    frame_everything(picture, width / height * tan_y / margin, tan_y / margin, view);
    // A single point, or a flat picture seen edge-on, still needs some distance.
    const double nearest = 0.05 * norm(bounds.size()) + 1e-6;
    const double distance = dot(middle - view.eye, view.forward);
    if (distance < nearest) view.eye = view.eye - view.forward * (nearest - distance);
    return view;
}

}  // namespace limber

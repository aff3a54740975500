// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build/placement.h"

#include <cmath>

namespace limber {

std::string vector_text(const Vec3d& v) {
    return '[' + number_text(v.x) + ", " + number_text(v.y) + ", " + number_text(v.z) + ']';
}

Vec3d direction(const Vec3d& v, const Origin& origin, std::string_view key) {
    const double length = norm(v);
    if (!(length > 0) || !std::isfinite(length))
        throw InputError(origin.at(key), origin.path + '.' + std::string(key) + " = " +
                                             vector_text(v) +
                                             "; allowed: a finite vector that is not zero");
    return (1 / length) * v;
}

Mat3d rotation_of(const RotateDef& rotate, const Origin& owner) {
    if (rotate.axis_angle)
        return rotation_about(direction(rotate.axis_angle->axis, owner, "rotate"),
                              rotate.axis_angle->angle);
    if (rotate.euler) {
        const Vec3d& a = *rotate.euler;
        return rotation_about({0, 0, 1}, a.z) * rotation_about({0, 1, 0}, a.y) *
               rotation_about({1, 0, 0}, a.x);
    }
    if (!rotate.matrix) return Mat3d::identity();
    const auto& rows = *rotate.matrix;
    const Mat3d R = transpose(Mat3d::from_columns(rows[0], rows[1], rows[2]));
    const double error = max_abs(R * transpose(R) - Mat3d::identity());
    // 1e-6 forgives matrices written with seven digits.
    if (!(error <= 1e-6) || determinant(R) < 0)
        throw InputError(owner.at("rotate"), owner.path + ".rotate: determinant " +
                                                 number_text(determinant(R)) +
                                                 ", orthogonality error " + number_text(error) +
                                                 "; allowed: a rotation matrix, determinant 1 and "
                                                 "error <= 1e-6");
    return R;
}

Placement placement_of(const BodyDef& body) {
    Placement out;
    if (body.scale) {
        const Vec3d& s = body.scale->factor;
        const double det = s.x * s.y * s.z;
        if (!(det > 0) || !(s.x > 0 && s.y > 0) || !std::isfinite(det))
            throw InputError(body.origin.at("scale"),
                             body.origin.path + ".scale = " + vector_text(s) + ": determinant " +
                                 number_text(det) +
                                 "; allowed: positive factors (no mirror, nothing flattened)");
        out.scale = s;
    }
    if (body.rotate) out.rotation = rotation_of(*body.rotate, body.origin);
    out.linear = out.rotation * Mat3d::diagonal(out.scale.x, out.scale.y, out.scale.z);
    out.translate = body.translate;
    return out;
}

void check_times(const std::vector<double>& times, std::size_t n_values, std::string_view values,
                 const Origin& origin) {
    if (times.empty())
        throw InputError(origin.at("times"), origin.path +
                                                 ".times is empty; allowed: at least "
                                                 "one key frame");
    for (std::size_t i = 1; i < times.size(); ++i)
        if (!(times[i] > times[i - 1]))
            throw InputError(origin.at("times"), origin.path + ".times[" + std::to_string(i) +
                                                     "] = " + number_text(times[i]) +
                                                     " comes after " + number_text(times[i - 1]) +
                                                     "; allowed: increasing times");
    if (n_values != times.size())
        throw InputError(origin.at(values), origin.path + '.' + std::string(values) + " has " +
                                                std::to_string(n_values) + " entries for " +
                                                std::to_string(times.size()) +
                                                " times; allowed: one for each");
}

Motion motion_of(const MotionDef& def) {
    if (!def.translate && !def.angle)
        throw InputError(def.origin.place,
                         def.origin.path + ": wanted translate or angle beside times");
    Motion motion;
    if (def.translate) {
        check_times(def.times, def.translate->size(), "translate", def.origin);
        motion.translate = {def.times, *def.translate};
    }
    if (def.angle) {
        check_times(def.times, def.angle->size(), "angle", def.origin);
        motion.angle = {def.times, *def.angle};
    }
    motion.axis = direction(def.axis, def.origin, "axis");
    motion.center = def.center;
    return motion;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/hinge_joint.h"

namespace limber {

namespace {

using Side = std::array<JointPoint, 2>;

Vec3d middle(const Side& s, std::span<const Vec3d> x, double t) {
    return 0.5 * (s[0].position(x, t) + s[1].position(x, t));
}
Vec3d along(const Side& s, std::span<const Vec3d> x, double t) {
    return s[1].position(x, t) - s[0].position(x, t);
}

}  // namespace

void HingeJoint::constrain(const JointInput& in, ConstraintSet& out) {
    const double end = in.time + in.h;
    const Vec3d apart = middle(data_.a, in.x, end) - middle(data_.b, in.x, end);
    for (int axis = 0; axis < 3; ++axis) {
        Vec3d e{};
        e[axis] = 1;
        for (const JointPoint& p : data_.a) p.add_to_row(e, 0.5, out.H);
        for (const JointPoint& p : data_.b) p.add_to_row(e, -0.5, out.H);
        out.end_row(apart[axis] / in.h);
    }
    out.end_group(ConstraintGroup::Kind::bilateral, 3);

    const Vec3d axis_b = along(data_.b, in.x, end), lean = along(data_.a, in.x, end) - axis_b;
    for (const Vec3d& e : across((1 / norm(axis_b)) * axis_b)) {
        data_.a[1].add_to_row(e, 1, out.H);
        data_.a[0].add_to_row(e, -1, out.H);
        data_.b[1].add_to_row(e, -1, out.H);
        data_.b[0].add_to_row(e, 1, out.H);
        out.end_row(dot(e, lean) / in.h);
    }
    out.end_group(ConstraintGroup::Kind::bilateral, 2);
}

void HingeJoint::read_back(const JointInput& in, std::span<const double> impulse) {
    for (int axis = 0; axis < 3; ++axis) readings_[axis].value = impulse[axis] / in.h;
    readings_[3].value = norm(middle(data_.a, in.x, in.time) - middle(data_.b, in.x, in.time));
}

bool HingeJoint::replaces(const Contact& contact) const {
    return !data_.collide && between_sides(contact, data_.a[0], data_.b[0]);
}

}  // namespace limber

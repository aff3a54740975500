// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/cable.h"

namespace limber {

double Cable::length(std::span<const Vec3d> x, double t) const {
    double sum = 0;
    for (std::size_t k = 1; k < data_.path.size(); ++k)
        sum += norm(data_.path[k].position(x, t) - data_.path[k - 1].position(x, t));
    return sum;
}

void Cable::constrain(const JointInput& in, ConstraintSet& out) {
    const double end = in.time + in.h;
    double now = 0;
    for (std::size_t k = 1; k < data_.path.size(); ++k) {
        const JointPoint &a = data_.path[k - 1], &b = data_.path[k];
        const Vec3d piece = b.position(in.x, end) - a.position(in.x, end);
        const double l = norm(piece);
        now += l;
        if (!(l > 1e-12 * data_.length)) continue;  // no direction to pull in
        a.add_to_row((1 / l) * piece, 1, out.H);
        b.add_to_row((1 / l) * piece, -1, out.H);
    }
    const double wanted = data_.length - by_hand_.value_or(data_.pull.value(end));
    out.end_row((wanted - now) / in.h);
    out.end_group(ConstraintGroup::Kind::contact, 1);
}

void Cable::read_back(const JointInput& in, std::span<const double> impulse) {
    readings_[0].value = length(in.x, in.time);
    readings_[1].value = impulse[0] / in.h;
}

}  // namespace limber

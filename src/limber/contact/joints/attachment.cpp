// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/attachment.h"

#include <algorithm>

namespace limber {

namespace {

/// What is left of the offset at a time.
double open_share(const AttachmentData& data, double t) {
    return data.closing > 0 ? std::max(0.0, 1 - t / data.closing) : 0;
}

}  // namespace

void Attachment::constrain(const JointInput& in, ConstraintSet& out) {
    const double end = in.time + in.h, share = open_share(data_, end);
    for (const AttachmentData::Pair& pair : data_.pairs) {
        const Vec3d apart =
            pair.a.position(in.x, end) - pair.b.position(in.x, end) - share * pair.offset;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3d e{};
            e[axis] = 1;
            pair.a.add_to_row(e, 1, out.H);
            pair.b.add_to_row(e, -1, out.H);
            out.end_row(apart[axis] / in.h);
        }
        out.end_group(ConstraintGroup::Kind::bilateral, 3);
    }
}

void Attachment::read_back(const JointInput& in, std::span<const double> impulse) {
    for (JointReading& r : readings_) r.value = 0;
    for (std::size_t i = 0; i < impulse.size(); ++i) readings_[i % 3].value += impulse[i] / in.h;
    const double share = open_share(data_, in.time);
    for (const AttachmentData::Pair& pair : data_.pairs) {
        const Vec3d apart =
            pair.a.position(in.x, in.time) - pair.b.position(in.x, in.time) - share * pair.offset;
        readings_[3].value = std::max(readings_[3].value, norm(apart));
    }
}

bool Attachment::replaces(const Contact& contact) const {
    return !data_.collide && between_sides(contact, data_.pairs[0].a, data_.pairs[0].b);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/needle.h"

#include <algorithm>
#include <cmath>

#include "limber/contact/joints/joint_point.h"

namespace limber {

namespace {

/// A point is left behind by a tip that is drawn back when it lies this much of the spacing before
/// it: more than the rounding of what is held exactly at the tip.
constexpr double passed = 1e-3;

}  // namespace

std::optional<NeedleEntry> first_entry(const NeedleData& needle, std::span<const Vec3d> x,
                                       const Vec3d& tip, const Vec3d& direction, double behind) {
    std::optional<NeedleEntry> first;
    for (const Triangle& t : needle.surface) {
        // The line tip + s d meets a + β (b − a) + γ (c − a) (Möller & Trumbore 1997).
        const Vec3d &a = x[t[0]], ab = x[t[1]] - a, ac = x[t[2]] - a;
        const Vec3d across_ac = cross(direction, ac);
        const double det = dot(ab, across_ac);  // > 0: the face looks against the needle
        if (!(det > 0)) continue;
        const Vec3d from = tip - a;
        const double beta = dot(from, across_ac) / det;
        const Vec3d q = cross(from, ab);
        const double gamma = dot(direction, q) / det;
        constexpr double slack = 1e-12;  // an edge belongs to both of its faces
        if (beta < -slack || gamma < -slack || beta + gamma > 1 + slack) continue;
        const double s = dot(ac, q) / det;
        if (!(s >= -behind) || (first && !(s < first->along))) continue;
        first = NeedleEntry{{{t[0], t[1], t[2], t[0]}, {1 - beta - gamma, beta, gamma, 0}}, s};
    }
    return first;
}

std::optional<NeedlePoint> point_inside(std::span<const Tet> tets, std::span<const Vec3d> x,
                                        const Vec3d& p) {
    for (const Tet& tet : tets) {
        const Vec3d &a = x[tet[0]], &b = x[tet[1]], &c = x[tet[2]], &d = x[tet[3]];
        const double volume = tet_volume(a, b, c, d);
        if (!(volume > 0)) continue;
        NeedlePoint out{tet,
                        {0, tet_volume(a, p, c, d) / volume, tet_volume(a, b, p, d) / volume,
                         tet_volume(a, b, c, p) / volume}};
        out.weight[0] = 1 - out.weight[1] - out.weight[2] - out.weight[3];
        constexpr double slack = 1e-10;  // on a face rounding may put p outside of both tets
        if (*std::min_element(out.weight.begin(), out.weight.end()) >= -slack) return out;
    }
    return std::nullopt;
}

std::vector<NeedlePoint> points_on_shaft(const NeedleData& needle, std::span<const Vec3d> x,
                                         const Vec3d& tip, const Vec3d& direction) {
    std::vector<NeedlePoint> out;
    if (!point_inside(needle.tets, x, tip)) return out;
    const std::optional<NeedleEntry> entry = first_entry(needle, x, tip, direction, needle.length);
    if (!entry || entry->along > 0) return out;  // the whole shaft is inside
    out.push_back(entry->point);
    for (double s = entry->along + needle.spacing; s <= 0; s += needle.spacing)
        if (const auto point = point_inside(needle.tets, x, tip + s * direction))
            out.push_back(*point);
    return out;
}

Needle::Needle(const Data& data) : data_(data), chain_(data.inside), kept_(data.inside) {}

void Needle::constrain(const JointInput& in, ConstraintSet& out) {
    now_ = chain_;
    touched_.reset();
    cuts_ = false;
    follow_tip(in);
    if (now_.empty()) {
        push_surface(in, out);
        return;
    }
    hold(in, out);
    if (data_.cutting > 0) cut(in, out);
}

/// now_ and along_ as the tip at the start of the step makes them.
void Needle::follow_tip(const JointInput& in) {
    const Vec3d tip = data_.tip_at(in.time), d = data_.direction_at(in.time);
    const auto along = [&](const NeedlePoint& p) { return dot(p.position(in.x) - tip, d); };
    while (!now_.empty() && along(now_.back()) > passed * data_.spacing) now_.pop_back();
    while (!now_.empty() && along(now_.front()) < -data_.length) now_.erase(now_.begin());
    if (!now_.empty()) {
        const double last = along(now_.back());
        for (double s = last + data_.spacing; s <= 0; s += data_.spacing)
            if (const auto point = point_inside(data_.tets, in.x, tip + s * d))
                now_.push_back(*point);
    }
    along_.clear();
    for (const NeedlePoint& p : now_) along_.push_back(along(p));
}

/// The tip before the surface: 0 <= gap at the end of the step, along the needle.
void Needle::push_surface(const JointInput& in, ConstraintSet& out) {
    const double end = in.time + in.h;
    const Vec3d tip = data_.tip_at(end), d = data_.direction_at(end);
    touched_ =
        first_entry(data_, in.x, data_.tip_at(in.time), data_.direction_at(in.time), data_.spacing);
    if (!touched_) return;
    const NeedlePoint& p = touched_->point;
    const double gap = dot(p.position(in.x) - tip, d);
    if (gap + in.h * dot(p.position(in.v_free), d) > data_.spacing) {
        touched_.reset();  // not in this step
        return;
    }
    for (int k = 0; k < 3; ++k) out.H.add(p.nodes[k], p.weight[k] * d);
    out.end_row(gap / in.h);
    out.end_group(ConstraintGroup::Kind::contact, 1);
}

/// The length of the shaft that is a point's: half the way to its neighbours, and to the tip.
double Needle::share_of(std::size_t k) const {
    const double before = k > 0 ? 0.5 * (along_[k] - along_[k - 1]) : 0;
    const double after = k + 1 < along_.size() ? 0.5 * (along_[k + 1] - along_[k]) : -along_[k];
    return std::max(0.0, before + after);
}

void Needle::hold(const JointInput& in, ConstraintSet& out) {
    const double end = in.time + in.h;
    const Vec3d tip = data_.tip_at(end), d = data_.direction_at(end);
    const Vec3d tip_before = data_.tip_at(in.time), d_before = data_.direction_at(in.time);
    const std::array<Vec3d, 2> sides = across(d);
    for (std::size_t i = 0; i < now_.size(); ++i) {
        const NeedlePoint& p = now_[i];
        const Vec3d apart = p.position(in.x) - tip;
        for (const Vec3d& e : sides) {
            for (int k = 0; k < 4; ++k) out.H.add(p.nodes[k], p.weight[k] * e);
            out.end_row(dot(e, apart) / in.h);
        }
        out.end_group(ConstraintGroup::Kind::bilateral, 2);
        if (data_.friction == 0) continue;
        // Slip against the shaft where the point is now.
        const Vec3d carried = tip + along_[i] * d - tip_before - along_[i] * d_before;
        for (int k = 0; k < 4; ++k) out.H.add(p.nodes[k], p.weight[k] * d);
        out.end_row(-dot(d, carried) / in.h);
        out.end_limited(data_.friction * share_of(i) * in.h);
    }
}

/// The tissue at the tip is carried along by at most the cutting force, and only ahead.
void Needle::cut(const JointInput& in, ConstraintSet& out) {
    const Vec3d tip = data_.tip_at(in.time), d = data_.direction_at(in.time + in.h);
    const double ahead = dot(d, data_.tip_at(in.time + in.h) - tip);
    const auto point = ahead > 0 ? point_inside(data_.tets, in.x, tip) : std::nullopt;
    if (!point) return;
    for (int k = 0; k < 4; ++k) out.H.add(point->nodes[k], point->weight[k] * d);
    out.end_row(-ahead / in.h);
    out.end_limited(data_.cutting * in.h);
    cuts_ = true;
}

void Needle::read_back(const JointInput& in, std::span<const double> impulse) {
    std::swap(chain_, now_);
    const double tip_force = touched_ ? impulse[0] / in.h : cuts_ ? impulse.back() / in.h : 0;
    double shaft = 0;
    if (!touched_ && data_.friction > 0)
        for (std::size_t r = 2; r < impulse.size(); r += 3) shaft += impulse[r] / in.h;
    const double depth = chain_.empty() ? 0 : -along_[0];
    if (touched_ && tip_force > data_.puncture) chain_.assign(1, touched_->point);
    readings_[0].value = static_cast<double>(chain_.size());
    readings_[1].value = depth;
    readings_[2].value = tip_force;
    readings_[3].value = shaft;
}

void Needle::save(ByteWriter& out) const {
    out.put_array("needle", std::span<const NeedlePoint>(chain_));
}

void Needle::load(ByteReader& in) {
    std::vector<NeedlePoint> loaded = in.get_vector<NeedlePoint>("needle");
    for (const NeedlePoint& p : loaded)
        for (int k = 0; k < 4; ++k)
            if (p.nodes[k] < 0 || p.nodes[k] >= data_.n_nodes || !std::isfinite(p.weight[k]))
                in.fail("needle", "holds a point that is not of this scene");
    chain_ = kept_ = std::move(loaded);
}

}  // namespace limber

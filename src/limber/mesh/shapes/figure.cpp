// SPDX-License-Identifier: Apache-2.0
// What figures are put together from.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/core/check.h"
#include "limber/mesh/proximity.h"
#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

class Mirrored final : public Implicit {
  public:
    explicit Mirrored(Solid solid) : solid_(std::move(solid)) {}
    double value(const Vec3d& p) const override {
        return solid_->value({p.x, p.y, std::fabs(p.z)});
    }
    Box3 bounds() const override {
        Box3 box = solid_->bounds();
        box.lo.z = -box.hi.z;
        return box;
    }
    double lipschitz() const override { return solid_->lipschitz(); }

  private:
    Solid solid_;
};

/// a without b, its edge rounded off as smooth_unite() fills a corner: the mesher cuts sharp edges
/// off within a cell, which looks ragged.
class RoundedCut final : public Implicit {
  public:
    RoundedCut(Solid a, Solid b, double width)
        : a_(std::move(a)), b_(std::move(b)), width_(width) {}
    double value(const Vec3d& p) const override {
        const double a = a_->value(p), b = -b_->value(p);
        const double overlap = std::max(0.0, width_ - std::fabs(a - b));
        return std::max(a, b) + overlap * overlap / (4 * width_);
    }
    Box3 bounds() const override { return a_->bounds(); }
    double lipschitz() const override { return std::max(a_->lipschitz(), b_->lipschitz()); }

  private:
    Solid a_, b_;
    double width_;
};

/// Distance to a polygon in the half-plane (r, y), negative inside.
class Revolved final : public Implicit {
  public:
    explicit Revolved(std::vector<std::pair<double, double>> profile)
        : profile_(std::move(profile)) {}
    double value(const Vec3d& p) const override {
        const double r = std::hypot(p.x, p.z);
        double least = std::numeric_limits<double>::infinity();
        bool inside = false;
        for (std::size_t i = 0, j = profile_.size() - 1; i < profile_.size(); j = i++) {
            const auto [ax, ay] = profile_[j];
            const auto [bx, by] = profile_[i];
            if ((ay > p.y) != (by > p.y) && r < ax + (bx - ax) * (p.y - ay) / (by - ay))
                inside = !inside;
            if (ax == 0 && bx == 0) continue;  // along the axis there is no surface
            const double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
            const double t =
                length > 0 ? std::clamp(((r - ax) * dx + (p.y - ay) * dy) / length, 0.0, 1.0) : 0;
            least = std::min(least, std::hypot(r - ax - t * dx, p.y - ay - t * dy));
        }
        return inside ? -least : least;
    }
    Box3 bounds() const override {
        double r = 0, lo = profile_[0].second, hi = lo;
        for (const auto& [x, y] : profile_)
            r = std::max(r, x), lo = std::min(lo, y), hi = std::max(hi, y);
        return {{-r, lo, -r}, {r, hi, r}};
    }

  private:
    std::vector<std::pair<double, double>> profile_;
};

}  // namespace

void Figure::add(Solid part, double blend) {
    solid_ = solid_ ? smooth_unite(std::move(solid_), std::move(part), blend) : std::move(part);
}

void Figure::carve(Solid part, double round) {
    solid_ = std::make_unique<RoundedCut>(std::move(solid_), std::move(part), round);
}

Solid make_chain(const std::vector<Bead>& beads, double blend) {
    Figure figure;
    for (std::size_t i = 0; i + 1 < beads.size(); ++i)
        figure.add(
            make_rounded_cone(beads[i].at, beads[i].radius, beads[i + 1].at, beads[i + 1].radius),
            blend);
    return figure.take();
}

Solid make_limb(const std::vector<Bead>& beads, int pieces, double blend) {
    std::vector<Bead> fine;
    const auto n = static_cast<int>(beads.size());
    const auto bead = [&](int i) { return beads[std::clamp(i, 0, n - 1)]; };
    for (int i = 0; i + 1 < n; ++i)
        for (int s = 0; s < pieces; ++s) {
            const double t = double(s) / pieces, t2 = t * t, t3 = t2 * t;
            const double w[4] = {(-t + 2 * t2 - t3) / 2, (2 - 5 * t2 + 3 * t3) / 2,
                                 (t + 4 * t2 - 3 * t3) / 2, (-t2 + t3) / 2};
            Bead b{{}, 0};
            for (int k = 0; k < 4; ++k) {
                b.at += w[k] * bead(i - 1 + k).at;
                b.radius += w[k] * bead(i - 1 + k).radius;
            }
            b.radius = std::max(b.radius, 0.5 * std::min(bead(i).radius, bead(i + 1).radius));
            fine.push_back(b);
        }
    fine.push_back(beads.back());
    return make_chain(fine, blend);
}

Solid make_web(const Vec3d& a, const Vec3d& b, const Vec3d& c, double radius) {
    Box3 box{a, a};
    for (const Vec3d& p : {a, b, c})
        for (int i = 0; i < 3; ++i) {
            box.lo[i] = std::min(box.lo[i], p[i] - radius);
            box.hi[i] = std::max(box.hi[i], p[i] + radius);
        }
    return make_function(
        [=](const Vec3d& p) { return norm(p - nearest_on_triangle(p, a, b, c).point) - radius; },
        box);
}

Solid make_mirrored(Solid solid) {
    return std::make_unique<Mirrored>(std::move(solid));
}

Solid make_revolved(const std::vector<std::pair<double, double>>& profile) {
    LIMBER_CHECK(profile.size() >= 3, "a profile is a polygon");
    return std::make_unique<Revolved>(profile);
}

Mat3d turn(const Vec3d& axis, double degrees) {
    const double angle = degrees * std::numbers::pi / 180;
    const Vec3d n = (1 / norm(axis)) * axis;
    Mat3d R;
    for (int column = 0; column < 3; ++column) {
        Vec3d e{};
        e[column] = 1;
        // Rodrigues' formula.
        const Vec3d r = std::cos(angle) * e + std::sin(angle) * cross(n, e) +
                        ((1 - std::cos(angle)) * dot(n, e)) * n;
        for (int row = 0; row < 3; ++row) R(row, column) = r[row];
    }
    return R;
}

Solid make_leaning_ellipsoid(const Vec3d& centre, const Vec3d& semi_axes, const Vec3d& along) {
    const Vec3d u = (1 / norm(along)) * along;
    const Vec3d side = cross(u, std::fabs(u.y) < 0.99 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0});
    const Vec3d w = (1 / norm(side)) * side;
    const Vec3d v = cross(w, u);
    Mat3d R;
    for (int row = 0; row < 3; ++row) R(row, 0) = u[row], R(row, 1) = v[row], R(row, 2) = w[row];
    return place(make_ellipsoid({}, semi_axes), R, centre);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/implicit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/core/check.h"

namespace limber {

namespace {

Vec3d absolute(const Vec3d& p) {
    return {std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)};
}
Vec3d smaller(const Vec3d& a, const Vec3d& b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3d larger(const Vec3d& a, const Vec3d& b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
Box3 hull(const Box3& a, const Box3& b) {
    return {smaller(a.lo, b.lo), larger(a.hi, b.hi)};
}
Box3 grown(const Box3& box, double by) {
    return {box.lo - Vec3d{by, by, by}, box.hi + Vec3d{by, by, by}};
}
Vec3d unit(const Vec3d& v) {
    const double length = norm(v);
    LIMBER_CHECK(length > 0 && std::isfinite(length), "an axis must not be zero");
    return (1 / length) * v;
}

class Ball final : public Implicit {
  public:
    Ball(const Vec3d& c, double r) : c_(c), r_(r) {}
    double value(const Vec3d& p) const override { return norm(p - c_) - r_; }
    Box3 bounds() const override { return grown({c_, c_}, r_); }

  private:
    Vec3d c_;
    double r_;
};

class Block final : public Implicit {
  public:
    Block(const Vec3d& c, const Vec3d& half, double rounding)
        : c_(c), half_(half), core_(half - Vec3d{rounding, rounding, rounding}), r_(rounding) {}
    double value(const Vec3d& p) const override {
        const Vec3d q = absolute(p - c_) - core_;
        return norm(larger(q, {0, 0, 0})) + std::min(0.0, std::max({q.x, q.y, q.z})) - r_;
    }
    Box3 bounds() const override { return {c_ - half_, c_ + half_}; }

  private:
    Vec3d c_, half_, core_;
    double r_;
};

/// The tangent cone of the two spheres touches them where its normal leans by asin((ra - rb) / L)
/// from the plane across the axis. In the half-plane (u along the axis, v away from it) a point
/// whose normal foot on the axis lies before a belongs to the first sphere, beyond b to the second,
/// and between them to the cone.
class RoundedCone final : public Implicit {
  public:
    RoundedCone(const Vec3d& a, double ra, const Vec3d& b, double rb)
        : a_(a), b_(b), ra_(ra), rb_(rb), length_(norm(b - a)) {
        if (length_ <= std::fabs(ra - rb)) {  // one ball holds the other
            if (rb > ra) std::swap(a_, b_), std::swap(ra_, rb_);
            length_ = 0;
            return;
        }
        axis_ = (1 / length_) * (b - a);
        sine_ = (ra - rb) / length_;
        cosine_ = std::sqrt(1 - sine_ * sine_);
    }
    double value(const Vec3d& p) const override {
        const Vec3d d = p - a_;
        if (length_ == 0) return norm(d) - ra_;
        const double u = dot(d, axis_);
        const double v = std::sqrt(std::max(0.0, squared_norm(d) - u * u));
        const double foot = u - v * sine_ / cosine_;
        if (foot <= 0) return norm(d) - ra_;
        if (foot >= length_) return norm(p - b_) - rb_;
        return u * sine_ + v * cosine_ - ra_;
    }
    Box3 bounds() const override {
        const Box3 first = grown({a_, a_}, ra_);
        return length_ == 0 ? first : hull(first, grown({b_, b_}, rb_));
    }

  private:
    Vec3d a_, b_, axis_{};
    double ra_, rb_, length_, sine_ = 0, cosine_ = 1;
};

/// The closest point of the ellipsoid to y is x_i = r_i² y_i / (t + r_i²) with the largest root t
/// of F(t) = Σ (r_i y_i / (t + r_i²))² - 1. F falls and is convex right of t = -s², s the smallest
/// of the r_i, so Newton's method started where F >= 0 climbs to the root without passing it. The
/// unknown is u = t + s², which may be tiny.
class Ellipsoid final : public Implicit {
  public:
    Ellipsoid(const Vec3d& c, const Vec3d& r) : c_(c), r_(r), s_(std::min({r.x, r.y, r.z})) {}
    double value(const Vec3d& p) const override {
        // A coordinate of exactly zero would hide the root of a point near the middle plane.
        const double least = 1e-9 * s_;
        const Vec3d y = larger(absolute(p - c_), {least, least, least});
        Vec3d excess;  // r_i² - s² >= 0
        double u = 0;
        for (int i = 0; i < 3; ++i) {
            excess[i] = (r_[i] - s_) * (r_[i] + s_);
            u = std::max(u, r_[i] * y[i] - excess[i]);
        }
        for (int iteration = 0; iteration < 100; ++iteration) {
            double F = -1, slope = 0;
            for (int i = 0; i < 3; ++i) {
                const double q = r_[i] * y[i] / (u + excess[i]);
                F += q * q;
                slope -= 2 * q * q / (u + excess[i]);
            }
            const double step = -F / slope;
            u += step;
            if (step <= 1e-14 * u) break;
        }
        Vec3d gap, scaled;
        for (int i = 0; i < 3; ++i) {
            gap[i] = y[i] * (u - s_ * s_) / (u + excess[i]);  // y_i - x_i
            scaled[i] = y[i] / r_[i];
        }
        return squared_norm(scaled) < 1 ? -norm(gap) : norm(gap);
    }
    Box3 bounds() const override { return {c_ - r_, c_ + r_}; }

  private:
    Vec3d c_, r_;
    double s_;
};

/// Extent of a disk of radius r whose normal is the unit vector n.
Vec3d disk_extent(const Vec3d& n, double r) {
    Vec3d e;
    for (int i = 0; i < 3; ++i) e[i] = r * std::sqrt(std::max(0.0, 1 - n[i] * n[i]));
    return e;
}

class Torus final : public Implicit {
  public:
    Torus(const Vec3d& c, const Vec3d& n, double major, double minor)
        : c_(c), n_(n), major_(major), minor_(minor) {}
    double value(const Vec3d& p) const override {
        const Vec3d d = p - c_;
        const double up = dot(d, n_);
        const double out = norm(d - up * n_) - major_;
        return std::sqrt(out * out + up * up) - minor_;
    }
    Box3 bounds() const override {
        const Vec3d e = disk_extent(n_, major_);
        return grown({c_ - e, c_ + e}, minor_);
    }

  private:
    Vec3d c_, n_;
    double major_, minor_;
};

class Rod final : public Implicit {
  public:
    Rod(const Vec3d& a, const Vec3d& b, double r)
        : middle_(0.5 * (a + b)), n_(unit(b - a)), half_(norm(b - a) / 2), r_(r) {}
    double value(const Vec3d& p) const override {
        const Vec3d d = p - middle_;
        const double along = dot(d, n_);
        const double u = std::fabs(along) - half_;
        const double v = norm(d - along * n_) - r_;
        return std::hypot(std::max(u, 0.0), std::max(v, 0.0)) + std::min(0.0, std::max(u, v));
    }
    Box3 bounds() const override {
        const Vec3d e = disk_extent(n_, r_) + half_ * absolute(n_);
        return {middle_ - e, middle_ + e};
    }

  private:
    Vec3d middle_, n_;
    double half_, r_;
};

Box3 everywhere() {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return {{-inf, -inf, -inf}, {inf, inf, inf}};
}

class HalfSpace final : public Implicit {
  public:
    HalfSpace(const Vec3d& n, double offset) : n_(n), offset_(offset) {}
    double value(const Vec3d& p) const override { return dot(n_, p) - offset_; }
    Box3 bounds() const override { return everywhere(); }

  private:
    Vec3d n_;
    double offset_;
};

class Function final : public Implicit {
  public:
    Function(std::function<double(const Vec3d&)> f, const Box3& box, double lipschitz)
        : f_(std::move(f)), box_(box), lipschitz_(lipschitz) {}
    double value(const Vec3d& p) const override { return f_(p); }
    Box3 bounds() const override { return box_; }
    double lipschitz() const override { return lipschitz_; }

  private:
    std::function<double(const Vec3d&)> f_;
    Box3 box_;
    double lipschitz_;
};

/// What unions and intersections share.
class Pair : public Implicit {
  public:
    Pair(Solid a, Solid b) : a_(std::move(a)), b_(std::move(b)) {
        LIMBER_CHECK(a_ && b_, "a combination needs two solids");
    }
    double lipschitz() const override { return std::max(a_->lipschitz(), b_->lipschitz()); }

  protected:
    Solid a_, b_;
};

class Union final : public Pair {
  public:
    using Pair::Pair;
    double value(const Vec3d& p) const override { return std::min(a_->value(p), b_->value(p)); }
    Box3 bounds() const override { return hull(a_->bounds(), b_->bounds()); }
};

class SmoothUnion final : public Pair {
  public:
    SmoothUnion(Solid a, Solid b, double width) : Pair(std::move(a), std::move(b)), width_(width) {}
    double value(const Vec3d& p) const override {
        const double a = a_->value(p), b = b_->value(p);
        // Its gradient is a mean of the two gradients, so the Lipschitz constant does not grow.
        const double overlap = std::max(0.0, width_ - std::fabs(a - b));
        return std::min(a, b) - overlap * overlap / (4 * width_);
    }
    Box3 bounds() const override { return grown(hull(a_->bounds(), b_->bounds()), width_ / 4); }

  private:
    double width_;
};

class Intersection final : public Pair {
  public:
    using Pair::Pair;
    double value(const Vec3d& p) const override { return std::max(a_->value(p), b_->value(p)); }
    Box3 bounds() const override {
        const Box3 a = a_->bounds(), b = b_->bounds();
        return {larger(a.lo, b.lo), smaller(a.hi, b.hi)};
    }
};

class Difference final : public Pair {
  public:
    using Pair::Pair;
    double value(const Vec3d& p) const override { return std::max(a_->value(p), -b_->value(p)); }
    Box3 bounds() const override { return a_->bounds(); }
};

class Grown final : public Implicit {
  public:
    Grown(Solid solid, double by) : solid_(std::move(solid)), by_(by) {}
    double value(const Vec3d& p) const override { return solid_->value(p) - by_; }
    Box3 bounds() const override { return grown(solid_->bounds(), by_); }
    double lipschitz() const override { return solid_->lipschitz(); }

  private:
    Solid solid_;
    double by_;
};

class Placed final : public Implicit {
  public:
    Placed(Solid solid, const Mat3d& R, const Vec3d& t, double scale)
        : solid_(std::move(solid)), R_(R), t_(t), scale_(scale) {}
    double value(const Vec3d& p) const override {
        return scale_ * solid_->value((1 / scale_) * (transpose(R_) * (p - t_)));
    }
    Box3 bounds() const override {
        const Box3 box = solid_->bounds();
        if (!is_finite(box.size())) return everywhere();
        const Vec3d middle = scale_ * (R_ * (0.5 * (box.lo + box.hi))) + t_;
        const Vec3d half = (scale_ / 2) * box.size();
        Vec3d e;
        for (int i = 0; i < 3; ++i) e[i] = dot(absolute(R_.row(i)), half);
        return {middle - e, middle + e};
    }
    double lipschitz() const override { return solid_->lipschitz(); }

  private:
    Solid solid_;
    Mat3d R_;
    Vec3d t_;
    double scale_;
};

template <class Combine>
Solid fold(std::vector<Solid> solids, Combine combine) {
    LIMBER_CHECK(!solids.empty(), "a union needs a solid");
    Solid result = std::move(solids[0]);
    for (std::size_t i = 1; i < solids.size(); ++i)
        result = combine(std::move(result), std::move(solids[i]));
    return result;
}

}  // namespace

Solid make_ball(const Vec3d& centre, double radius) {
    LIMBER_CHECK(radius > 0, "a ball needs a radius");
    return std::make_unique<Ball>(centre, radius);
}
Solid make_block(const Vec3d& centre, const Vec3d& size, double rounding) {
    LIMBER_CHECK(rounding >= 0 && 2 * rounding <= std::min({size.x, size.y, size.z}),
                 "the rounding must fit into the block");
    return std::make_unique<Block>(centre, 0.5 * size, rounding);
}
Solid make_capsule(const Vec3d& a, const Vec3d& b, double radius) {
    return make_rounded_cone(a, radius, b, radius);
}
Solid make_rounded_cone(const Vec3d& a, double radius_a, const Vec3d& b, double radius_b) {
    LIMBER_CHECK(radius_a >= 0 && radius_b >= 0 && radius_a + radius_b > 0, "radii");
    return std::make_unique<RoundedCone>(a, radius_a, b, radius_b);
}
Solid make_ellipsoid(const Vec3d& centre, const Vec3d& semi_axes) {
    LIMBER_CHECK(std::min({semi_axes.x, semi_axes.y, semi_axes.z}) > 0, "semi-axes");
    return std::make_unique<Ellipsoid>(centre, semi_axes);
}
Solid make_torus(const Vec3d& centre, const Vec3d& axis, double major, double minor) {
    LIMBER_CHECK(major > 0 && minor > 0, "radii");
    return std::make_unique<Torus>(centre, unit(axis), major, minor);
}
Solid make_rod(const Vec3d& a, const Vec3d& b, double radius) {
    LIMBER_CHECK(radius > 0, "a rod needs a radius");
    return std::make_unique<Rod>(a, b, radius);
}
Solid make_half_space(const Vec3d& normal, double offset) {
    return std::make_unique<HalfSpace>(unit(normal), offset);
}
Solid make_function(std::function<double(const Vec3d&)> value, const Box3& bounds,
                    double lipschitz) {
    LIMBER_CHECK(value && lipschitz > 0, "a function and its Lipschitz constant");
    return std::make_unique<Function>(std::move(value), bounds, lipschitz);
}

Solid unite(Solid a, Solid b) {
    return std::make_unique<Union>(std::move(a), std::move(b));
}
Solid unite(std::vector<Solid> solids) {
    return fold(std::move(solids),
                [](Solid a, Solid b) { return unite(std::move(a), std::move(b)); });
}
Solid smooth_unite(Solid a, Solid b, double width) {
    if (width <= 0) return unite(std::move(a), std::move(b));
    return std::make_unique<SmoothUnion>(std::move(a), std::move(b), width);
}
Solid smooth_unite(std::vector<Solid> solids, double width) {
    return fold(std::move(solids), [width](Solid a, Solid b) {
        return smooth_unite(std::move(a), std::move(b), width);
    });
}
Solid intersect(Solid a, Solid b) {
    return std::make_unique<Intersection>(std::move(a), std::move(b));
}
Solid subtract(Solid a, Solid b) {
    return std::make_unique<Difference>(std::move(a), std::move(b));
}
Solid grow(Solid solid, double distance) {
    return std::make_unique<Grown>(std::move(solid), distance);
}
Solid place(Solid solid, const Mat3d& rotation, const Vec3d& translation, double scale) {
    LIMBER_CHECK(scale > 0, "a scale must be positive");
    return std::make_unique<Placed>(std::move(solid), rotation, translation, scale);
}

}  // namespace limber

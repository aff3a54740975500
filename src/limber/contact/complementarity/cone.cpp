// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/cone.h"

#include <limits>

namespace limber {

namespace {

double length(const double t[2]) {
    return std::sqrt(t[0] * t[0] + t[1] * t[1]);
}

}  // namespace

OneContact::OneContact(const Mat3d& W, double mu) : mu_(mu) {
    const double scale = W(0, 0) + W(1, 1) + W(2, 2);
    constexpr double eps = std::numeric_limits<double>::epsilon();
    if (!(W(0, 0) > 8 * eps * scale)) return;  // w_nn_ = 0: no compliance along the normal
    w_nn_ = W(0, 0);
    floor_ = 32 * eps * scale;
    const double a = W(1, 1) - W(0, 1) * W(0, 1) / w_nn_;
    const double b = W(1, 2) - W(0, 1) * W(0, 2) / w_nn_;
    const double d = W(2, 2) - W(0, 2) * W(0, 2) / w_nn_;
    const double angle = 0.5 * std::atan2(2 * b, a - d);
    cos_ = std::cos(angle);
    sin_ = std::sin(angle);
    const double mean = 0.5 * (a + d), radius = 0.5 * std::hypot(a - d, 2 * b);
    s_[0] = std::max(0.0, mean + radius);
    s_[1] = std::max(0.0, mean - radius);
    w_[0] = cos_ * W(0, 1) + sin_ * W(0, 2);
    w_[1] = cos_ * W(0, 2) - sin_ * W(0, 1);
}

Vec3d OneContact::solve(const Vec3d& b) const {
    if (!(b.x < 0) || w_nn_ == 0) return {};
    const double pn0 = -b.x / w_nn_;
    if (mu_ == 0) return {pn0, 0, 0};
    const double c[2] = {cos_ * b.y + sin_ * b.z + w_[0] * pn0,
                         cos_ * b.z - sin_ * b.y + w_[1] * pn0};
    double t[2] = {0, 0};
    if (!sticks(pn0, c, t)) slide(pn0, c, t);
    return {normal(pn0, t), cos_ * t[0] - sin_ * t[1], sin_ * t[0] + cos_ * t[1]};
}

bool OneContact::sticks(double pn0, const double c[2], double t[2]) const {
    for (int i = 0; i < 2; ++i) {
        if (s_[i] > floor_)
            t[i] = -c[i] / s_[i];
        else if (c[i] == 0)
            t[i] = 0;
        else
            return false;  // friction has no hold on this direction
    }
    return length(t) <= mu_ * normal(pn0, t);
}

void OneContact::slide(double pn0, const double c[2], double t[2]) const {
    // Above it |p_t| < mu p_n whatever the coupling: |p_t| <= |c|/alpha.
    const double coupling = length(w_) / w_nn_;
    const double hi0 = length(c) * (1 / mu_ + coupling) / pn0;
    double lo = 0, hi = hi0, alpha = s_[1] > floor_ ? 0 : hi0;
    for (int i = 0; i < 100; ++i) {
        const double k[2] = {1 / (s_[0] + alpha), 1 / (s_[1] + alpha)};
        t[0] = -c[0] * k[0];
        t[1] = -c[1] * k[1];
        const double size = length(t), pn = normal(pn0, t);
        const double f = mu_ * pn - size;
        const double rounding = 4e-16 * (mu_ * pn0 + size * (1 + mu_ * coupling));
        if (std::abs(f) <= rounding) return;
        (f < 0 ? lo : hi) = alpha;
        // d/dalpha of t, |t| and p_n, then of mu p_n/|t|.
        const double size_slope = -(t[0] * t[0] * k[0] + t[1] * t[1] * k[1]) / size;
        const double pn_slope = (w_[0] * t[0] * k[0] + w_[1] * t[1] * k[1]) / w_nn_;
        const double slope = mu_ * (pn_slope * size - pn * size_slope) / size;
        const double next = alpha - f / slope;
        if (!(hi - lo > 1e-16 * hi)) return;
        alpha = next > lo && next < hi ? next : 0.5 * (lo + hi);
    }
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Coulomb's law at one contact. Vectors have the normal first: (n, t1, t2).

#include <algorithm>
#include <cmath>

#include "limber/core/math.h"

namespace limber {

/// The nearest point of Coulomb's cone |t| <= mu n.
inline Vec3d project_to_cone(const Vec3d& q, double mu) {
    const double t = std::sqrt(q.y * q.y + q.z * q.z);
    if (t <= mu * q.x) return q;
    if (mu * t <= -q.x) return {};
    const double n = (q.x + mu * t) / (1 + mu * mu);
    const double shrink = mu * n / t;
    return {n, shrink * q.y, shrink * q.z};
}

/// De Saxcé's shifted velocity u + mu |u_t| n: Coulomb's law is that it is complementary to p on
/// the cone and its dual, with no dilation (Cadoux 2009).
inline Vec3d de_saxce(const Vec3d& u, double mu) {
    return {u.x + mu * std::sqrt(u.y * u.y + u.z * u.z), u.y, u.z};
}

/// Coulomb's problem of one contact, solved exactly: p with u = b + W p such that
///   separate  p = 0, u_n >= 0;   stick  u = 0, |p_t| <= mu p_n;
///   slip      u_n = 0, |p_t| = mu p_n, p_t = -a u_t with a > 0.
/// Sliding means (S + alpha 1) p_t = -c with |p_t| = mu p_n, where S and c are W_tt and b_t after
/// elimination of p_n by u_n = 0 and alpha = |u_t|/(mu p_n) (Bonnefon & Daviet 2011 write it as a
/// quartic in alpha). We find alpha by Newton's method inside a bracket, in the principal axes of
/// S: mu p_n/|p_t| - 1 is negative at alpha = 0 where the contact does not stick, positive at a
/// bound known in closed form, and nearly straight.
class OneContact {
  public:
    OneContact() = default;
    /// W is symmetric positive semidefinite; where it has no compliance along the normal the
    /// contact cannot act and p = 0.
    OneContact(const Mat3d& W, double mu);
    Vec3d solve(const Vec3d& b) const;

  private:
    bool sticks(double pn0, const double c[2], double t[2]) const;
    void slide(double pn0, const double c[2], double t[2]) const;
    double normal(double pn0, const double t[2]) const {
        return pn0 - (w_[0] * t[0] + w_[1] * t[1]) / w_nn_;
    }

    double w_nn_ = 0, mu_ = 0;
    double w_[2]{};             // W_tn in the principal axes
    double s_[2]{};             // eigenvalues of S, not negative
    double floor_ = 0;          // eigenvalues below it are taken for 0
    double cos_ = 1, sin_ = 0;  // the principal axes are (cos, sin) and (-sin, cos)
};

}  // namespace limber

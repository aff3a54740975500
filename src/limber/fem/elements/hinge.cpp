// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/hinge.h"

#include "limber/core/check.h"

namespace limber {

namespace {

/// A number with its derivative in one direction: ∇²θ column by column from ∇θ, exactly and in a
/// few lines (Tamstorf & Grinspun 2013 give the closed form, on pages).
struct Dual {
    double value = 0, slope = 0;
    constexpr Dual() = default;
    constexpr Dual(double v, double s = 0) : value(v), slope(s) {}
    Dual& operator+=(const Dual& b) { return *this = {value + b.value, slope + b.slope}; }
    Dual& operator-=(const Dual& b) { return *this = {value - b.value, slope - b.slope}; }
    Dual& operator*=(const Dual& b) {
        return *this = {value * b.value, slope * b.value + value * b.slope};
    }
};
Dual operator+(Dual a, const Dual& b) {
    return a += b;
}
Dual operator-(Dual a, const Dual& b) {
    return a -= b;
}
Dual operator*(Dual a, const Dual& b) {
    return a *= b;
}
Dual operator-(const Dual& a) {
    return {-a.value, -a.slope};
}
Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
}
bool operator>(const Dual& a, const Dual& b) {
    return a.value > b.value;
}
Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return {root, a.slope / (2 * root)};
}

double hinge_area(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    return 0.5 * norm(cross(b - a, c - a));
}

/// Cotangent of the angle at `corner`.
double cotangent(const Vec3d& corner, const Vec3d& a, const Vec3d& b) {
    return dot(a - corner, b - corner) / norm(cross(a - corner, b - corner));
}

}  // namespace

FlatHinge FlatHinge::make(const std::array<Index, 4>& nodes, const std::array<Vec3d, 4>& x,
                          double rigidity) {
    const double area = hinge_area(x[0], x[1], x[2]) + hinge_area(x[0], x[1], x[3]);
    LIMBER_CHECK(area > 0, "the triangles of a hinge have areas");
    FlatHinge out;
    out.nodes = nodes;
    for (int opposite : {2, 3}) {  // |e| t = cot α_1 x_0 + cot α_0 x_1 − (cot α_0 + cot α_1) x_o
        const double c0 = cotangent(x[0], x[1], x[opposite]);
        const double c1 = cotangent(x[1], x[0], x[opposite]);
        out.w[0] += c1;
        out.w[1] += c0;
        out.w[opposite] -= c0 + c1;
    }
    for (double& w : out.w) w *= std::sqrt(rigidity / area);
    return out;
}

Hinge Hinge::make(const std::array<Index, 4>& nodes, const std::array<Vec3d, 4>& x,
                  double rigidity) {
    const Vec3d e = x[1] - x[0];
    const double area1 = hinge_area(x[0], x[1], x[2]), area2 = hinge_area(x[0], x[1], x[3]);
    LIMBER_CHECK(area1 > 0 && area2 > 0, "the triangles of a hinge have areas");
    Hinge out;
    out.nodes = nodes;
    out.stiffness = rigidity * dot(e, e) / (area1 + area2);
    out.angle = angle_of(x);
    out.edge_floor = 1e-4 * dot(e, e);
    out.normal_floor = {4e-4 * area1 * area1, 4e-4 * area2 * area2};
    return out;
}

std::array<Mat3d, 10> Hinge::hessian(const std::array<Vec3d, 4>& x, HessianKind kind) const {
    std::array<Mat3d, 10> K = projected_hessian(x);
    if (kind == HessianKind::projected) return K;
    const double moment = stiffness * bend(x);
    std::array<Vec3<Dual>, 4> y;
    for (int c = 0; c < 4; ++c) y[c] = {x[c].x, x[c].y, x[c].z};
    for (int b = 0; b < 4; ++b)
        for (int axis = 0; axis < 3; ++axis) {
            y[b][axis].slope = 1;
            const std::array<Vec3<Dual>, 4> column = angle_gradient(y);
            y[b][axis].slope = 0;
            for (int a = 0; a <= b; ++a)
                for (int i = 0; i < 3; ++i)
                    K[BlockScatter<4>::pair(a, b)](i, axis) += moment * column[a][i].slope;
        }
    return K;
}

}  // namespace limber

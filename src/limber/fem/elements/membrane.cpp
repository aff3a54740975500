// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/membrane.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/fem/block_scatter.h"

namespace limber {

namespace {

/// The part of a symmetric 2x2 matrix with eigenvalues >= 0.
Membrane::Stress2<double> tensile_part(const Membrane::Stress2<double>& s) {
    const double mean = 0.5 * (s.xx + s.yy), half = 0.5 * (s.xx - s.yy);
    const double radius = std::hypot(half, s.xy);
    const double high = mean + radius, low = mean - radius;
    if (low >= 0) return s;
    if (high <= 0) return {0, 0, 0};
    // high n nᵀ, with n nᵀ = (S − low I) / (high − low)
    const double scale = high / (2 * radius);
    return {scale * (s.xx - low), scale * s.xy, scale * (s.yy - low)};
}

}  // namespace

Membrane Membrane::make(const std::array<Index, 3>& nodes, const std::array<Vec3d, 3>& x,
                        double thickness, const Lame& lame) {
    // The plane of the triangle with its first edge along the first axis.
    const Vec3d u = x[1] - x[0], v = x[2] - x[0];
    const double length = norm(u), twice_area = norm(cross(u, v));
    LIMBER_CHECK(twice_area > 0, "a triangle at rest has an area");
    const double along = dot(u, v) / length, height = twice_area / length;
    Membrane out;
    out.nodes = nodes;
    out.g[1] = {1 / length, -along / (length * height)};
    out.g[2] = {0, 1 / height};
    out.g[0] = {-1 / length, along / (length * height) - 1 / height};
    out.volume = 0.5 * twice_area * thickness;
    out.mu = lame.mu;
    out.lambda = 2 * lame.lambda * lame.mu / (lame.lambda + 2 * lame.mu);
    return out;
}

std::array<Mat3d, 6> Membrane::hessian(const std::array<Vec3d, 3>& x, HessianKind kind) const {
    const std::array<Vec3d, 2> F = columns(x);
    Stress2<double> s = stress(strain(F));
    if (kind == HessianKind::projected) s = tensile_part(s);
    const Mat3d FFt = outer(F[0], F[0]) + outer(F[1], F[1]);
    std::array<Vec3d, 3> p;
    for (int a = 0; a < 3; ++a) p[a] = g[a].x * F[0] + g[a].y * F[1];
    std::array<Mat3d, 6> K;
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b) {
            const double initial = s.xx * g[a].x * g[b].x + s.yy * g[a].y * g[b].y +
                                   s.xy * (g[a].x * g[b].y + g[a].y * g[b].x);
            const double gg = g[a].x * g[b].x + g[a].y * g[b].y;
            K[BlockScatter<3>::pair(a, b)] =
                volume * (Mat3d::diagonal(initial, initial, initial) +
                          mu * (gg * FFt + outer(p[b], p[a])) + lambda * outer(p[a], p[b]));
        }
    return K;
}

MembraneMeasure measure(const Membrane& membrane, const std::array<Vec3d, 3>& x) {
    const std::array<Vec3d, 2> F = membrane.columns(x);
    MembraneMeasure out;
    out.area_ratio = norm(cross(F[0], F[1]));
    if (!(out.area_ratio > 0)) return out;
    // σ = F S Fᵀ / area ratio, in the plane of the triangle: |σ|² and tr σ are those of S C.
    const auto s = membrane.stress(membrane.strain(F));
    const Vec3d p = F[0] * s.xx + F[1] * s.xy, q = F[0] * s.xy + F[1] * s.yy;
    const Mat3d sigma = (1 / out.area_ratio) * (outer(p, F[0]) + outer(q, F[1]));
    const double tr = trace(sigma);
    out.von_mises = std::sqrt(std::fmax(0.0, 1.5 * (contract(sigma, sigma) - tr * tr / 3)));
    return out;
}

}  // namespace limber

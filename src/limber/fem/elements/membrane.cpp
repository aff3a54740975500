// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/membrane.h"

#include <cmath>

#include "limber/core/check.h"

namespace limber {

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

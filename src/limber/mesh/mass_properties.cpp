// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/mass_properties.h"

namespace limber {

MassProperties mass_properties(std::span<const Vec3d> nodes, std::span<const Triangle> triangles,
                               double density) {
    MassProperties out;
    if (triangles.empty()) return out;
    // A point of the surface as the apex: no digits are lost far from the origin.
    const Vec3d apex = nodes[triangles[0][0]];
    double volume = 0;
    Vec3d first{};
    Mat3d second{};  // ∫ x xᵀ about the apex; of a tet: V/20 (Σ p pᵀ + (Σ p)(Σ p)ᵀ)
    for (const Triangle& t : triangles) {
        const Vec3d a = nodes[t[0]] - apex, b = nodes[t[1]] - apex, c = nodes[t[2]] - apex;
        const double V = dot(a, cross(b, c)) / 6;
        const Vec3d sum = a + b + c;
        volume += V;
        first += (V / 4) * sum;
        second += (V / 20) * (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum));
    }
    out.mass = density * volume;
    const Vec3d center = (1 / volume) * first;
    out.center = apex + center;
    second -= volume * outer(center, center);
    out.inertia = density * (trace(second) * Mat3d::identity() - second);
    return out;
}

}  // namespace limber

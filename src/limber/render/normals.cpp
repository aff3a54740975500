// SPDX-License-Identifier: Apache-2.0
#include "limber/render/normals.h"

#include "limber/core/parallel.h"

namespace limber {

std::vector<Vec3d> corner_normals(std::span<const Vec3d> points,
                                  std::span<const Triangle> triangles, double crease_degrees) {
    const auto n = static_cast<Index>(triangles.size());
    std::vector<Vec3d> area(triangles.size());  // twice the area, along the normal
    std::vector<Index> begin(points.size() + 1, 0), entry(3 * triangles.size());
    for (Index k = 0; k < n; ++k) {
        const Triangle& t = triangles[k];
        area[k] = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
        for (Index p : t) ++begin[p + 1];
    }
    for (std::size_t p = 0; p < points.size(); ++p) begin[p + 1] += begin[p];
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index k = 0; k < n; ++k)
        for (Index p : triangles[k]) entry[next[p]++] = k;

    const double cosine = std::cos(crease_degrees * std::acos(-1.0) / 180);
    std::vector<Vec3d> out(3 * triangles.size());
    parallel_for(n, 1024, [&](Index k) {
        const double own = norm(area[k]);
        for (int i = 0; i < 3; ++i) {
            Vec3d sum{};
            const Index p = triangles[k][i];
            for (Index e = begin[p]; e < begin[p + 1]; ++e) {
                const Vec3d& other = area[entry[e]];
                if (entry[e] == k || dot(area[k], other) >= cosine * own * norm(other))
                    sum += other;
            }
            const double length = norm(sum);
            if (length > 0) out[3 * std::size_t(k) + i] = sum * (1 / length);
        }
    });
    return out;
}

}  // namespace limber

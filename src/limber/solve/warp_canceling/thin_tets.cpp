// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/thin_tets.h"

#include <algorithm>

#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr double flat = 20;  // longest edge over least height
constexpr double cos_60 = 0.5, cos_40 = 0.7660444431189780;

double flatness(const std::array<Vec3d, 4>& x) {
    double longest = 0, largest_area = 0;
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b) longest = std::max(longest, norm(x[b] - x[a]));
    for (int a = 0; a < 4; ++a) {
        const Vec3d &p = x[(a + 1) % 4], &q = x[(a + 2) % 4], &r = x[(a + 3) % 4];
        largest_area = std::max(largest_area, 0.5 * norm(cross(q - p, r - p)));
    }
    const double volume = std::abs(dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0]))) / 6;
    return longest * largest_area / (3 * volume);
}

}  // namespace

void mark_thin_bodies(const Model& model, std::vector<char>& marked) {
    for (const Body& body : model.bodies) {
        Index n_flat = 0;
        for (Index t = body.tet_begin; t < body.tet_end; ++t) {
            const Tet& tet = model.mesh.tets[t];
            n_flat += flatness({model.mesh.nodes[tet[0]], model.mesh.nodes[tet[1]],
                                model.mesh.nodes[tet[2]], model.mesh.nodes[tet[3]]}) > flat;
        }
        if (2 * n_flat > body.tet_end - body.tet_begin)
            std::fill(marked.begin() + body.node_begin, marked.begin() + body.node_end, 1);
    }
}

void mark_wide_spread(const Model& model, const CorotationCache& rotations,
                      std::span<const char> always, std::vector<char>& marked,
                      std::vector<Index>& changed) {
    constexpr char other = 2;  // beside a mark that was another before
    const ElementSet& elements = model.elements;
    parallel_for(model.n_nodes(), 512, [&](Index i) {
        const auto around = elements.incidence.of(i);
        if (always[i] || around.empty()) return;
        const double limit = 1 + 2 * (marked[i] ? cos_40 : cos_60);
        // Against the first tet of the node: half the largest spread at least.
        const Mat3d first = rotations.at(around[0] / 4);
        const bool wide = std::any_of(around.begin(), around.end(), [&](Index entry) {
            return contract(first, rotations.at(entry / 4)) < limit;
        });
        if (wide != (marked[i] != 0)) marked[i] = static_cast<char>(wide | other);
    });
    changed.clear();
    for (Index i = 0; i < model.n_nodes(); ++i)
        if (marked[i] & other) {
            marked[i] = static_cast<char>(marked[i] & ~other);
            changed.push_back(i);
        }
}

}  // namespace limber

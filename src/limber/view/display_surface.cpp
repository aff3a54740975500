// SPDX-License-Identifier: Apache-2.0
#include "limber/view/display_surface.h"

#include <algorithm>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index grain = 4096;

Index largest(const Vec3d& w) {
    if (w.x >= w.y && w.x >= w.z) return 0;
    return w.y >= w.z ? 1 : 2;
}

}  // namespace

DisplaySurface::DisplaySurface(const Model& model) : model_(model) {
    std::vector<Index> vertex(model.n_nodes(), -1);
    for (const Body& body : model.bodies) {
        Part part{body.name, n_vertices(),      0, static_cast<Index>(triangles_.size()),
                  0,         !body.skin.empty()};
        if (part.skin) {
            for (Triangle t : body.skin.triangles) {
                for (Index& v : t) v += part.vertex_begin;
                triangles_.push_back(t);
            }
            node_.resize(part.vertex_begin + body.skin.embedding.n_points(), -1);
        } else {
            for (const Index i : body.surface_nodes) {
                vertex[i] = static_cast<Index>(node_.size());
                node_.push_back(i);
            }
            for (const Triangle& t : body.surface)
                triangles_.push_back({vertex[t[0]], vertex[t[1]], vertex[t[2]]});
        }
        part.vertex_end = static_cast<Index>(node_.size());
        part.triangle_end = static_cast<Index>(triangles_.size());
        parts_.push_back(std::move(part));
    }
}

void DisplaySurface::positions(std::span<const Vec3d> x, std::span<float> out) const {
    LIMBER_CHECK(out.size() == 3 * static_cast<std::size_t>(n_vertices()), "room for positions");
    for (std::size_t b = 0; b < parts_.size(); ++b) {
        const Part& part = parts_[b];
        const Embedding& ride = model_.bodies[b].skin.embedding;
        parallel_for(part.vertex_end - part.vertex_begin, grain, [&](Index k) {
            const Index i = part.vertex_begin + k;
            Vec3d p{};
            if (part.skin)
                for (int c = 0; c < 4; ++c) p += ride.weights[k][c] * x[ride.corners[k][c]];
            else
                p = x[node_[i]];
            for (int axis = 0; axis < 3; ++axis) out[3 * i + axis] = static_cast<float>(p[axis]);
        });
    }
}

void DisplaySurface::values(std::span<const double> at_node, std::span<float> out) const {
    LIMBER_CHECK(out.size() == static_cast<std::size_t>(n_vertices()), "room for values");
    for (std::size_t b = 0; b < parts_.size(); ++b) {
        const Part& part = parts_[b];
        const Embedding& ride = model_.bodies[b].skin.embedding;
        for (Index i = part.vertex_begin; i < part.vertex_end; ++i) {
            const Index k = i - part.vertex_begin;
            double value = 0;
            if (part.skin)
                for (int c = 0; c < 4; ++c)
                    value += ride.weights[k][c] * at_node[ride.corners[k][c]];
            else
                value = at_node[node_[i]];
            out[i] = static_cast<float>(value);
        }
    }
}

ContactStencil DisplaySurface::stencil(const SurfacePick& pick) const {
    LIMBER_CHECK(pick.triangle >= 0 && pick.triangle < static_cast<Index>(triangles_.size()),
                 "a picked triangle");
    const Triangle& t = triangles_[pick.triangle];
    if (node_[t[0]] >= 0)
        return {{node_[t[0]], node_[t[1]], node_[t[2]], 0},
                {pick.weight.x, pick.weight.y, pick.weight.z, 0},
                3};
    const Index v = t[largest(pick.weight)];
    const auto part =
        std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return v < p.vertex_end; });
    const Embedding& ride = model_.bodies[part - parts_.begin()].skin.embedding;
    const Index k = v - part->vertex_begin;
    return {ride.corners[k], ride.weights[k], 4};
}

Index DisplaySurface::node(const SurfacePick& pick) const {
    const ContactStencil at = stencil(pick);
    const auto best = std::max_element(at.weight.begin(), at.weight.begin() + at.n);
    return at.node[best - at.weight.begin()];
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/untangle.h"

#include <algorithm>
#include <cmath>

namespace limber {

namespace {

/// Uniform in −1 ... 1; the mixing function of Steele, Lea & Flood 2014 (SplitMix).
double noise(std::uint64_t seed) {
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    seed ^= seed >> 31;
    return static_cast<double>(seed >> 11) * 0x1p-52 - 1;
}

}  // namespace

/// Gravity alone pulls all nodes alike.
bool Knot::is_held(const Body& body, const StepInput& in) const {
    if (in.touching || in.constrained || body.tet_begin == body.tet_end) return true;
    const Index first = body.node_begin;
    const Vec3d g = (1 / model_.mass[first]) * in.external[first];
    for (Index i = first; i < body.node_end; ++i)
        if (model_.free[i] != Vec3d{1, 1, 1} ||
            norm(in.external[i] - model_.mass[i] * g) > 1e-6 * model_.mass[i] * (norm(g) + 1e-6))
            return true;
    return false;
}

void Knot::prepare(const StepInput& in, std::span<const double> interpolants, std::int64_t step) {
    if (history_.throws >= limit_) return;
    by_.assign(model_.n_nodes(), Vec3d{});
    for (const Body& body : model_.bodies) {
        if (is_held(body, in)) continue;
        const Box3 box = bounding_box(
            std::span(model_.mesh.nodes).subspan(body.node_begin, body.node_end - body.node_begin));
        const Vec3d size = box.size();
        const double reach = 0.5 * std::max({size.x, size.y, size.z});
        for (Index t = body.tet_begin; t < body.tet_end; ++t) {
            if (!(interpolants[t] > 0)) continue;
            throws_ = true;
            for (Index node : model_.mesh.tets[t])
                for (int k = 0; k < 3; ++k)
                    by_[node][k] =
                        reach * model_.free[node][k] *
                        noise(static_cast<std::uint64_t>(step) * 0x1000003u +
                              3 * static_cast<std::uint64_t>(node) + static_cast<std::uint64_t>(k));
        }
    }
    if (!throws_) return;
    ++history_.throws;
    history_.quiet = {};
}

void Knot::apply(State& state) const {
    for (std::size_t i = 0; i < by_.size(); ++i) {
        if (by_[i] == Vec3d{}) continue;
        state.x[i] += by_[i];
        state.v[i] = {};
    }
}

}  // namespace limber

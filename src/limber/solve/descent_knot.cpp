// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent_knot.h"

#include <algorithm>
#include <cmath>

namespace limber {

namespace {

constexpr int patience = 3;         // a body that turns about is quiet for one step as well
constexpr double no_change = 1e-4;  // of the elastic energy in a step

/// Uniform in −1 ... 1; the mixing function of Steele, Lea & Flood 2014 (SplitMix).
double noise(std::uint64_t seed) {
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    seed ^= seed >> 31;
    return static_cast<double>(seed >> 11) * 0x1p-52 - 1;
}

}  // namespace

bool Knot::stuck(bool converted, double begin, double end) {
    throws_ = false;
    const bool still = converted && std::abs(end - begin) <= no_change * end;
    history_.quiet = still ? std::min(history_.quiet + 1, 1 << 30) : 0;
    return history_.quiet >= patience;
}

void Knot::prepare(std::span<const double> interpolants, std::int64_t step) {
    if (history_.throws >= limit_) return;
    by_.assign(model_.n_nodes(), Vec3d{});
    for (const Body& body : model_.bodies) {
        if (body.tet_begin == body.tet_end) continue;
        const Box3 box = bounding_box(
            std::span(model_.mesh.nodes).subspan(body.node_begin, body.node_end - body.node_begin));
        const Vec3d size = box.size();
        const double reach = 0.5 * std::max({size.x, size.y, size.z});
        for (Index t = body.tet_begin; t < body.tet_end; ++t) {
            if (!(interpolants[t] > 0)) continue;
            for (Index node : model_.mesh.tets[t])
                for (int k = 0; k < 3; ++k)
                    by_[node][k] =
                        reach * model_.free[node][k] *
                        noise(static_cast<std::uint64_t>(step) * 0x1000003u +
                              3 * static_cast<std::uint64_t>(node) + static_cast<std::uint64_t>(k));
        }
    }
    ++history_.throws;
    history_.quiet = 0;
    throws_ = true;
}

void Knot::apply(State& state) const {
    for (std::size_t i = 0; i < by_.size(); ++i) {
        if (by_[i] == Vec3d{}) continue;
        state.x[i] += by_[i];
        state.v[i] = {};
    }
}

}  // namespace limber

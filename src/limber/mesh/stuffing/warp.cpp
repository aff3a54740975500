// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/warp.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index warp_grain = 256;  // active points a chunk
constexpr float not_cut = -1;

LatticePoint neighbour(const LatticePoint& p, int d) {
    const LatticePoint& s = lattice_directions[d];
    return {p[0] + s[0], p[1] + s[1], p[2] + s[2]};
}

/// Share t of the way from a to b at which f changes sign. False position with the Illinois rule,
/// which ends after two or three values where f is a distance; bisection when that does not settle,
/// as where f jumps. A value of exactly zero counts as outside.
double find_cut(const Implicit& f, const Vec3d& a, const Vec3d& b, double fa, double fb) {
    constexpr int n_secant = 8, n_bisect = 22;
    constexpr double close_enough = 1e-7;  // share of the edge
    if (fa == 0) return 0;
    if (fb == 0) return 1;
    const double small = close_enough * norm(b - a) * f.lipschitz();
    const bool inside_at_a = fa < 0;
    double lo = 0, hi = 1;
    int kept = 0;  // end that stayed: -1 lo, +1 hi
    for (int i = 0; i < n_secant + n_bisect && hi - lo > close_enough; ++i) {
        const double t = i < n_secant ? lo + (hi - lo) * fa / (fa - fb) : (lo + hi) / 2;
        const double value = f.value((1 - t) * a + t * b);
        if (std::fabs(value) <= small) return t;
        if ((value < 0) == inside_at_a) {
            lo = t;
            fa = value;
            if (kept > 0) fb /= 2;
            kept = 1;
        } else {
            hi = t;
            fb = value;
            if (kept < 0) fa /= 2;
            kept = -1;
        }
    }
    return (lo + hi) / 2;
}

}  // namespace

WarpedLattice::WarpedLattice(const BccLattice& lattice, const Implicit& f,
                             const StuffingProgress& progress)
    : lattice_(lattice), value_(sample_lattice(lattice, f, progress)) {
    find_active();
    find_cuts(f, progress);
    warp();
    restore_pinches();
}

void WarpedLattice::find_active() {
    const Index n_layers = 2 * lattice_.octants()[2] + 1;
    std::vector<std::vector<LatticeId>> found(n_layers);
    std::vector<char> at_rim(n_layers, 0);
    parallel_chunks(n_layers, [&](Index layer) {
        const LatticeId begin = layer * lattice_.plane(), end = begin + lattice_.plane();
        for (LatticeId id = begin; id < end; ++id) {
            const LatticePoint p = lattice_.point(id);
            const bool inside = value_[id] < 0;
            if (!lattice_.is_inner(p)) {
                if (!lattice_.contains(p)) continue;
                at_rim[layer] |= inside;
                for (int d = 0; d < n_directions; ++d)
                    if (const LatticePoint q = neighbour(p, d);
                        lattice_.contains(q) && (value_[lattice_.id(q)] < 0) != inside) {
                        found[layer].push_back(id);
                        break;
                    }
                continue;
            }
            for (int d = 0; d < n_directions; ++d)
                if ((value_[id + lattice_.offset(p, d)] < 0) != inside) {
                    found[layer].push_back(id);
                    break;
                }
        }
    });
    if (std::find(at_rim.begin(), at_rim.end(), 1) != at_rim.end())
        throw InputError("the shape reaches out of its own bounds");

    slot_.assign(value_.size(), -1);
    for (const std::vector<LatticeId>& ids : found)
        for (LatticeId id : ids) {
            slot_[id] = static_cast<Index>(active_.size());
            active_.push_back(id);
        }
    side_.resize(active_.size());
    position_.resize(active_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) {
        side_[k] = sign_side(value_[active_[k]]);
        position_[k] = lattice_.position(lattice_.point(active_[k]));
    }
}

void WarpedLattice::find_cuts(const Implicit& f, const StuffingProgress& progress) {
    std::array<float, n_owned> none;
    none.fill(not_cut);
    cut_.assign(active_.size(), none);
    const Index n = static_cast<Index>(active_.size());
    const Index slice = std::max<Index>(warp_grain * 64, n / 20);
    for (Index begin = 0; begin < n; begin += slice) {
        parallel_for(std::min(slice, n - begin), warp_grain, [&](Index i) {
            const Index k = begin + i;
            const LatticePoint p = lattice_.point(active_[k]);
            for (int d = 0; d < n_owned; ++d) {
                const LatticePoint q = neighbour(p, d);
                if (!lattice_.contains(q)) continue;
                const LatticeId other = lattice_.id(q);
                if ((value_[other] < 0) == (value_[active_[k]] < 0)) continue;
                cut_[k][d] = static_cast<float>(find_cut(f, position_[k], lattice_.position(q),
                                                         value_[active_[k]], value_[other]));
            }
        });
        if (progress) progress("cutting", double(std::min(n, begin + slice)) / n);
    }
}

/// Moves point k onto its nearest violating cut point, if it has one.
bool WarpedLattice::warp_point(Index k) {
    const LatticePoint p = lattice_.point(active_[k]);
    double nearest = 0;
    int chosen = -1;
    double share = 0;
    for (int d = 0; d < n_directions; ++d) {
        const LatticePoint q = neighbour(p, d);
        if (!lattice_.contains(q)) continue;
        const Index other = slot_[lattice_.id(q)];
        // A cut point is gone once either end of its edge has moved.
        if (other < 0 || side_[other] == Side::on) continue;
        const float t = d < n_owned ? cut_[k][d] : cut_[other][d - n_owned];
        if (t < 0) continue;
        const double from_here = d < n_owned ? double(t) : 1 - double(t);
        const double distance = from_here * (is_long(d) ? 1 : std::sqrt(0.75));
        if (from_here >= alpha(d) || (chosen >= 0 && distance >= nearest)) continue;
        nearest = distance;
        chosen = d;
        share = from_here;
    }
    if (chosen < 0) return false;
    const Vec3d here = lattice_.position(p);
    position_[k] = here + share * (lattice_.position(neighbour(p, chosen)) - here);
    side_[k] = Side::on;
    return true;
}

/// One point after the other, as the paper has it: what a point does depends on its predecessors.
void WarpedLattice::warp() {
    for (Index k = 0; k < static_cast<Index>(active_.size()); ++k) n_warped_ += warp_point(k);
}

std::int64_t WarpedLattice::cut_key(const LatticePoint& a, const LatticePoint& b) const {
    const int d = direction_between(a, b);
    LIMBER_ASSERT(d >= 0);
    const Index owner = slot_[lattice_.id(d < n_owned ? a : b)];
    LIMBER_ASSERT(owner >= 0);
    return std::int64_t{owner} * n_owned + d % n_owned;
}

Vec3d WarpedLattice::cut_position(std::int64_t key) const {
    const Index owner = static_cast<Index>(key / n_owned);
    const int d = static_cast<int>(key % n_owned);
    const LatticePoint p = lattice_.point(active_[owner]);
    // Only a restored point has cut points nearer than alpha; they are moved off it, because every
    // place between the two thresholds keeps the angle bounds.
    const double t = std::clamp(double(cut_[owner][d]), alpha(d), 1 - alpha(d));
    const Vec3d here = lattice_.position(p);
    return here + t * (lattice_.position(neighbour(p, d)) - here);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/warp_canceling/selective_damping.h"

#include <algorithm>
#include <map>
#include <vector>

namespace limber {

namespace {

/// How much of its motion a node keeps: the least of what its bad tets leave it.
using Shares = std::map<Index, double>;

void keep(const DampingInput& in, Index tet, Shares& shares) {
    const double share = in.limit / in.error[tet];
    for (const Index node : in.tets[tet]) {
        const auto [it, fresh] = shares.emplace(node, share);
        if (!fresh) it->second = std::min(it->second, share);
    }
}

void set_free(const Vec3d& free, const Vec3d& value, Vec3d& v) {
    for (int axis = 0; axis < 3; ++axis)
        if (free[axis] != 0) v[axis] = value[axis];
}

struct RigidMotion {
    Vec3d center{}, velocity{}, omega{};
    Vec3d at(const Vec3d& x) const { return velocity + cross(omega, x - center); }
};

/// The rigid motion with the momentum and angular momentum of the nodes; `v_of(node)` [m/s].
template <class VelocityOf>
RigidMotion rigid_motion(const DampingInput& in, const Shares& shares, VelocityOf&& v_of) {
    RigidMotion out;
    double mass = 0;
    for (const auto& [node, share] : shares) {
        mass += in.mass[node];
        out.center += in.mass[node] * in.x[node];
        out.velocity += in.mass[node] * v_of(node, share);
    }
    if (!(mass > 0)) return {};
    out.center *= 1 / mass;
    out.velocity *= 1 / mass;
    Mat3d inertia{};
    Vec3d angular{};
    for (const auto& [node, share] : shares) {
        const Vec3d r = in.x[node] - out.center;
        inertia += in.mass[node] * (squared_norm(r) * Mat3d::identity() - outer(r, r));
        angular += in.mass[node] * cross(r, v_of(node, share));
    }
    // Nodes on a line have no inertia about it: a little more keeps the inverse finite.
    inertia += (1e-9 * trace(inertia)) * Mat3d::identity();
    if (trace(inertia) > 0) out.omega = inverse(inertia) * angular;
    return out;
}

void damp_region(const DampingInput& in, const Shares& shares, std::span<Vec3d> v) {
    const RigidMotion whole = rigid_motion(in, shares, [&](Index node, double) { return v[node]; });
    const auto kept = [&](Index node, double share) {
        return share * (v[node] - whole.at(in.x[node]));
    };
    // Where shares differ, what is kept of the rest has a momentum of its own: it is taken out.
    const RigidMotion spurious = rigid_motion(in, shares, kept);
    for (const auto& [node, share] : shares) {
        const Vec3d& x = in.x[node];
        set_free(in.free[node], whole.at(x) + kept(node, share) - spurious.at(x), v[node]);
    }
}

}  // namespace

void damp_velocities(const DampingInput& in, std::span<Vec3d> v) {
    Shares shares;
    for (Index t = 0; t < std::ssize(in.tets); ++t)
        if (in.error[t] > in.limit) keep(in, t, shares);
    for (const auto& [node, share] : shares) set_free(in.free[node], share * v[node], v[node]);
}

void damp_towards_rigid_motion(const DampingInput& in, std::span<Vec3d> v) {
    std::map<Index, Shares> regions;
    for (Index t = 0; t < std::ssize(in.tets); ++t)
        if (in.error[t] > in.limit) keep(in, t, regions[in.region_of[t]]);
    for (const auto& [region, shares] : regions) damp_region(in, shares, v);
}

}  // namespace limber

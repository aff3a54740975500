// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/rigid_bodies.h"

#include <algorithm>
#include <cmath>

#include "limber/fem/rotation/rotation.h"

namespace limber {

namespace {

Mat3d cross_matrix(const Vec3d& r) {
    return Mat3d::from_columns({0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0});
}

Mat3d rotation_of(const Quaternion& q) {
    return matrix_of_quaternion(q.w, q.v);
}

/// The turn by the vector `angle` [rad], then q; of unit length.
Quaternion turned(const Vec3d& angle, const Quaternion& q) {
    const double size = norm(angle);
    const double share = size > 1e-8 ? std::sin(0.5 * size) / size : 0.5 - size * size / 48;
    const double w = std::cos(0.5 * size);
    const Vec3d v = share * angle;
    Quaternion out{w * q.w - dot(v, q.v), w * q.v + q.w * v + cross(v, q.v)};
    const double length = std::sqrt(out.w * out.w + dot(out.v, out.v));
    return {out.w / length, (1 / length) * out.v};
}

Mat3d turned(const Mat3d& R, const Mat3d& tensor) {
    return R * tensor * transpose(R);
}

/// I (ω − ω0) + h ω × I ω = h τ in the axes of the body: two Newton steps from ω0.
Vec3d spin_after(double h, const Mat3d& I, const Vec3d& w0, const Vec3d& torque) {
    Vec3d w = w0;
    for (int i = 0; i < 2; ++i) {
        const Vec3d residual = I * (w - w0) + h * cross(w, I * w) - h * torque;
        const Mat3d J = I + h * (cross_matrix(w) * I - cross_matrix(I * w));
        w -= inverse(J) * residual;
    }
    return w;
}

}  // namespace

RigidBodies::RigidBodies(const Model& model) : model_(model) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        if (!body.rigid) continue;
        bodies_.push_back({static_cast<Index>(b), body.node_begin, body.node_end, *body.rigid,
                           inverse(body.rigid->inertia)});
    }
}

Index RigidBodies::rigid_of(Index node) const {
    const auto it = std::upper_bound(bodies_.begin(), bodies_.end(), node,
                                     [](Index i, const Rigid& r) { return i < r.end; });
    return it != bodies_.end() && node >= it->begin ? static_cast<Index>(it - bodies_.begin()) : -1;
}

std::vector<RigidState> RigidBodies::start() const {
    std::vector<RigidState> out;
    for (const Rigid& r : bodies_) {
        const Body& body = model_.bodies[r.body];
        out.push_back({r.properties.center, {}, body.rigid_velocity, body.rigid_spin});
    }
    return out;
}

void RigidBodies::free_motion(double h, const Vec3d& gravity, std::span<const Vec3d> force,
                              std::span<const Vec3d> x, std::span<RigidState> states,
                              std::span<Vec3d> node_velocity) const {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Rigid& r = bodies_[k];
        RigidState& s = states[k];
        Vec3d push{}, torque{};
        for (Index i = r.begin; i < r.end; ++i) {
            push += force[i];
            torque += cross(x[i] - s.position, force[i]);
        }
        const Mat3d R = rotation_of(s.orientation);
        s.velocity += h * (gravity + (1 / r.properties.mass) * push);
        s.spin =
            R * spin_after(h, r.properties.inertia, transpose(R) * s.spin, transpose(R) * torque);
        for (Index i = r.begin; i < r.end; ++i)
            node_velocity[i] = s.velocity + cross(s.spin, x[i] - s.position);
    }
}

void RigidBodies::finish(double h, std::span<const Vec3d> contact_force,
                         std::span<RigidState> states, std::span<Vec3d> x,
                         std::span<Vec3d> v) const {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Rigid& r = bodies_[k];
        RigidState& s = states[k];
        Vec3d push{}, torque{};
        for (Index i = r.begin; i < r.end; ++i) {
            // Positions have moved on with the velocities of the nodes: back to the start.
            push += contact_force[i];
            torque += cross(x[i] - h * v[i] - s.position, contact_force[i]);
        }
        Mat3d R = rotation_of(s.orientation);
        s.velocity += (h / r.properties.mass) * push;
        s.spin += h * (turned(R, r.inverse_inertia) * torque);
        s.position += h * s.velocity;
        s.orientation = turned(h * s.spin, s.orientation);
        R = rotation_of(s.orientation);
        for (Index i = r.begin; i < r.end; ++i) {
            const Vec3d arm = R * (model_.mesh.nodes[i] - r.properties.center);
            x[i] = s.position + arm;
            v[i] = s.velocity + cross(s.spin, arm);
        }
    }
}

double RigidBodies::kinetic_energy(std::span<const RigidState> states) const {
    double sum = 0;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const RigidState& s = states[k];
        const Mat3d I = turned(rotation_of(s.orientation), bodies_[k].properties.inertia);
        sum += 0.5 * bodies_[k].properties.mass * dot(s.velocity, s.velocity) +
               0.5 * dot(s.spin, I * s.spin);
    }
    return sum;
}

double RigidBodies::potential_energy(const Vec3d& gravity,
                                     std::span<const RigidState> states) const {
    double sum = 0;
    for (std::size_t k = 0; k < bodies_.size(); ++k)
        sum -= bodies_[k].properties.mass * dot(gravity, states[k].position);
    return sum;
}

Compliance& RigidBodies::couple(Compliance* soft, std::span<const Vec3d> x,
                                std::span<const RigidState> states) {
    if (empty() && soft) return *soft;
    coupled_.soft = soft;
    coupled_.x = x;
    coupled_.states = states;
    return coupled_;
}

Index RigidBodies::Coupled::n_nodes() const {
    return owner_.model_.n_nodes();
}

void RigidBodies::Coupled::apply(std::span<const Vec3d> f, std::span<Vec3d> v) {
    if (soft)
        soft->apply(f, v);
    else
        std::fill(v.begin(), v.end(), Vec3d{});
    for (std::size_t k = 0; k < owner_.bodies_.size(); ++k) {
        const Rigid& r = owner_.bodies_[k];
        const RigidState& s = states[k];
        Vec3d push{}, torque{};
        for (Index i = r.begin; i < r.end; ++i) {
            push += f[i];
            torque += cross(x[i] - s.position, f[i]);
        }
        const Vec3d V = (1 / r.properties.mass) * push;
        const Vec3d w = turned(rotation_of(s.orientation), r.inverse_inertia) * torque;
        for (Index i = r.begin; i < r.end; ++i) v[i] = V + cross(w, x[i] - s.position);
    }
}

/// Between nodes of one rigid body: 1/m − [r_i]× I⁻¹ [r_j]×.
void RigidBodies::Coupled::between(std::span<const Index> nodes, DenseMatrix& out) {
    soft_nodes_.clear();
    place_.clear();
    for (std::size_t k = 0; k < nodes.size(); ++k)
        if (owner_.rigid_of(nodes[k]) < 0) {
            soft_nodes_.push_back(nodes[k]);
            place_.push_back(static_cast<Index>(k));
        }
    out.resize(3 * static_cast<Index>(nodes.size()));
    out.set_zero();
    if (soft && !soft_nodes_.empty()) {
        soft->between(soft_nodes_, soft_block_);
        for (std::size_t i = 0; i < place_.size(); ++i)
            for (int a = 0; a < 3; ++a)
                for (std::size_t j = 0; j < place_.size(); ++j)
                    for (int b = 0; b < 3; ++b)
                        out(3 * place_[i] + a, 3 * place_[j] + b) = soft_block_(
                            3 * static_cast<Index>(i) + a, 3 * static_cast<Index>(j) + b);
    }
    // Nodes ascend, so those of one body are neighbours.
    for (std::size_t begin = 0; begin < nodes.size();) {
        const Index k = owner_.rigid_of(nodes[begin]);
        std::size_t end = begin + 1;
        if (k < 0) {
            begin = end;
            continue;
        }
        const Rigid& r = owner_.bodies_[k];
        const RigidState& s = states[k];
        while (end < nodes.size() && nodes[end] < r.end) ++end;
        const Mat3d inverse_inertia = turned(rotation_of(s.orientation), r.inverse_inertia);
        const double inverse_mass = 1 / r.properties.mass;
        for (std::size_t i = begin; i < end; ++i) {
            const Mat3d left = cross_matrix(x[nodes[i]] - s.position) * inverse_inertia;
            for (std::size_t j = begin; j < end; ++j) {
                const Mat3d block = inverse_mass * Mat3d::identity() -
                                    left * cross_matrix(x[nodes[j]] - s.position);
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)
                        out(3 * static_cast<Index>(i) + a, 3 * static_cast<Index>(j) + b) =
                            block(a, b);
            }
        }
        begin = end;
    }
}

}  // namespace limber

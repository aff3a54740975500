// SPDX-License-Identifier: Apache-2.0
#pragma once

// The smallest simulators that a contact method can be tested in.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "limber/contact/methods/penalty.h"

namespace limber {

inline const double pi = std::acos(-1.0);
inline constexpr double g = 9.81;

/// Point masses that feel gravity and contact:  (m I + Σ block) v⁺ = m v + h m gravity + Σ impulse,
/// x⁺ = x + h v⁺.
struct PointMasses {
    PenaltyOptions options;
    std::vector<Obstacle> obstacles;
    Vec3d gravity{0, -g, 0};
    double h = 1.0 / 240, time = 0;
    std::vector<Vec3d> x, v, f;
    std::vector<double> mass;
    std::vector<Index> surface;
    ContactSet set;
    int steps = 0;

    void add(const Vec3d& position, const Vec3d& velocity, double m = 0.2) {
        surface.push_back(static_cast<Index>(x.size()));
        x.push_back(position);
        v.push_back(velocity);
        f.push_back({});
        mass.push_back(m);
    }
    ContactInput input() const { return {x, v, surface, obstacles, mass, time, h}; }
    void step(ContactMethod& method) {
        method.detect(input(), set);
        method.respond(input(), set);
        std::vector<Vec3d> v_end(v.size());
        std::size_t next = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            Mat3d A = mass[i] * Mat3d::identity();
            Vec3d b = mass[i] * (v[i] + h * gravity);
            for (; next < set.terms.size() && set.terms[next].at.node[0] == Index(i); ++next) {
                A += set.terms[next].block;
                b += set.terms[next].impulse;
            }
            v_end[i] = inverse(A) * b;
        }
        EXPECT_EQ(next, set.terms.size());  // terms come by node
        std::fill(f.begin(), f.end(), Vec3d{});
        method.read_back(input(), v_end, set, f);
        v = v_end;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
        time = ++steps * h;
    }
    void run(double seconds, ContactMethod& method) {
        const int n = static_cast<int>(std::lround(seconds / h));
        for (int i = 0; i < n; ++i) step(method);
    }
    void run(double seconds) {
        PenaltyContact method(options);
        run(seconds, method);
    }
    double energy(int i = 0) const {
        return 0.5 * mass[i] * squared_norm(v[i]) - mass[i] * dot(gravity, x[i]);
    }
};

inline Obstacle floor_plane(const Vec3d& normal = {0, 1, 0}) {
    Obstacle o;
    o.shape = PlaneShape{normal};
    return o;
}
inline Obstacle of_shape(const ObstacleShape& shape) {
    Obstacle o;
    o.shape = shape;
    return o;
}

/// Gravity turned so that the floor y = 0 is an incline that falls towards +x.
inline Vec3d incline_gravity(double degrees) {
    const double a = degrees * pi / 180;
    return {g * std::sin(a), -g * std::cos(a), 0};
}

/// A column of masses on springs that are 100 times stiffer than m / h², the way a node of a soft
/// body feels its neighbours. Only the lowest mass can touch the floor.
struct Column {
    static constexpr int n = 12;
    PointMasses p;
    double spacing = 0.05, k = 0;
    int touching = 0;

    explicit Column(double h, const Vec3d& velocity, double height) {
        p.h = h;
        p.obstacles = {floor_plane()};
        for (int i = 0; i < n; ++i) p.add({0, height + spacing * i, 0}, velocity);
        k = 100 * p.mass[0] / (h * h);
    }
    void step(PenaltyContact& method) {
        method.detect(p.input(), p.set);
        method.respond(p.input(), p.set);
        std::array<Mat3d, n> A;  // diagonal blocks; the others are -h² k I
        std::array<Vec3d, n> b;
        const double c = p.h * p.h * k;
        for (int i = 0; i < n; ++i) {
            const int springs = (i > 0) + (i + 1 < n);
            A[i] = (p.mass[i] + springs * c) * Mat3d::identity();
            b[i] = p.mass[i] * (p.v[i] + p.h * p.gravity);
        }
        for (int i = 0; i + 1 < n; ++i) {
            const Vec3d f = k * (p.x[i + 1] - p.x[i] - Vec3d{0, spacing, 0});
            b[i] += p.h * f;
            b[i + 1] -= p.h * f;
        }
        for (const ContactTerm& term : p.set.terms) {
            A[term.at.node[0]] += term.block;
            b[term.at.node[0]] += term.impulse;
        }
        for (int i = 0; i + 1 < n; ++i) {  // block elimination of a tridiagonal system
            A[i + 1] -= c * c * inverse(A[i]);
            b[i + 1] += c * (inverse(A[i]) * b[i]);
        }
        p.v[n - 1] = inverse(A[n - 1]) * b[n - 1];
        for (int i = n - 2; i >= 0; --i) p.v[i] = inverse(A[i]) * (b[i] + c * p.v[i + 1]);
        std::fill(p.f.begin(), p.f.end(), Vec3d{});
        method.read_back(p.input(), p.v, p.set, p.f);
        for (int i = 0; i < n; ++i) p.x[i] += p.h * p.v[i];
        p.time = ++p.steps * p.h;
        touching = static_cast<int>(p.set.contacts.size());
    }
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Complementarity problems for tests: random ones, and stacks of rigid boxes.

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "limber/contact/complementarity.h"

namespace limber {

struct SampleProblem {
    using Kind = ConstraintGroup::Kind;

    DenseMatrix W;
    std::vector<double> u_free;
    std::vector<ConstraintGroup> groups;

    void add(Kind kind, Index n_rows, double mu = 0) {
        const Index row = groups.empty() ? 0 : groups.back().row + groups.back().n_rows;
        groups.push_back({kind, row, n_rows, mu});
    }
    Index n_rows() const { return groups.empty() ? 0 : groups.back().row + groups.back().n_rows; }
    ComplementarityProblem view() const { return {W, u_free, groups}; }
    std::vector<double> zero() const { return std::vector<double>(u_free.size(), 0.0); }
    double residual(const std::vector<double>& p) const {
        std::vector<double> u(p.size());
        return complementarity_residual(view(), p, u) / scale();
    }
    double scale() const {
        double s = std::numeric_limits<double>::min();
        for (const double v : u_free) s = std::max(s, std::abs(v));
        return s;
    }
};

/// W = J Jᵀ/n_dofs + shift 1 with J random, n_rows x n_dofs: of full rank if shift > 0 or n_dofs >=
/// n_rows.
inline void fill_random(SampleProblem& s, unsigned seed, Index n_dofs, double shift) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const Index n = s.n_rows();
    std::vector<double> J(static_cast<std::size_t>(n) * n_dofs);
    for (double& x : J) x = normal(random);
    s.W.resize(n);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
            double sum = i == j ? shift : 0;
            for (Index k = 0; k < n_dofs; ++k)
                sum += J[i * n_dofs + k] * J[j * n_dofs + k] / n_dofs;
            s.W(i, j) = sum;
        }
    s.u_free.resize(n);
    for (double& u : s.u_free) u = normal(random);
}

/// The same with u_free = -W p0 + slack for some p0 inside the cones, so that a solution exists
/// however singular W is (normal rows pushed together, no tangential motion that W cannot stop).
inline void make_consistent(SampleProblem& s, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> p0 = s.zero();
    for (const ConstraintGroup& g : s.groups) {
        for (Index i = 0; i < g.n_rows; ++i) p0[g.row + i] = uniform(random) - 0.5;
        if (g.kind != ConstraintGroup::Kind::bilateral) p0[g.row] = uniform(random);
        if (g.kind == ConstraintGroup::Kind::friction)
            for (int i = 1; i < 3; ++i) p0[g.row + i] *= 1.2 * g.mu * p0[g.row];
    }
    for (Index i = 0; i < s.n_rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < s.n_rows(); ++j) sum += s.W(i, j) * p0[j];
        s.u_free[i] = -sum;
    }
}

/// Rigid boxes on top of each other, four corner contacts between each two (and with the ground),
/// under gravity for one step. mass[0] is the lowest. Six degrees of freedom a box: W is singular.
inline SampleProblem box_stack(const std::vector<double>& mass, double mu, double push = 0) {
    SampleProblem s;
    const double h = 0.01, g = 9.81, a = 0.5;  // a: half the side
    const Index n_boxes = static_cast<Index>(mass.size()), n_dofs = 6 * n_boxes;
    const bool friction = mu > 0;
    std::vector<std::vector<double>> J;
    const auto row = [&](Index box, const Vec3d& r, const Vec3d& e) {
        std::vector<double> j(n_dofs, 0.0);
        const auto put = [&](Index b, Vec3d arm, double sign) {
            const Vec3d c = cross(arm, e);
            for (int k = 0; k < 3; ++k) {
                j[6 * b + k] += sign * e[k];
                j[6 * b + 3 + k] += sign * c[k];
            }
        };
        put(box, {r.x, -a, r.z}, 1);
        if (box > 0) put(box - 1, {r.x, a, r.z}, -1);
        J.push_back(j);
    };
    for (Index box = 0; box < n_boxes; ++box)
        for (int corner = 0; corner < 4; ++corner) {
            const Vec3d r{corner & 1 ? a : -a, 0, corner & 2 ? a : -a};
            row(box, r, {0, 1, 0});
            if (friction) {
                row(box, r, {1, 0, 0});
                row(box, r, {0, 0, 1});
                s.add(SampleProblem::Kind::friction, 3, mu);
            } else {
                s.add(SampleProblem::Kind::contact, 1);
            }
        }
    const Index n = s.n_rows();
    s.W.resize(n);
    s.u_free.assign(n, 0);
    for (Index i = 0; i < n; ++i) {
        for (Index b = 0; b < n_boxes; ++b) {
            s.u_free[i] += J[i][6 * b + 1] * -g * h;
            s.u_free[i] += J[i][6 * b] * push;
        }
        for (Index j = 0; j < n; ++j) {
            double sum = 0;
            for (Index k = 0; k < n_dofs; ++k) {
                const double m = mass[k / 6];
                const double inertia = k % 6 < 3 ? m : m * (2 * a) * (2 * a) / 6;
                sum += J[i][k] * J[j][k] / inertia;
            }
            s.W(i, j) = sum;
        }
    }
    return s;
}

/// From 1 below to `ratio` on top.
inline std::vector<double> graded_masses(Index n, double ratio) {
    std::vector<double> mass;
    for (Index i = 0; i < n; ++i) mass.push_back(std::pow(ratio, double(i) / (n - 1)));
    return mass;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/complementarity/group_laws.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"

namespace limber {

namespace {

using Kind = ConstraintGroup::Kind;

Mat3d pseudo_inverse(const Mat3d& block) {
    Eigen::Matrix3d m;
    for (int i = 0; i < 9; ++i) m.data()[i] = block.a[i];
    Mat3d inverse;
    if (!m.allFinite()) return inverse;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(m);
    const double floor = 1e-13 * eigen.eigenvalues()[2];
    for (int k = 0; k < 3; ++k) {
        if (!(eigen.eigenvalues()[k] > floor)) continue;
        const Eigen::Vector3d v = eigen.eigenvectors().col(k);
        const Vec3d e{v[0], v[1], v[2]};
        inverse += outer(e, e) * (1 / eigen.eigenvalues()[k]);
    }
    return inverse;
}

double dot(std::span<const double> a, std::span<const double> b) {
    using P = Packet<double, 8>;
    P sum[4];
    const std::size_t n = a.size();
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (int k = 0; k < 4; ++k) sum[k] += P::load(&a[i + 8 * k]) * P::load(&b[i + 8 * k]);
    for (; i + 8 <= n; i += 8) sum[0] += P::load(&a[i]) * P::load(&b[i]);
    const P all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double total = 0;
    for (int k = 0; k < 8; ++k) total += all[k];
    for (; i < n; ++i) total += a[i] * b[i];
    return total;
}

}  // namespace

void project_group(const ConstraintGroup& group, std::span<double> p) {
    if (group.kind == Kind::contact) {
        p[0] = std::max(0.0, p[0]);
    } else if (group.kind == Kind::friction) {
        // Rounding is let through, so that a solution is a start that does not change.
        const Vec3d q = project_to_cone({p[0], p[1], p[2]}, group.mu * (1 + 1e-14));
        for (int i = 0; i < 3; ++i) p[i] = q[i];
    } else if (group.kind == Kind::limited) {
        p[0] = std::clamp(p[0], -group.limit, group.limit);
    }
}

double group_residual(const ConstraintGroup& group, double d, std::span<const double> p,
                      std::span<const double> u) {
    switch (group.kind) {
        case Kind::bilateral: {
            double sum = 0;
            for (Index i = 0; i < group.n_rows; ++i) sum += u[i] * u[i];
            return std::sqrt(sum);
        }
        case Kind::contact:
            // Written so that a NaN stays one.
            return std::abs(d * p[0] - u[0] > 0 ? u[0] : d * p[0] + 0 * u[0]);
        case Kind::limited: {
            const double q = d * p[0], most = d * group.limit;
            return std::abs(q - std::clamp(q - u[0], -most, most)) + 0 * u[0];
        }
        case Kind::friction: {
            const Vec3d q = d * Vec3d{p[0], p[1], p[2]};
            const Vec3d shifted = de_saxce({u[0], u[1], u[2]}, group.mu);
            const double r = norm(q - project_to_cone(q - shifted, group.mu));
            return r + 0 * shifted.x;
        }
    }
    return 0;
}

double largest(std::span<const double> x) {
    double largest = 0, poison = 0;
    for (const double v : x) {
        largest = std::max(largest, std::abs(v));
        poison += 0 * v;
    }
    return largest + poison;
}

void impulse_response(const DenseMatrix& W, std::span<const double> u_free,
                      std::span<const double> p, std::span<double> u) {
    const Index grain = std::max<Index>(8, (1 << 17) / std::max<Index>(1, W.n()));  // 1 MB of W
    parallel_for(W.n(), grain, [&](Index i) { u[i] = u_free[i] + dot(W.row(i), p); });
}

double mean_diagonal(const DenseMatrix& W, const ConstraintGroup& group) {
    double sum = 0;
    for (Index i = 0; i < group.n_rows; ++i) sum += W(group.row + i, group.row + i);
    return sum / group.n_rows;
}

void check_groups(std::span<const ConstraintGroup> groups, std::size_t n_rows) {
    std::size_t next = 0;
    for (const ConstraintGroup& g : groups) {
        LIMBER_CHECK(g.row == static_cast<Index>(next), "groups cover the rows in order");
        const bool single = g.kind == Kind::contact || g.kind == Kind::limited;
        const bool fits = g.kind == Kind::friction ? g.n_rows == 3
                          : single                 ? g.n_rows == 1
                                                   : g.n_rows >= 1 && g.n_rows <= 3;
        LIMBER_CHECK(fits, "rows of a constraint group");
        LIMBER_CHECK(g.kind != Kind::limited || (g.limit >= 0 && std::isfinite(g.limit)), "limit");
        LIMBER_CHECK(g.kind != Kind::friction || (g.mu >= 0 && std::isfinite(g.mu)), "friction");
        next += g.n_rows;
    }
    LIMBER_CHECK(next == n_rows, "groups cover all rows");
}

void GroupLaws::prepare(const ComplementarityProblem& problem) {
    groups_ = problem.groups;
    laws_.resize(groups_.size());
    parallel_for(size(), 256, [&](Index g) {
        const ConstraintGroup& group = groups_[g];
        Law& law = laws_[g];
        law.d = mean_diagonal(problem.W, group);
        law.block = {};
        for (Index i = 0; i < group.n_rows; ++i)
            for (Index j = 0; j < group.n_rows; ++j)
                law.block(i, j) = problem.W(group.row + i, group.row + j);
        if (group.kind == Kind::friction)
            law.contact = OneContact(law.block, group.mu);
        else if (group.kind == Kind::bilateral)
            law.inverse = pseudo_inverse(law.block);
    });
}

void GroupLaws::solve(Index g, const double* u, double* p, double* dp) const {
    const ConstraintGroup& group = groups_[g];
    const Law& law = laws_[g];
    if (group.kind == Kind::contact) {
        const double w = law.block(0, 0);
        const double next = w > 0 ? std::max(0.0, p[0] - u[0] / w) : 0.0;
        dp[0] = next - p[0];
        p[0] = next;
    } else if (group.kind == Kind::limited) {
        const double w = law.block(0, 0);
        const double next = w > 0 ? std::clamp(p[0] - u[0] / w, -group.limit, group.limit) : 0.0;
        dp[0] = next - p[0];
        p[0] = next;
    } else if (group.kind == Kind::friction) {
        const Vec3d old{p[0], p[1], p[2]};
        const Vec3d next = law.contact.solve(Vec3d{u[0], u[1], u[2]} - law.block * old);
        for (int i = 0; i < 3; ++i) {
            dp[i] = next[i] - old[i];
            p[i] = next[i];
        }
    } else {
        Vec3d v;
        for (Index i = 0; i < group.n_rows; ++i) v[i] = u[i];
        const Vec3d change = law.inverse * v;
        for (Index i = 0; i < group.n_rows; ++i) {
            dp[i] = -change[i];
            p[i] -= change[i];
        }
    }
}

double GroupLaws::residual(std::span<const double> p, std::span<const double> u) const {
    double worst = 0;
    for (Index g = 0; g < size(); ++g) {
        const ConstraintGroup& group = groups_[g];
        const double r = group_residual(group, laws_[g].d, p.subspan(group.row, group.n_rows),
                                        u.subspan(group.row, group.n_rows));
        if (!(r <= worst)) worst = r;
        if (std::isnan(worst)) return worst;
    }
    return worst;
}

SolveStart start_solve(const ComplementarityProblem& problem, const ComplementarityOptions& options,
                       GroupLaws& laws, std::span<double> p, std::vector<double>& u) {
    const std::size_t n = p.size();
    LIMBER_CHECK(problem.u_free.size() == n && problem.W.n() == static_cast<Index>(n),
                 "sizes of a complementarity problem");
    check_groups(problem.groups, n);
    SolveStart start;
    u.resize(n);
    laws.prepare(problem);
    if (!std::isfinite(largest(p))) std::fill(p.begin(), p.end(), 0.0);
    for (const ConstraintGroup& g : problem.groups) project_group(g, p.subspan(g.row, g.n_rows));
    start.scale = largest(problem.u_free);
    impulse_response(problem.W, problem.u_free, p, u);
    const double residual = laws.residual(p, u);
    if (!std::isfinite(start.scale) || !std::isfinite(residual)) {
        std::fill(p.begin(), p.end(), 0.0);
        start.done = true;
        start.stats = {0, 1, false};
    } else if (start.scale == 0) {  // nothing to do, and nothing to be relative to
        std::fill(p.begin(), p.end(), 0.0);
        start.done = true;
        start.stats = {0, 0, true};
    } else {
        start.stats = {0, residual / start.scale, residual <= options.tolerance * start.scale};
        start.done = start.stats.converged || options.max_iterations <= 0;
    }
    return start;
}

}  // namespace limber

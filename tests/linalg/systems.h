// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small block systems with known properties, and their dense twins.

// GCC 12 takes the deliberately undefined register of its own AVX-512 intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Dense>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "limber/core/distance.h"
#include "limber/linalg/block_csr.h"

namespace limber::test {

using Vectors = std::vector<Vec3d>;

inline double dot_all(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
    return sum;
}

inline double norm_all(std::span<const Vec3d> a) {
    return std::sqrt(dot_all(a, a));
}

inline Vectors random_vectors(Index n, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    Vectors out(n);
    for (Vec3d& v : out) v = {number(engine), number(engine), number(engine)};
    return out;
}

inline BlockCsr matrix_with(const std::vector<std::set<Index>>& neighbours) {
    std::vector<Index> row_begin{0}, column;
    for (const std::set<Index>& row : neighbours) {
        column.insert(column.end(), row.begin(), row.end());
        row_begin.push_back(static_cast<Index>(column.size()));
    }
    return {row_begin, column};
}

/// Symmetric, random pattern and blocks; each diagonal block dominates its row (Gershgorin), so the
/// matrix is positive definite.
inline BlockCsr random_spd(Index n, int couplings, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::uniform_int_distribution<Index> node(0, std::max<Index>(n - 1, 0));
    std::vector<std::set<Index>> pattern(n);
    for (Index i = 0; i < n; ++i) pattern[i].insert(i);
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < couplings; ++k) {
            const Index j = node(engine);
            pattern[i].insert(j);
            pattern[j].insert(i);
        }
    BlockCsr A = matrix_with(pattern);
    for (Index i = 0; i < n; ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
            const Index j = A.column()[k];
            if (j > i) continue;
            Mat3d B;
            for (double& entry : B.a) entry = number(engine);
            if (j == i) B = B + transpose(B);
            A.blocks()[k] = B;
            A.blocks()[A.find(j, i)] = transpose(B);
        }
    for (Index i = 0; i < n; ++i) {
        double row_sum = 0;
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            row_sum += 3 * max_abs(A.blocks()[k]);
        A.blocks()[A.diagonal_position(i)] += (row_sum + 0.1) * Mat3d::identity();
    }
    return A;
}

/// Nodes of a Kuhn grid (six tets a cell) couple with 14 neighbours and themselves.
inline std::vector<std::set<Index>> kuhn_pattern(Index nx, Index ny, Index nz) {
    constexpr std::array<std::array<int, 3>, 7> offsets{
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
    std::vector<std::set<Index>> pattern(nx * ny * nz);
    const auto id = [&](Index x, Index y, Index z) { return x + nx * (y + ny * z); };
    for (Index z = 0; z < nz; ++z)
        for (Index y = 0; y < ny; ++y)
            for (Index x = 0; x < nx; ++x) {
                pattern[id(x, y, z)].insert(id(x, y, z));
                for (const auto& d : offsets) {
                    if (x + d[0] >= nx || y + d[1] >= ny || z + d[2] >= nz) continue;
                    const Index i = id(x, y, z), j = id(x + d[0], y + d[1], z + d[2]);
                    pattern[i].insert(j);
                    pattern[j].insert(i);
                }
            }
    return pattern;
}

/// mass I + stiffness Σ_edges of a 3x3 block that couples the axes, as elasticity does. Positive
/// definite for mass > 0; its condition grows with stiffness / mass.
inline BlockCsr laplacian(Index nx, Index ny, Index nz, double mass, double stiffness) {
    BlockCsr A = matrix_with(kuhn_pattern(nx, ny, nz));
    for (Index i = 0; i < A.n_nodes(); ++i) {
        Mat3d sum = mass * (1 + 0.5 * (i % 3)) * Mat3d::identity();
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k) {
            const Index j = A.column()[k];
            if (j == i) continue;
            const double t = 0.7 * (i + j);
            const Vec3d d{std::cos(t), std::sin(t), 0.5};
            const Mat3d B = stiffness * (0.2 * Mat3d::identity() + outer(d, d));
            A.blocks()[k] = -1.0 * B;
            sum += B;
        }
        A.blocks()[A.diagonal_position(i)] = sum;
    }
    return A;
}

inline Eigen::MatrixXd dense(const BlockCsr& A) {
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * A.n_nodes(), 3 * A.n_nodes());
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    D(3 * i + r, 3 * A.column()[k] + c) = A.blocks()[k](r, c);
    return D;
}

inline Eigen::VectorXd dense(std::span<const Vec3d> v) {
    Eigen::VectorXd d(3 * std::ssize(v));
    for (Eigen::Index i = 0; i < d.size(); ++i) d[i] = v[i / 3][static_cast<int>(i % 3)];
    return d;
}

/// The solution of A x = b with the masked entries of x kept, by a dense reduced system.
inline Vectors reduced_solution(const BlockCsr& A, std::span<const Vec3d> b,
                                std::span<const Vec3d> free, std::span<const Vec3d> x) {
    const Eigen::MatrixXd D = dense(A);
    std::vector<Eigen::Index> unknown;
    Eigen::VectorXd fixed = dense(x);
    for (Eigen::Index i = 0; i < fixed.size(); ++i)
        if (free.empty() || free[i / 3][static_cast<int>(i % 3)] == 1) {
            unknown.push_back(i);
            fixed[i] = 0;
        }
    const Eigen::VectorXd r = dense(b) - D * fixed;
    const Eigen::VectorXd y = Eigen::MatrixXd(D(unknown, unknown)).ldlt().solve(r(unknown).eval());
    Vectors out(x.begin(), x.end());
    for (std::size_t k = 0; k < unknown.size(); ++k)
        out[unknown[k] / 3][static_cast<int>(unknown[k] % 3)] = y[static_cast<Eigen::Index>(k)];
    return out;
}

/// Every seventh node prescribed whole, every fifth along one axis.
inline Vectors some_prescribed(Index n) {
    Vectors free(n, Vec3d{1, 1, 1});
    for (Index i = 0; i < n; i += 7) free[i] = {0, 0, 0};
    for (Index i = 1; i < n; i += 5) free[i][i % 3] = 0;
    return free;
}

using limber::distance;

}  // namespace limber::test

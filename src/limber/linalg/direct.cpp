// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/direct.h"

// GCC 12 takes the deliberately undefined register of its own AVX-512 intrinsics for a mistake.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "limber/core/check.h"

namespace limber {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Ordering = Eigen::AMDOrdering<int>;

template <EigenFactorKind kind>
struct EigenSolverOf;
template <>
struct EigenSolverOf<EigenFactorKind::ldlt> {
    using Type = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Ordering>;
};
template <>
struct EigenSolverOf<EigenFactorKind::cholesky> {
    using Type = Eigen::SimplicialLLT<Matrix, Eigen::Lower, Ordering>;
};
template <>
struct EigenSolverOf<EigenFactorKind::lu> {
    using Type = Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>>;
};

}  // namespace

template <EigenFactorKind kind>
struct EigenFactor<kind>::Factor {
    std::vector<Index> row_begin, column;  // pattern and mask the analysis belongs to
    std::vector<Vec3d> free;
    std::vector<Index> unknown;        // per degree of freedom: its row in `matrix`, -1: fixed
    std::vector<Index> dof;            // per unknown: 3 node + axis
    std::vector<std::int64_t> source;  // per entry of `matrix`: where it lies in A's blocks
    Matrix matrix;                     // the free part of A, its lower triangle but for LU
    typename EigenSolverOf<kind>::Type eigen;
    bool analysed = false, factorised = false;
    std::vector<Vec3d> trial, product;  // scratch of solve()
    Eigen::VectorXd right, solution;

    bool belongs_to(const BlockCsr& A, FreeMask mask) const;
    void analyse(const BlockCsr& A, FreeMask mask);
    void number_unknowns(Index n_nodes);
    Index first_bad_unknown() const;
    double residual_norm(const BlockCsr& A, std::span<const Vec3d> b);
};

template <EigenFactorKind kind>
EigenFactor<kind>::EigenFactor() : factor_(std::make_unique<Factor>()) {}
template <EigenFactorKind kind>
EigenFactor<kind>::~EigenFactor() = default;

template <EigenFactorKind kind>
bool EigenFactor<kind>::Factor::belongs_to(const BlockCsr& A, FreeMask mask) const {
    return analysed && std::ranges::equal(A.row_begin(), row_begin) &&
           std::ranges::equal(A.column(), column) && std::ranges::equal(mask, free);
}

template <EigenFactorKind kind>
void EigenFactor<kind>::Factor::number_unknowns(Index n_nodes) {
    unknown.assign(3 * static_cast<std::size_t>(n_nodes), -1);
    dof.clear();
    for (Index i = 0; i < 3 * n_nodes; ++i) {
        if (!free.empty() && free[i / 3][i % 3] == 0) continue;
        unknown[i] = static_cast<Index>(dof.size());
        dof.push_back(i);
    }
}

/// Column j of the lower triangle is row j of the upper one: A is symmetric and stored whole. LU
/// takes whole columns, from the blocks on the other side of the diagonal.
template <EigenFactorKind kind>
void EigenFactor<kind>::Factor::analyse(const BlockCsr& A, FreeMask mask) {
    row_begin.assign(A.row_begin().begin(), A.row_begin().end());
    column.assign(A.column().begin(), A.column().end());
    free.assign(mask.begin(), mask.end());
    number_unknowns(A.n_nodes());
    const auto n = static_cast<Index>(dof.size());
    constexpr bool whole = kind == EigenFactorKind::lu;
    std::vector<int> inner;
    source.clear();
    matrix.resize(n, n);
    for (Index j = 0; j < n; ++j) {
        matrix.outerIndexPtr()[j] = static_cast<int>(inner.size());
        const Index node = dof[j] / 3, axis = dof[j] % 3;
        for (Index k = row_begin[node]; k < row_begin[node + 1]; ++k) {
            const std::int64_t mirror = whole ? A.find(column[k], node) : k;
            LIMBER_CHECK(mirror >= 0, "the pattern is symmetric");
            for (Index other = 0; other < 3; ++other) {
                const Index i = unknown[3 * column[k] + other];
                if (i < (whole ? 0 : j)) continue;
                inner.push_back(i);
                source.push_back(9 * mirror + (whole ? other + 3 * axis : axis + 3 * other));
            }
        }
    }
    matrix.outerIndexPtr()[n] = static_cast<int>(inner.size());
    matrix.resizeNonZeros(static_cast<Eigen::Index>(inner.size()));
    std::ranges::copy(inner, matrix.innerIndexPtr());
    std::fill_n(matrix.valuePtr(), inner.size(), 0.0);
    if (n > 0) eigen.analyzePattern(matrix);
    analysed = true;
}

/// The first pivot in elimination order that is not positive, as an unknown of `matrix`; -1: none.
template <EigenFactorKind kind>
Index EigenFactor<kind>::Factor::first_bad_unknown() const {
    if constexpr (kind == EigenFactorKind::ldlt) {
        const auto pivots = eigen.vectorD();
        for (Eigen::Index k = 0; k < pivots.size(); ++k)
            if (!(pivots[k] > 0 && std::isfinite(pivots[k])))
                return eigen.permutationPinv().size() ? eigen.permutationPinv().indices()[k]
                                                      : static_cast<Index>(k);
    }
    return -1;
}

template <EigenFactorKind kind>
SolveStats EigenFactor<kind>::factorize(const BlockCsr& A, FreeMask free, Index* bad_node) {
    LIMBER_CHECK(free.empty() || std::ssize(free) == A.n_nodes(), "the mask has one entry a node");
    Factor& f = *factor_;
    if (!f.belongs_to(A, free)) f.analyse(A, free);
    f.factorised = false;
    if (bad_node) *bad_node = -1;
    SolveStats stats;
    stats.status = SolveStatus::direct;
    if (!f.dof.empty()) {
        const double* entries = A.blocks().data()->a;
        bool finite = true;
        for (std::size_t k = 0; k < f.source.size(); ++k) {
            f.matrix.valuePtr()[k] = entries[f.source[k]];
            finite = finite && std::isfinite(entries[f.source[k]]);
        }
        if (!finite) {
            stats.status = SolveStatus::not_finite;
            return stats;
        }
        f.eigen.factorize(f.matrix);
        const Index bad = f.first_bad_unknown();
        if (bad >= 0 || f.eigen.info() != Eigen::Success) {
            stats.status = SolveStatus::indefinite;
            if (bad_node && bad >= 0) *bad_node = f.dof[bad] / 3;
            return stats;
        }
    }
    f.factorised = true;
    return stats;
}

/// |b - A x| over the free degrees of freedom for x = trial.
template <EigenFactorKind kind>
double EigenFactor<kind>::Factor::residual_norm(const BlockCsr& A, std::span<const Vec3d> b) {
    A.apply(trial, product);
    double sum = 0;
    for (const Index d : dof) {
        const double r = b[d / 3][d % 3] - product[d / 3][d % 3];
        sum += r * r;
    }
    return std::sqrt(sum);
}

template <EigenFactorKind kind>
SolveStats EigenFactor<kind>::solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                                    double b_norm, std::span<Vec3d> x) {
    Factor& f = *factor_;
    LIMBER_CHECK(f.factorised, "factorize() succeeded before solve()");
    LIMBER_CHECK(std::ssize(x) == A.n_nodes() && std::ssize(b) == A.n_nodes(),
                 "x and b have one entry a node");
    LIMBER_CHECK(std::ranges::equal(free, f.free), "the mask is the factor's");
    f.trial.assign(x.begin(), x.end());
    f.product.resize(x.size());
    for (const Index d : f.dof) f.trial[d / 3][d % 3] = 0;
    const double start = f.residual_norm(A, b);
    f.right.resize(std::ssize(f.dof));
    for (std::size_t k = 0; k < f.dof.size(); ++k) {
        const Index d = f.dof[k];
        f.right[k] = b[d / 3][d % 3] - f.product[d / 3][d % 3];
    }
    if (!f.dof.empty()) f.solution = f.eigen.solve(f.right);
    for (std::size_t k = 0; k < f.dof.size(); ++k)
        f.trial[f.dof[k] / 3][f.dof[k] % 3] = f.solution[k];

    SolveStats stats;
    stats.status = SolveStatus::direct;
    stats.absolute_residual = f.residual_norm(A, b);
    const double reference = b_norm > 0 ? b_norm : start;
    stats.residual = reference > 0 ? stats.absolute_residual / reference : 0;
    if (!std::isfinite(stats.absolute_residual)) {
        stats.status = SolveStatus::not_finite;
        return stats;
    }
    std::ranges::copy(f.trial, x.begin());
    return stats;
}

template class EigenFactor<EigenFactorKind::ldlt>;
template class EigenFactor<EigenFactorKind::cholesky>;
template class EigenFactor<EigenFactorKind::lu>;

}  // namespace limber

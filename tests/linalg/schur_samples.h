// SPDX-License-Identifier: Apache-2.0
#pragma once

// Constraints and their Schur complement by dense algebra.

#include "limber/linalg/schur/compliance.h"
#include "linalg/systems.h"

namespace limber::test {

/// Contacts of three rows on 1 to 8 nodes each, taken from [begin, end); a node may come twice.
inline void add_contacts(Index n_contacts, Index begin, Index end, unsigned seed,
                         ConstraintRows& H) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    std::uniform_int_distribution<Index> node(begin, end - 1), count(1, 8);
    for (Index k = 0; k < n_contacts; ++k) {
        std::vector<Index> nodes(count(engine));
        for (Index& i : nodes) i = node(engine);
        for (int row = 0; row < 3; ++row) {
            for (Index i : nodes) H.add(i, {number(engine), number(engine), number(engine)});
            H.end_row();
        }
    }
}

inline Eigen::MatrixXd dense(const ConstraintRows& H, Index n_nodes) {
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(H.n_rows(), 3 * n_nodes);
    for (Index r = 0; r < H.n_rows(); ++r)
        for (const auto& e : H.row(r))
            for (int axis = 0; axis < 3; ++axis) D(r, 3 * e.node + axis) += e.gradient[axis];
    return D;
}

template <class T>
Eigen::MatrixXd dense(const DenseMatrixOf<T>& W) {
    Eigen::MatrixXd D(W.n(), W.n());
    for (Index i = 0; i < W.n(); ++i)
        for (Index j = 0; j < W.n(); ++j) D(i, j) = static_cast<double>(W(i, j));
    return D;
}

/// A⁻¹ on the free degrees of freedom, 0 elsewhere.
inline Eigen::MatrixXd free_inverse(const BlockCsr& A, std::span<const Vec3d> free) {
    const Eigen::MatrixXd D = dense(A);
    std::vector<Eigen::Index> unknown;
    for (Eigen::Index i = 0; i < D.rows(); ++i)
        if (free.empty() || free[i / 3][static_cast<int>(i % 3)] != 0) unknown.push_back(i);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(D.rows(), D.cols());
    const Eigen::MatrixXd inverse =
        Eigen::MatrixXd(D(unknown, unknown))
            .llt()
            .solve(Eigen::MatrixXd::Identity(std::ssize(unknown), std::ssize(unknown)));
    for (std::size_t i = 0; i < unknown.size(); ++i)
        for (std::size_t j = 0; j < unknown.size(); ++j)
            out(unknown[i], unknown[j]) =
                inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    return out;
}

/// Bodies side by side that nothing couples.
inline BlockCsr apart(const std::vector<BlockCsr>& bodies) {
    std::vector<std::set<Index>> pattern;
    for (const BlockCsr& A : bodies) {
        const auto first = static_cast<Index>(pattern.size());
        for (Index i = 0; i < A.n_nodes(); ++i) {
            pattern.emplace_back();
            for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
                pattern.back().insert(first + A.column()[k]);
        }
    }
    BlockCsr out = matrix_with(pattern);
    std::size_t block = 0;
    for (const BlockCsr& A : bodies)
        for (const Mat3d& B : A.blocks()) out.blocks()[block++] = B;
    return out;
}

inline std::vector<Index> range_of(Index begin, Index end) {
    std::vector<Index> out;
    for (Index i = begin; i < end; ++i) out.push_back(i);
    return out;
}

}  // namespace limber::test

// SPDX-License-Identifier: Apache-2.0
// GCC 12 takes the undefined lanes of AVX-512 intrinsics for uninitialised variables.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "limber/linalg/schur/schur.h"

#include <gtest/gtest.h>

#include "limber/core/parallel.h"
#include "linalg/fem_systems.h"
#include "linalg/schur_samples.h"

namespace limber {
namespace {

using namespace test;

// Condition numbers here are below 1e5: in double that many roundings stay below what all methods
// are asked to agree to; in float they are 100 cond eps at most, and far less on average.
template <class T>
constexpr double agreement = std::is_same_v<T, double> ? 1e-10 : 5e-3;

template <class T>
class EverySchur : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EverySchur, Scalars);

struct Case {
    BlockCsr A;
    Vectors free;
};

std::vector<Case> cases() {
    std::vector<Case> out;
    const FemSystem bar = bar_system(3, 1e-2, 50);
    out.push_back({bar.A, bar.free});
    out.push_back({laplacian(6, 7, 8, 1, 50), some_prescribed(336)});
    out.push_back({laplacian(1, 1, 1, 1, 1), {}});
    out.push_back({random_spd(60, 4, 1), {}});
    out.push_back({apart({laplacian(5, 5, 5, 1, 50), random_spd(30, 3, 2), laplacian(4, 4, 9, 2, 9),
                          laplacian(1, 1, 1, 1, 1)}),
                   some_prescribed(125 + 30 + 144 + 1)});
    return out;
}

TYPED_TEST(EverySchur, gives_one_answer_by_every_method) {
    for (const auto& [A, free] : cases()) {
        const Index n = A.n_nodes();
        ConstraintRows H;
        add_contacts(11, 0, std::max<Index>(1, n / 6), 3, H);
        add_contacts(20, 0, n, 4, H);
        H.end_row();  // a constraint that sees nothing
        const Eigen::MatrixXd D = dense(H, n), expected = D * free_inverse(A, free) * D.transpose();
        SupernodalCholesky<TypeParam> factor;
        ASSERT_EQ(factor.factorize(A, free).status, SolveStatus::direct);
        FactorCompliance<TypeParam> compliance(factor);
        Delassus delassus;
        DenseMatrix W;
        for (SchurMethod method :
             {SchurMethod::columns, SchurMethod::blocked, SchurMethod::isolated}) {
            delassus.build(H, compliance, W, method);
            EXPECT_LT((dense(W) - expected).norm(), agreement<TypeParam> * expected.norm())
                << enum_names(method)[static_cast<int>(method)] << ", " << n << " nodes";
            EXPECT_EQ(dense(W), dense(W).transpose());
        }
        PartialCompliance partial(A, free);
        delassus.build(H, partial, W, SchurMethod::partial);
        EXPECT_LT((dense(W) - expected).norm(), 1e-10 * expected.norm());
        DenseMatrixF single;
        delassus.build(H, compliance, single);
        EXPECT_LT((dense(single) - expected).norm(), agreement<float> * expected.norm());

        UnbuiltDelassus unbuilt(H, compliance);
        std::vector<double> y(H.n_rows()), z(y.size());
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = std::cos(static_cast<double>(k));
        const Eigen::Map<Eigen::VectorXd> y_(y.data(), std::ssize(y)), z_(z.data(), std::ssize(z));
        for (bool whole : {false, true}) {
            unbuilt.apply(y, z, whole);
            EXPECT_LT((z_ - expected * y_).norm(),
                      agreement<TypeParam> * expected.norm() * y_.norm());
        }
    }
}

TEST(Schur, agrees_to_the_condition_of_stiff_bodies) {
    const FemSystem bar = bar_system(3, 1, 1e4);  // cond(A) near 1e12 by h² E / m
    const auto& [A, b, free, positions] = bar;
    const Eigen::MatrixXd D = dense(A);
    const Eigen::VectorXd values = D.selfadjointView<Eigen::Lower>().eigenvalues();
    const double cond = values.maxCoeff() / values.minCoeff();
    ConstraintRows H;
    add_contacts(20, 0, A.n_nodes(), 4, H);
    SupernodalCholesky<double> factor;
    ASSERT_EQ(factor.factorize(A, free).status, SolveStatus::direct);
    FactorCompliance<double> compliance(factor);
    PartialCompliance partial(A, free);
    Delassus delassus;
    DenseMatrix columns, isolated, last;
    delassus.build(H, compliance, columns, SchurMethod::columns);
    delassus.build(H, compliance, isolated);
    delassus.build(H, partial, last);
    const double tolerance = 100 * cond * 2.3e-16 * dense(columns).norm();
    EXPECT_LT((dense(isolated) - dense(columns)).norm(), tolerance);
    EXPECT_LT((dense(last) - dense(columns)).norm(), tolerance);
}

TYPED_TEST(EverySchur, takes_constraints_on_no_node) {
    const BlockCsr A = laplacian(3, 3, 3, 1, 5);
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    FactorCompliance<TypeParam> compliance(factor);
    ConstraintRows H;
    DenseMatrix W;
    Delassus delassus;
    for (SchurMethod method : {SchurMethod::columns, SchurMethod::blocked, SchurMethod::isolated}) {
        delassus.build(H, compliance, W, method);
        EXPECT_EQ(W.n(), 0);
    }
    H.end_row();
    delassus.build(H, compliance, W);
    EXPECT_EQ(W.n(), 1);
    EXPECT_EQ(W(0, 0), 0);
}

TYPED_TEST(EverySchur, has_the_same_bits_for_any_number_of_threads) {
    const BlockCsr A = apart({laplacian(12, 9, 10, 1, 50), laplacian(6, 6, 6, 1, 20)});
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    ConstraintRows H;
    add_contacts(120, 0, A.n_nodes(), 5, H);
    DenseMatrix one, many;
    for (int threads : {1, 2, 3}) {
        const ThreadLimit limit(threads);
        FactorCompliance<TypeParam> compliance(factor);
        Delassus().build(H, compliance, threads == 1 ? one : many);
        EXPECT_EQ(dense(one), dense(threads == 1 ? one : many));
    }
}

TYPED_TEST(EverySchur, turns_with_the_nodes) {
    const BlockCsr A = laplacian(6, 6, 6, 1, 20);
    const Index n = A.n_nodes();
    SupernodalCholesky<TypeParam> factor;
    factor.factorize(A, {});
    std::vector<Mat3d> R(n);
    for (Index i = 0; i < n; ++i) {
        const double t = 0.1 * i;  // about z, then about x
        Mat3d Z = Mat3d::identity(), X = Mat3d::identity();
        Z(0, 0) = Z(1, 1) = X(1, 1) = X(2, 2) = std::cos(t);
        Z(1, 0) = X(2, 1) = std::sin(t);
        Z(0, 1) = X(1, 2) = -std::sin(t);
        R[i] = X * Z;
    }
    FactorCompliance<TypeParam> plain(factor), turned(factor);
    turned.set_rotations(R);
    const std::vector<Index> nodes{3, 4, 50, 77, 140, 215};
    DenseMatrix W, rotated;
    plain.between(nodes, W);
    turned.between(nodes, rotated);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            Mat3d B, B_turned;
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) {
                    const auto r = static_cast<Index>(3 * i + a), c = static_cast<Index>(3 * j + b);
                    B(a, b) = W(r, c);
                    B_turned(a, b) = rotated(r, c);
                }
            const Mat3d expected = R[nodes[i]] * B * transpose(R[nodes[j]]);
            EXPECT_LT(max_abs(B_turned - expected), 1e-14 * max_abs(expected) + 1e-16);
        }
    // The same operator in apply(), apply_many() and along paths.
    const Vectors f = random_vectors(2 * n, 8);
    Vectors v(n), many(2 * n), at(nodes.size()), f_at(nodes.size());
    turned.apply(std::span(f).first(n), v);
    turned.apply_many(2, f, many);
    EXPECT_LT(distance(v, std::span(many).first(n)), agreement<TypeParam> * norm_all(v));
    Vectors sparse(n);
    for (std::size_t k = 0; k < nodes.size(); ++k) sparse[nodes[k]] = f_at[k] = f[k];
    turned.apply(sparse, v);
    turned.apply_between(nodes, f_at, at);
    Eigen::VectorXd expected = dense(rotated) * dense(f_at);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        EXPECT_LT(norm(at[k] - v[nodes[k]]), agreement<TypeParam> * norm_all(v));
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(at[k][axis], expected[3 * static_cast<Index>(k) + axis],
                        agreement<TypeParam> * norm_all(v));
    }
}

TEST(NodesOrderedLast, are_eliminated_after_all_others) {
    const BlockCsr A = laplacian(7, 7, 7, 1, 20);
    const std::vector<Index> last{0, 1, 2, 100, 200, 342};
    SupernodalOptions options;
    options.last = last;
    const SupernodalStructure t = analyze_pattern(A, options);
    for (Index node : last) EXPECT_GE(t.position[node], A.n_nodes() - std::ssize(last));
    SupernodalCholesky<double> factor(options), usual;
    factor.factorize(A, {});
    usual.factorize(A, {});
    const Vectors b = random_vectors(A.n_nodes(), 3);
    Vectors x(b.size()), y(b.size());
    factor.solve(b, x);
    usual.solve(b, y);
    EXPECT_LT(distance(x, y), 1e-11 * norm_all(y));
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/assembly.h"

#include <gtest/gtest.h>

#include "fem/fem_samples.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using namespace testing_fem;

CorotationCache rotations_at(const ElementSet& elements, std::span<const Vec3d> x) {
    CorotationCache rotations;
    rotations.reset(elements);
    ElementForces scratch;
    std::vector<Vec3d> f(elements.n_nodes);
    update_rotations_and_forces(elements, x, {RotationKind::svd, 0}, rotations, scratch, f);
    return rotations;
}

BlockCsr assembled(const ElementSet& elements, const CorotationCache& rotations,
                   const SystemCoefficients& coefficients) {
    SystemAssembler assembler(elements);
    BlockCsr A = assembler.make_matrix();
    assembler.assemble(coefficients, rotations, A);
    return A;
}

Eigen::MatrixXd dense(const BlockCsr& A) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(3 * A.n_nodes(), 3 * A.n_nodes());
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            out.block<3, 3>(3 * i, 3 * A.column()[k]) = to_eigen(A.blocks()[k]);
    return out;
}

/// K alone: h = 1, no damping, no mass.
Eigen::MatrixXd stiffness(const ElementSet& elements, std::span<const Vec3d> x) {
    const std::vector<double> none(elements.n_nodes, 0.0);
    return dense(assembled(elements, rotations_at(elements, x), {1, false, none}));
}

/// Element by element from the frozen Hessian: V Bᵀ H B with B = ∂vec(F)/∂x.
Eigen::MatrixXd reference(const MixedBody& body, const CorotationCache& rotations, double h,
                          bool consistent_mass, std::span<const double> lumped) {
    const Index n = body.mesh.n_nodes();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    for (Index t = 0; t < body.mesh.n_tets(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        const Material& material = body.materials[body.tet_material[t]];
        const Vec3d x0 = body.mesh.nodes[tet[0]];
        const Mat3d Dm =
            Mat3d::from_columns(body.mesh.nodes[tet[1]] - x0, body.mesh.nodes[tet[2]] - x0,
                                body.mesh.nodes[tet[3]] - x0);
        const double V = determinant(Dm) / 6;
        Mat3d R;
        for (int i = 0; i < 9; ++i) R.a[i] = rotations.element[t / 8].R[i][t % 8];
        const CorotatedElastic law = CorotatedElastic::from(small_strain(material));
        const Mat9d H = law.hessian_frozen(R);
        Eigen::Matrix<double, 9, 12> B = Eigen::Matrix<double, 9, 12>::Zero();
        const Mat3d Dm_inv = inverse(Dm);
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                for (int a = 0; a < 3; ++a) {
                    B(i + 3 * j, 3 * (a + 1) + i) += Dm_inv(a, j);
                    B(i + 3 * j, i) -= Dm_inv(a, j);
                }
        const Eigen::Matrix<double, 12, 12> K =
            V * B.transpose() * Eigen::Map<const Eigen::Matrix<double, 9, 9>>(H.a) * B;
        const double m = material.density * V / 20 * (1 + h * material.damping_mass);
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b) {
                auto block = A.block<3, 3>(3 * tet[a], 3 * tet[b]);
                block += (h * h + h * material.damping_stiffness) * K.block<3, 3>(3 * a, 3 * b);
                if (consistent_mass) block += m * (a == b ? 2 : 1) * Eigen::Matrix3d::Identity();
            }
    }
    if (!consistent_mass)
        for (Index i = 0; i < n; ++i)
            A.block<3, 3>(3 * i, 3 * i) += lumped[i] * Eigen::Matrix3d::Identity();
    return A;
}

std::vector<double> damped_mass(const ElementSet& elements, double h) {
    std::vector<double> mass = lumped_mass(elements);
    const std::vector<double> damping = lumped_mass_damping(elements);
    for (std::size_t i = 0; i < mass.size(); ++i) mass[i] += h * damping[i];
    return mass;
}

int n_zero_eigenvalues(const Eigen::MatrixXd& K) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, Eigen::EigenvaluesOnly);
    const double largest = eigen.eigenvalues().maxCoeff();
    EXPECT_GT(eigen.eigenvalues().minCoeff(), -1e-12 * largest);
    return static_cast<int>((eigen.eigenvalues().array() < 1e-10 * largest).count());
}

class EveryMass : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(LumpedAndConsistent, EveryMass, ::testing::Bool());

TEST_P(EveryMass, the_assembled_matrix_is_the_sum_over_the_elements) {
    const MixedBody body;
    const double h = 0.01;
    const std::vector<double> lumped = damped_mass(body.elements, h);
    const CorotationCache rotations = rotations_at(body.elements, deformed(body.mesh, 0.03, 50));
    const BlockCsr A = assembled(body.elements, rotations,
                                 {h, GetParam(), GetParam() ? std::span<const double>() : lumped});
    const Eigen::MatrixXd expected = reference(body, rotations, h, GetParam(), lumped);
    EXPECT_LT((dense(A) - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

TEST_P(EveryMass, materials_with_one_ratio_of_lame_parameters_are_summed_as_well) {
    const MixedBody body(LinearElastic{1.5e5, 3.5e5});  // λ/μ of rubber()
    const double h = 0.01;
    const std::vector<double> lumped = damped_mass(body.elements, h);
    const CorotationCache rotations = rotations_at(body.elements, deformed(body.mesh, 0.03, 55));
    const BlockCsr A = assembled(body.elements, rotations,
                                 {h, GetParam(), GetParam() ? std::span<const double>() : lumped});
    const Eigen::MatrixXd expected = reference(body, rotations, h, GetParam(), lumped);
    EXPECT_LT((dense(A) - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

TEST_P(EveryMass, the_operator_without_a_matrix_gives_the_same_products) {
    const MixedBody body;
    const double h = 0.02;
    const std::vector<double> lumped = damped_mass(body.elements, h);
    const SystemCoefficients coefficients{h, GetParam(),
                                          GetParam() ? std::span<const double>() : lumped};
    const CorotationCache rotations = rotations_at(body.elements, deformed(body.mesh, 0.03, 51));
    const BlockCsr A = assembled(body.elements, rotations, coefficients);
    CorotationalOperator op(body.elements);
    op.set(coefficients, rotations);
    Random random(52);
    std::vector<Vec3d> x(A.n_nodes()), y(A.n_nodes()), expected(A.n_nodes());
    for (Vec3d& p : x) p = {random.normal(), random.normal(), random.normal()};
    const double xAx = A.apply(x, expected), got = op.apply(x, y);
    double scale = 0;
    for (const Vec3d& v : expected) scale = std::fmax(scale, norm(v));
    EXPECT_NEAR(got, xAx, 1e-12 * xAx);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LT(norm(y[i] - expected[i]), 1e-12 * scale);

    std::vector<Mat3d> blocks(A.n_nodes()), diagonal(A.n_nodes());
    op.diagonal(blocks);
    A.diagonal(diagonal);
    for (std::size_t i = 0; i < y.size(); ++i)
        EXPECT_LT(max_abs(blocks[i] - diagonal[i]), 1e-12 * max_abs(diagonal[i]));
}

TEST(Assembly, follows_a_change_of_step_and_of_mass) {
    const MixedBody body;
    const CorotationCache rotations = rotations_at(body.elements, deformed(body.mesh, 0.03, 53));
    SystemAssembler assembler(body.elements);
    BlockCsr A = assembler.make_matrix();
    for (const double h : {0.01, 0.002, 0.01})
        for (const bool consistent : {false, true, false}) {
            const std::vector<double> lumped = damped_mass(body.elements, h);
            assembler.assemble({h, consistent, consistent ? std::span<const double>() : lumped},
                               rotations, A);
            const Eigen::MatrixXd expected = reference(body, rotations, h, consistent, lumped);
            EXPECT_LT((dense(A) - expected).cwiseAbs().maxCoeff(),
                      1e-12 * expected.cwiseAbs().maxCoeff());
        }
}

TEST(Assembly, is_symmetric) {
    const MixedBody body;
    const Eigen::MatrixXd K = stiffness(body.elements, deformed(body.mesh, 0.03, 54));
    EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-12 * K.cwiseAbs().maxCoeff());
}

TEST(Assembly, a_free_body_has_exactly_six_zero_modes) {
    for (const TetMesh& mesh : {make_box({1, 0.7, 1.3}, {2, 2, 2}), single_tet()}) {
        const ElementSet elements = elements_of(mesh);
        EXPECT_EQ(n_zero_eigenvalues(stiffness(elements, mesh.nodes)), 6);
        Random random(55);
        const Mat3d Q = random.rotation();
        std::vector<Vec3d> x;
        for (const Vec3d& p : mesh.nodes) x.push_back(Q * p + Vec3d{3, -1, 2});
        EXPECT_EQ(n_zero_eigenvalues(stiffness(elements, x)), 6);
    }
}

TEST(Assembly, the_linear_law_keeps_its_matrix_when_the_body_turns) {
    const TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    const ElementSet elements = elements_of(mesh, rubber(LinearElastic{3e5, 7e5}));
    std::vector<Vec3d> x;
    for (const Vec3d& p : mesh.nodes) x.push_back(rotation_about({0, 1, 0}, 1) * p);
    EXPECT_EQ(stiffness(elements, x), stiffness(elements, mesh.nodes));
}

TEST(Assembly, and_the_operator_are_the_same_for_any_number_of_threads) {
    const TetMesh mesh = beam();
    Material material = rubber();
    material.damping_stiffness = 0.001;
    const ElementSet elements = elements_of(mesh, material);
    const CorotationCache rotations = rotations_at(elements, deformed(mesh, 0.01, 56));
    const std::vector<double> lumped = damped_mass(elements, 0.01);
    const std::vector<Vec3d> x = deformed(mesh, 0.1, 57);
    std::vector<Mat3d> first_blocks;
    std::vector<Vec3d> first_y;
    double first_product = 0;
    for (const int threads : {1, 2, 4}) {
        ThreadLimit limit(threads);
        const BlockCsr A = assembled(elements, rotations, {0.01, false, lumped});
        const std::vector<Mat3d> blocks(A.blocks().begin(), A.blocks().end());
        CorotationalOperator op(elements);
        op.set({0.01, false, lumped}, rotations);
        std::vector<Vec3d> y(x.size());
        const double product = op.apply(x, y);
        if (threads == 1) {
            first_blocks = blocks;
            first_y = y;
            first_product = product;
            continue;
        }
        EXPECT_EQ(blocks, first_blocks);
        EXPECT_EQ(y, first_y);
        EXPECT_EQ(product, first_product);
    }
}

TEST(Operator, adds_the_extra_diagonal) {
    const TetMesh mesh = single_tet();
    const ElementSet elements = elements_of(mesh);
    CorotationCache rotations;
    rotations.reset(elements);
    const std::vector<double> lumped = lumped_mass(elements);
    CorotationalOperator op(elements);
    op.set({0.01, false, lumped}, rotations);
    const std::vector<Vec3d> x = {{1, 2, 3}, {0, 1, 0}, {2, 0, 1}, {1, 1, 1}};
    std::vector<Vec3d> without(4), with(4);
    op.apply(x, without);
    Random random(58);
    op.extra_diagonal()[2] = random.matrix(1000);
    op.apply(x, with);
    for (int i = 0; i < 4; ++i) {
        const Vec3d extra = op.extra_diagonal()[i] * x[i];
        EXPECT_LT(norm(with[i] - without[i] - extra), 1e-10);
    }
    std::vector<Mat3d> blocks(4);
    op.diagonal(blocks);
    EXPECT_LT(
        max_abs(blocks[2] - op.extra_diagonal()[2] - transpose(blocks[2] - op.extra_diagonal()[2])),
        1e-9);
}

}  // namespace
}  // namespace limber

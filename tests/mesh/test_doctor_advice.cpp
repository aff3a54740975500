// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/advice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "limber/mesh/shapes.h"
#include "mesh/doctor_samples.h"

namespace limber {
namespace {

using Dense = std::vector<std::vector<double>>;

Dense squared(const Dense& A) {
    const std::size_t n = A.size();
    Dense B(n, std::vector<double>(n, 0));
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t j = 0; j < n; ++j) B[i][j] += A[i][k] * A[k][j];
    for (const auto& row : B)
        for (const double b : row) largest = std::max(largest, std::fabs(b));
    for (auto& row : B)
        for (double& b : row) b /= largest;
    return B;
}

/// Of a positive semidefinite matrix: after 40 squarings only the first eigenvector is left, and
/// its Rayleigh quotient is exact to rounding even where the next eigenvalue is near.
double largest_eigenvalue(const Dense& A) {
    Dense P = A;
    for (int i = 0; i < 40; ++i) P = squared(P);
    const std::size_t n = A.size();
    std::size_t column = 0;
    for (std::size_t j = 0; j < n; ++j)
        if (P[j][j] > P[column][column]) column = j;
    double above = 0, below = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double row = 0;
        for (std::size_t j = 0; j < n; ++j) row += A[i][j] * P[j][column];
        above += P[i][column] * row;
        below += P[i][column] * P[i][column];
    }
    return above / below;
}

/// Highest eigenvalue of M⁻¹ K of the whole mesh from dense matrices.
double dense_frequency(const TetMesh& mesh, std::span<const Tet> tets, const Elasticity& e) {
    const double mu = e.young / (2 * (1 + e.poisson)),
                 lambda = e.young * e.poisson / ((1 + e.poisson) * (1 - 2 * e.poisson));
    const auto n = static_cast<std::size_t>(3 * mesh.n_nodes());
    Dense K(n, std::vector<double>(n, 0));
    std::vector<double> mass(n, 0);
    for (const Tet& t : tets) {
        const Vec3d& o = mesh.nodes[t[0]];
        const Mat3d D =
            Mat3d::from_columns(mesh.nodes[t[1]] - o, mesh.nodes[t[2]] - o, mesh.nodes[t[3]] - o);
        const double V = determinant(D) / 6;
        const Mat3d inv = inverse(D);
        Vec3d g[4] = {{}, inv.row(0), inv.row(1), inv.row(2)};
        g[0] = -(g[1] + g[2] + g[3]);
        for (int a = 0; a < 4; ++a)
            for (int i = 0; i < 3; ++i) {
                mass[3 * t[a] + i] += e.density * V / 4;
                for (int b = 0; b < 4; ++b)
                    for (int j = 0; j < 3; ++j)
                        K[3 * t[a] + i][3 * t[b] + j] +=
                            V * (lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j] +
                                 (i == j ? mu * dot(g[a], g[b]) : 0));
            }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) K[i][j] /= std::sqrt(mass[i] * mass[j]);
    return std::sqrt(largest_eigenvalue(K));
}

TEST(DoctorAdvice, the_frequency_of_a_tet_is_its_highest_eigenvalue) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> u(-1, 1), poisson(0, 0.49);
    for (int i = 0; i < 50; ++i) {
        TetMesh mesh = mesh_of({{u(random), u(random), u(random)},
                                {u(random), u(random), u(random)},
                                {u(random), u(random), u(random)},
                                {u(random), u(random), u(random)}},
                               {{0, 1, 2, 3}});
        const MeshCheck check{.material = {3e5, poisson(random), 700}};
        const double found = repair_mesh(mesh, "m", check).stiffness.highest_frequency;
        const double exact = dense_frequency(mesh, mesh.tets, check.material);
        EXPECT_NEAR(found, exact, 1e-9 * exact);  // rounding of 12 x 12, slivers included
    }
}

TEST(DoctorAdvice, the_explicit_step_is_a_safe_and_near_bound) {
    TetMesh mesh = make_box({1, 0.5, 0.5}, {3, 2, 2});
    const MeshReport report = examined(mesh);
    const double exact = dense_frequency(mesh, mesh.tets, {});
    const StiffnessEstimate& e = report.stiffness;
    EXPECT_GE(e.highest_frequency, exact * (1 - 1e-12));
    EXPECT_LE(e.highest_frequency, 2 * exact) << "a bound ten times too high would be useless";
    EXPECT_DOUBLE_EQ(e.explicit_step, 2 / e.highest_frequency);
    EXPECT_NEAR(e.condition, 1 + std::pow(e.highest_frequency / 60, 2), 1e-9 * e.condition);
    EXPECT_GT(e.static_condition, 1);
    EXPECT_DOUBLE_EQ(report.mass, 1000 * report.volume);
}

TEST(DoctorAdvice, the_lowest_frequency_is_that_of_a_cantilever) {
    // Bending: 1.8751² √(E I / (ρ A)) / L². √(E/ρ) is 10 m/s for 1e5 Pa and 1000 kg/m³.
    const MeshReport report =
        examined(make_box({2, 0.1, 0.2}, {10, 1, 1}), {.material = {1e5, 0.3, 1000}});
    const StiffnessEstimate& e = report.stiffness;
    EXPECT_NEAR(e.lowest_frequency, 1.8751 * 1.8751 * 10 * 0.1 / std::sqrt(12.0) / 4, 1e-5);
    EXPECT_NEAR(e.static_condition, std::pow(e.highest_frequency / e.lowest_frequency, 2),
                1e-12 * e.static_condition);
}

TEST(DoctorAdvice, asks_for_the_unit_of_very_large_and_very_small_bodies) {
    const auto remark = [](double scale) {
        TetMesh mesh = make_box({0.5, 1.27, 0.4}, {1, 1, 1});
        for (Vec3d& p : mesh.nodes) p *= scale;
        const MeshReport report = examined(mesh);
        EXPECT_TRUE(report.warnings.empty());
        const Diagnosis* d = finding(report, "Q02");
        return d ? d->text : "";
    };
    EXPECT_EQ(remark(1), "");
    EXPECT_EQ(remark(100),
              "this body is 127 m tall; did you mean millimetres? (in a scene: scale = \"1 mm\")");
    EXPECT_NE(remark(1e-4).find("0.127 mm tall"), std::string::npos);
}

TEST(DoctorAdvice, remarks_on_thin_sheets_and_nearly_flat_tets) {
    const MeshReport sheet = examined(make_box({1, 1, 0.01}, {8, 8, 1}));
    ASSERT_NE(finding(sheet, "Q03"), nullptr);
    EXPECT_NE(finding(sheet, "Q03")->text.find("no nodes inside"), std::string::npos);
    EXPECT_EQ(finding(examined(make_box({1, 0.1, 0.1}, {10, 1, 1})), "Q03"), nullptr);

    TetMesh mesh = mesh_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.6, -1e-4}},
                           {{0, 1, 2, 3}, {0, 2, 1, 4}});
    const MeshReport flat = examined(mesh);
    ASSERT_NE(finding(flat, "Q04"), nullptr);
    EXPECT_EQ(finding(flat, "Q04")->elements, Ids{2});
    EXPECT_EQ(flat.stiffness.stiffest_tet, 2);
    EXPECT_EQ(flat.suggestions.size(), 3u);
}

}  // namespace
}  // namespace limber

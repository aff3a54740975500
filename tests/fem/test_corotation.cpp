// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/corotation.h"

#include <gtest/gtest.h>

#include "fem/fem_samples.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using namespace testing_fem;

constexpr RotationOptions exact{RotationKind::svd, 0};

std::vector<Vec3d> forces_at(const ElementSet& elements, std::span<const Vec3d> x,
                             const RotationOptions& options = exact,
                             CorotationCache* keep = nullptr) {
    CorotationCache rotations;
    rotations.reset(elements);
    ElementForces scratch;
    std::vector<Vec3d> f(elements.n_nodes);
    update_rotations_and_forces(elements, x, options, rotations, scratch, f);
    if (keep) *keep = rotations;
    return f;
}

double energy_at(const ElementSet& elements, std::span<const Vec3d> x) {
    std::vector<double> partial;
    return elastic_energy(elements, x, partial).energy;
}

double largest(std::span<const Vec3d> f) {
    double out = 0;
    for (const Vec3d& v : f) out = std::fmax(out, norm(v));
    return out;
}

Mat3d rotation_of(const CorotationCache& cache, Index tet) {
    Mat3d R;
    for (int i = 0; i < 9; ++i) R.a[i] = cache.element[tet / 8].R[i][tet % 8];
    return R;
}

TEST(Corotation, forces_are_minus_the_gradient_of_the_energy) {
    const MixedBody body;
    std::vector<Vec3d> x = deformed(body.mesh, 0.03, 40);
    const std::vector<Vec3d> f = forces_at(body.elements, x);
    const double eps = 1e-6, scale = largest(f);
    for (std::size_t i = 0; i < x.size(); i += 5)
        for (int c = 0; c < 3; ++c) {
            const double at = x[i][c];
            x[i][c] = at + eps;
            const double plus = energy_at(body.elements, x);
            x[i][c] = at - eps;
            const double minus = energy_at(body.elements, x);
            x[i][c] = at;
            EXPECT_NEAR(f[i][c], -(plus - minus) / (2 * eps), 1e-7 * scale);
        }
}

TEST(Corotation, forces_and_energy_are_the_sum_over_the_laws) {
    const MixedBody body;
    const std::vector<Vec3d> x = deformed(body.mesh, 0.02, 41);
    std::vector<Vec3d> expected(x.size());
    double energy = 0;
    for (Index t = 0; t < body.mesh.n_tets(); ++t) {
        const Tet& n = body.mesh.tets[t];
        const auto edges = [&](std::span<const Vec3d> p) {
            return Mat3d::from_columns(p[n[1]] - p[n[0]], p[n[2]] - p[n[0]], p[n[3]] - p[n[0]]);
        };
        const Mat3d Dm = edges(body.mesh.nodes), F = edges(x) * inverse(Dm);
        const double V = determinant(Dm) / 6;
        std::visit(
            [&](const auto& law) {
                energy += V * law.energy(F);
                const Mat3d f = (-V) * (law.stress(F) * transpose(inverse(Dm)));
                for (int c = 0; c < 3; ++c) {
                    expected[n[c + 1]] += f.col(c);
                    expected[n[0]] -= f.col(c);
                }
            },
            body.materials[body.tet_material[t]].law);
    }
    const std::vector<Vec3d> f = forces_at(body.elements, x);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_LT(norm(f[i] - expected[i]), 1e-12 * largest(expected));
    EXPECT_NEAR(energy_at(body.elements, x), energy, 1e-12 * energy);
}

class EveryRotationKind : public ::testing::TestWithParam<RotationKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryRotationKind,
                         ::testing::Values(RotationKind::jacobi, RotationKind::quaternion,
                                           RotationKind::svd));

TEST_P(EveryRotationKind, a_rigid_motion_makes_no_force) {
    const TetMesh mesh = make_box({1, 1, 1}, {3, 3, 3});
    const ElementSet elements = elements_of(mesh);
    Random random(42);
    // Forces of order one strain: modulus times the face of a cell.
    const double scale = 1.3e6 / 9;
    for (int k = 0; k < 20; ++k) {
        const Mat3d Q = random.rotation();
        const Vec3d move = random.direction() * 5.0;
        std::vector<Vec3d> x;
        for (const Vec3d& p : mesh.nodes) x.push_back(Q * p + move);
        CorotationCache rotations;
        const std::vector<Vec3d> f = forces_at(elements, x, {GetParam(), 100}, &rotations);
        EXPECT_LT(largest(f), 1e-10 * scale);
        EXPECT_LT(max_abs(rotation_of(rotations, 17) - Q), 1e-7);
        EXPECT_LT(energy_at(elements, x), 1e-20 * scale);
    }
}

TEST_P(EveryRotationKind, forces_balance) {
    const TetMesh mesh = beam();
    const ElementSet elements = elements_of(mesh);
    const std::vector<Vec3d> x = deformed(mesh, 0.01, 43);
    const std::vector<Vec3d> f = forces_at(elements, x, {GetParam(), 4});
    Vec3d sum{}, torque{};
    double magnitude = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        sum += f[i];
        torque += cross(x[i], f[i]);
        magnitude += norm(f[i]);
    }
    EXPECT_LT(norm(sum), 1e-12 * magnitude);
    // Torque vanishes with S symmetric: up to what the cap left.
    EXPECT_LT(norm(torque), 1e-4 * magnitude);
}

TEST_P(EveryRotationKind, is_the_same_for_any_number_of_threads) {
    const TetMesh mesh = beam();
    const ElementSet elements = elements_of(mesh);
    const std::vector<Vec3d> x = deformed(mesh, 0.01, 44);
    std::vector<Vec3d> first_f;
    CorotationCache first;
    double first_energy = 0;
    for (const int threads : {1, 2, 4}) {
        ThreadLimit limit(threads);
        CorotationCache rotations;
        const std::vector<Vec3d> f = forces_at(elements, x, {GetParam(), 4}, &rotations);
        const double energy = energy_at(elements, x);
        if (threads == 1) {
            first_f = f;
            first = rotations;
            first_energy = energy;
            continue;
        }
        EXPECT_EQ(f, first_f);
        EXPECT_EQ(energy, first_energy);
        for (Index t = 0; t < elements.n_tets; ++t)
            ASSERT_EQ(rotation_of(rotations, t), rotation_of(first, t));
    }
}

TEST_P(EveryRotationKind, leaves_finite_rotations_whatever_the_positions_are) {
    const MixedBody body;
    const double inf = std::numeric_limits<double>::infinity();
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), inf, 1e200, 1e-200, 0.0}) {
        std::vector<Vec3d> x = deformed(body.mesh, 0.02, 45);
        for (std::size_t i = 0; i < x.size(); i += 3) x[i] = Vec3d{bad, x[i].y, bad};
        CorotationCache rotations;
        forces_at(body.elements, x, {GetParam(), 4}, &rotations);
        for (Index t = 0; t < body.elements.n_tets; ++t)
            ASSERT_LT(rotation_error(rotation_of(rotations, t)), 1e-10) << bad << " tet " << t;
    }
}

TEST(Corotation, keeps_the_frame_of_a_linear_law) {
    const MixedBody body;
    CorotationCache rotations;
    forces_at(body.elements, deformed(body.mesh, 0.02, 46), exact, &rotations);
    for (Index t = 0; t < body.elements.n_tets; ++t) {
        const bool turned = max_abs(rotation_of(rotations, t) - Mat3d::identity()) > 0;
        EXPECT_EQ(turned, body.tet_material[t] == 0);
    }
}

TEST(Measure, gives_strain_determinant_and_von_mises_of_a_uniform_stretch) {
    const TetMesh mesh = make_box({1, 1, 1}, {2, 2, 2});
    const ElementSet elements = elements_of(mesh);
    const Mat3d Q = rotation_about({0.6, 0, 0.8}, 1.2), stretch = Mat3d::diagonal(1.2, 0.9, 0.95);
    std::vector<Vec3d> x;
    for (const Vec3d& p : mesh.nodes) x.push_back(Q * (stretch * p));
    std::vector<TetMeasure> measures(elements.n_tets);
    measure_tets(elements, x, measures);
    // Principal Cauchy stresses σ_i = (2 μ ε_i + λ tr ε) F_i / J.
    const double J = 1.2 * 0.9 * 0.95, e[3] = {0.2, -0.1, -0.05}, F[3] = {1.2, 0.9, 0.95};
    double s[3];
    for (int i = 0; i < 3; ++i) s[i] = (2 * 3e5 * e[i] + 7e5 * 0.05) * F[i] / J;
    const double von_mises =
        std::sqrt(0.5 * ((s[0] - s[1]) * (s[0] - s[1]) + (s[1] - s[2]) * (s[1] - s[2]) +
                         (s[2] - s[0]) * (s[2] - s[0])));
    for (const TetMeasure& m : measures) {
        EXPECT_NEAR(m.det_F, J, 1e-13);
        EXPECT_NEAR(m.von_mises, von_mises, 1e-9 * von_mises);
        EXPECT_LT(max_abs(m.strain - Mat3d::diagonal(e[0], e[1], e[2])), 1e-13);
    }
}

TEST(Measure, counts_inverted_tets_and_gives_them_no_von_mises_stress) {
    const TetMesh mesh = single_tet();
    const ElementSet elements = elements_of(mesh);
    std::vector<Vec3d> x = mesh.nodes;
    x[3].z = -1.3;
    std::vector<TetMeasure> measure(1);
    measure_tets(elements, x, measure);
    EXPECT_LT(measure[0].det_F, 0);
    EXPECT_EQ(measure[0].von_mises, 0);
    std::vector<double> partial;
    EXPECT_EQ(elastic_energy(elements, x, partial).n_inverted, 1);
    EXPECT_EQ(elastic_energy(elements, mesh.nodes, partial).n_inverted, 0);
}

}  // namespace
}  // namespace limber

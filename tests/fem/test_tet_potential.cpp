// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/tet_potential.h"

#include <gtest/gtest.h>

#include "fem_samples.h"
#include "limber/core/parallel.h"

namespace limber {
namespace {

using testing_fem::Random;

/// The beam with three materials whose counts fill no packet evenly.
struct Sample {
    TetMesh mesh = testing_fem::beam();
    std::vector<Material> materials;
    std::vector<Index> tet_material;

    Sample() {
        materials.push_back(corotated_material("a", 1e5, 0.3));
        materials.push_back(corotated_material("b", 3e5, 0.4));
        materials.push_back(corotated_material("c", 1e4, 0.2));
        materials[1].law = LinearElastic{1e5, 2e5};
        materials[2].volume = 2e4;
        materials[2].conversion.on = true;
        for (Index t = 0; t < mesh.n_tets(); ++t)
            tet_material.push_back(t % 7 == 0 ? 1 : t % 2 * 2);
    }
    template <class Real>
    TetPotential<Real> potential() const {
        return TetPotential<Real>(mesh, materials, tet_material);
    }
    template <class Real = double>
    std::vector<Vec3<Real>> deformed(double size) const {
        Random random(7);
        std::vector<Vec3<Real>> x;
        for (const Vec3d& p : mesh.nodes) {
            const Vec3d q = p + size * random.direction();
            x.push_back({static_cast<Real>(q.x), static_cast<Real>(q.y), static_cast<Real>(q.z)});
        }
        return x;
    }
    double cell() const { return 1.0 / 30; }
};

TEST(TetPotential, gradient_is_the_derivative_of_the_energy) {
    const Sample sample;
    auto potential = sample.potential<double>();
    std::vector<Vec3d> x = sample.deformed(0.2 * sample.cell()), g(x.size());
    potential.hold(x);
    potential.add_gradient(x, g);
    Random random(3);
    for (int k = 0; k < 20; ++k) {
        std::vector<Vec3d> d, forward = x, backward = x;
        double slope = 0;
        const double step = 1e-6 * sample.cell();
        for (std::size_t i = 0; i < x.size(); ++i) {
            d.push_back(random.direction());
            forward[i] += step * d[i];
            backward[i] -= step * d[i];
            slope += dot(g[i], d[i]);
        }
        const double difference =
            (potential.energy(forward) - potential.energy(backward)) / (2 * step);
        EXPECT_NEAR(difference, slope, 1e-6 * std::abs(slope) + 1e-6 * potential.energy(x));
    }
}

TEST(TetPotential, hessian_is_the_derivative_of_the_gradient) {
    const Sample sample;
    auto potential = sample.potential<double>();
    const std::vector<Vec3d> x = sample.deformed(0.1 * sample.cell());
    potential.hold(x);
    std::vector<std::array<Index, 2>> pairs;
    potential.add_pairs(pairs);
    BlockCsr A = matrix_of_pairs(sample.mesh.n_nodes(), pairs);
    potential.add_hessian(x, HessianKind::exact, 1, A);
    Random random(4);
    std::vector<Vec3d> d, product(x.size()), up(x.size()), down(x.size());
    std::vector<Vec3d> forward = x, backward = x;
    const double step = 1e-6 * sample.cell();
    for (std::size_t i = 0; i < x.size(); ++i) {
        d.push_back(random.direction());
        forward[i] += step * d[i];
        backward[i] -= step * d[i];
    }
    A.apply(d, product);
    potential.add_gradient(forward, up);
    potential.add_gradient(backward, down);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3d difference = (1 / (2 * step)) * (up[i] - down[i]);
        worst = std::max(worst, norm(difference - product[i]));
        largest = std::max(largest, norm(product[i]));
    }
    EXPECT_LT(worst, 1e-6 * largest);
}

TEST(TetPotential, diagonals_are_those_of_the_hessian) {
    const Sample sample;
    auto potential = sample.potential<double>();
    const std::vector<Vec3d> x = sample.deformed(0.1 * sample.cell());
    std::vector<std::array<Index, 2>> pairs;
    potential.add_pairs(pairs);
    BlockCsr A = matrix_of_pairs(sample.mesh.n_nodes(), pairs);
    potential.add_hessian(x, HessianKind::exact, 1, A);
    std::vector<Vec3d> d(x.size());
    std::vector<Mat3d> D(x.size());
    potential.add_diagonal(x, d);
    potential.add_diagonal_blocks(x, HessianKind::exact, D);
    for (Index i = 0; i < sample.mesh.n_nodes(); ++i) {
        const Mat3d& block = A.blocks()[A.diagonal_position(i)];
        EXPECT_LT(max_abs(D[i] - block), 1e-10 * max_abs(block));
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(d[i][k], block(k, k), 1e-9 * max_abs(block));
    }
}

TEST(TetPotential, single_precision_agrees_to_its_rounding) {
    const Sample sample;
    auto fine = sample.potential<double>();
    auto coarse = sample.potential<float>();
    const auto x = sample.deformed<double>(0.2 * sample.cell());
    const auto y = sample.deformed<float>(0.2 * sample.cell());
    std::vector<Vec3d> g(x.size());
    std::vector<Vec3<float>> f(x.size());
    fine.add_gradient(x, g);
    coarse.add_gradient(y, f);
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, norm(g[i] - Vec3d{f[i].x, f[i].y, f[i].z}));
        largest = std::max(largest, norm(g[i]));
    }
    // Positions of a metre and edges of a twentieth of it: twenty times a float's rounding.
    EXPECT_LT(worst, 1e-4 * largest);
    EXPECT_NEAR(coarse.energy(y), fine.energy(x), 1e-4 * fine.energy(x));
}

TEST(TetPotential, gives_the_same_bits_for_any_number_of_threads) {
    const Sample sample;
    const auto x = sample.deformed(0.3 * sample.cell());
    const auto results = [&](int threads) {
        const ThreadLimit limit(threads);
        auto potential = sample.potential<double>();
        potential.hold(x);
        std::vector<Vec3d> g(x.size()), d(x.size());
        potential.add_gradient(x, g);
        potential.add_diagonal(x, d);
        g.insert(g.end(), d.begin(), d.end());
        g.push_back({potential.energy(x), 0, 0});
        return g;
    };
    EXPECT_EQ(results(1), results(2));
}

TEST(TetPotential, rest_has_no_energy_and_no_force) {
    const Sample sample;
    auto potential = sample.potential<double>();
    std::vector<Vec3d> g(sample.mesh.nodes.size());
    potential.add_gradient(sample.mesh.nodes, g);
    EXPECT_NEAR(potential.energy(sample.mesh.nodes), 0, 1e-18);
    for (const Vec3d& f : g) EXPECT_LT(norm(f), 1e-9);
}

}  // namespace
}  // namespace limber

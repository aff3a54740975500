// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/corotated_sweep.h"

#include <gtest/gtest.h>

#include "fem_samples.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/tet_potential.h"

namespace limber {
namespace {

using testing_fem::Random;

/// The beam with two materials whose counts fill no packet evenly.
struct SplitSample {
    TetMesh mesh = testing_fem::beam();
    std::vector<Material> materials{corotated_material("a", 1e5, 0.3),
                                    corotated_material("b", 3e5, 0.45)};
    std::vector<Index> tet_material;

    SplitSample() {
        for (Index t = 0; t < mesh.n_tets(); ++t) tet_material.push_back(t % 7 == 0 ? 1 : 0);
    }
    /// The same with λ = 0.
    std::vector<Material> without_volume() const {
        std::vector<Material> out = materials;
        for (Material& m : out) m.law = ProjectiveElastic{small_strain(m).mu};
        return out;
    }
    std::vector<Vec3d> deformed(double size, double turn = 0) const {
        Random random(7);
        std::vector<Vec3d> x;
        for (const Vec3d& p : mesh.nodes) {
            const Vec3d q = p + size * random.direction();
            x.push_back({std::cos(turn) * q.x - std::sin(turn) * q.y,
                         std::sin(turn) * q.x + std::cos(turn) * q.y, q.z});
        }
        return x;
    }
    double cell() const { return 1.0 / 30; }
};

template <class Real>
std::vector<Vec3<Real>> as(const std::vector<Vec3d>& x) {
    std::vector<Vec3<Real>> out;
    for (const Vec3d& p : x)
        out.push_back({static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)});
    return out;
}

template <class Real>
std::vector<Vec3d> swept(CorotatedSweep<Real>& sweep, const std::vector<Vec3d>& at, int sweeps,
                         CorotatedTerms terms = CorotatedTerms::all) {
    const std::vector<Vec3<Real>> x = as<Real>(at);
    for (int k = 0; k < sweeps; ++k) sweep.begin_gradient(x, terms);
    std::vector<Vec3<Real>> g(x.size());
    sweep.add_gradient_range(0, static_cast<Index>(x.size()), g);
    std::vector<Vec3d> out;
    for (const auto& v : g) out.push_back({double(v.x), double(v.y), double(v.z)});
    return out;
}

std::vector<Vec3d> gradient_of(const SplitSample& sample, const std::vector<Material>& materials,
                               const std::vector<Vec3d>& x) {
    TetPotential<double> potential(sample.mesh, materials, sample.tet_material);
    std::vector<Vec3d> g(x.size());
    potential.add_gradient(x, g);
    return g;
}

double most_of(const std::vector<Vec3d>& a) {
    double most = 0;
    for (const Vec3d& v : a) most = std::max(most, norm(v));
    return most;
}
double part_apart(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    std::vector<Vec3d> d;
    for (std::size_t i = 0; i < a.size(); ++i) d.push_back(a[i] - b[i]);
    return most_of(d) / most_of(b);
}

TEST(CorotatedSweep, gradient_is_the_derivative_of_the_laws_energy) {
    const SplitSample sample;
    const std::vector<Vec3d> x = sample.deformed(0.2 * sample.cell(), 1);
    CorotatedSweep<double> sweep(sample.mesh, sample.materials, sample.tet_material);
    const std::vector<Vec3d> g = swept(sweep, x, 8);
    TetPotential<double> potential(sample.mesh, sample.materials, sample.tet_material);
    Random random(3);
    for (int k = 0; k < 10; ++k) {
        std::vector<Vec3d> forward = x, backward = x;
        double slope = 0;
        const double step = 1e-6 * sample.cell();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3d d = random.direction();
            forward[i] += step * d;
            backward[i] -= step * d;
            slope += dot(d, g[i]);
        }
        const double measured =
            (potential.energy(forward) - potential.energy(backward)) / (2 * step);
        EXPECT_NEAR(slope, measured, 1e-6 * std::abs(measured));
    }
}

TEST(CorotatedSweep, forces_are_those_of_the_law_and_of_its_first_term) {
    const SplitSample sample;
    for (const double size : {0.01, 0.2, 0.6}) {  // the last with tets inside out
        const std::vector<Vec3d> x = sample.deformed(size * sample.cell(), 2.5);
        CorotatedSweep<double> sweep(sample.mesh, sample.materials, sample.tet_material);
        EXPECT_LT(part_apart(swept(sweep, x, 60), gradient_of(sample, sample.materials, x)), 1e-9)
            << size;
        EXPECT_LT(part_apart(swept(sweep, x, 1, CorotatedTerms::stretch),
                             gradient_of(sample, sample.without_volume(), x)),
                  1e-9)
            << size;
    }
}

TEST(CorotatedSweep, one_sweep_from_the_rotations_of_a_step_before_is_near) {
    const SplitSample sample;
    CorotatedSweep<float> sweep(sample.mesh, sample.materials, sample.tet_material);
    swept(sweep, sample.deformed(0.1 * sample.cell(), 0.50), 10);
    const std::vector<Vec3d> next = sample.deformed(0.1 * sample.cell(), 0.53);
    EXPECT_LT(part_apart(swept(sweep, next, 1), gradient_of(sample, sample.materials, next)), 2e-5);
}

/// Half a turn away the trace has no slope: a Newton step alone stays there.
TEST(CorotatedSweep, leaves_rotations_half_a_turn_away) {
    const SplitSample sample;
    const std::vector<Vec3d> x = sample.deformed(0.1 * sample.cell());
    CorotatedSweep<float> sweep(sample.mesh, sample.materials, sample.tet_material);
    std::vector<double> half = sweep.rotations();
    for (std::size_t k = 0; k < half.size(); ++k)
        half[k] = k / CorotatedSweep<float>::W % 4 == 1;  // about x
    sweep.set_rotations(half);
    EXPECT_LT(part_apart(swept(sweep, x, 6), gradient_of(sample, sample.materials, x)), 2e-5);
}

TEST(CorotatedSweep, ruined_tets_have_finite_forces) {
    const SplitSample sample;
    for (const int kind : {0, 1, 2, 3}) {
        std::vector<Vec3d> x = sample.mesh.nodes;
        for (Vec3d& p : x) {
            if (kind == 0) p = {0, 0, 0};
            if (kind == 1) p.y = 0;
            if (kind == 2) p = {-p.x, p.y, p.z};
            if (kind == 3) p = 1e6 * p;
        }
        CorotatedSweep<float> sweep(sample.mesh, sample.materials, sample.tet_material);
        const std::vector<Vec3d> g = swept(sweep, x, 3);
        double sum = 0;
        for (const Vec3d& v : g) sum += norm(v);
        EXPECT_TRUE(std::isfinite(sum)) << kind;
        for (const double q : sweep.rotations()) EXPECT_TRUE(std::abs(q) < 1.001) << kind;
    }
}

/// To convergence the constraints are the minimum of Σ |x − y|²/(2w) + Σ λV/2 (J − 1)², where
/// their gradients do not change on the way: multipliers keep the impulses of older gradients.
TEST(VolumeSweep, goes_to_the_minimum_of_its_energy) {
    SplitSample sample;
    const std::vector<Vec3d> y = sample.deformed(1e-5 * sample.cell());
    std::vector<Material> volume = sample.materials;
    for (Material& m : volume) {  // that energy alone, by the volume term of materials
        m.volume = small_strain(m).lambda;
        m.law = ProjectiveElastic{1e-9};
    }
    Random random(5);
    std::vector<Vec3d> w;
    for (std::size_t i = 0; i < y.size(); ++i) {
        w.push_back({1e-4, 2e-4, 1e-4});
        if (i % 5 == 0) w.back().y = 0;
        if (i % 11 == 0) w.back() = {};
    }
    VolumeSweep<double> sweep(sample.mesh, sample.materials, sample.tet_material);
    EXPECT_GT(sweep.n_colours(), 4);
    const auto residual_after = [&](int sweeps) {
        std::vector<Vec3d> x = y;
        sweep.begin();
        for (int k = 0; k < sweeps; ++k) sweep.sweep(x, w);
        std::vector<Vec3d> g = gradient_of(sample, volume, x);
        double most = 0, scale = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            for (int k = 0; k < 3; ++k) {
                if (w[i][k] == 0) {
                    EXPECT_EQ(x[i][k], y[i][k]);
                    continue;
                }
                scale = std::max(scale, std::abs(g[i][k]));
                most = std::max(most, std::abs(g[i][k] + (x[i][k] - y[i][k]) / w[i][k]));
            }
        return most / scale;
    };
    EXPECT_GT(residual_after(2), 0.01);
    EXPECT_LT(residual_after(400), 1e-4);
}

TEST(CorotatedSweep, has_the_same_bits_on_any_number_of_threads) {
    const SplitSample sample;
    const std::vector<Vec3d> x = sample.deformed(0.2 * sample.cell(), 1);
    const auto run = [&](int threads) {
        const ThreadLimit limit(threads);
        CorotatedSweep<float> sweep(sample.mesh, sample.materials, sample.tet_material);
        std::vector<Vec3d> all = swept(sweep, x, 2);
        VolumeSweep<float> volume(sample.mesh, sample.materials, sample.tet_material);
        volume.begin();
        std::vector<Vec3<float>> moved = as<float>(x), w(x.size(), {1e-4f, 1e-4f, 1e-4f});
        volume.sweep(moved, w);
        for (const auto& p : moved) all.push_back({double(p.x), double(p.y), double(p.z)});
        return all;
    };
    EXPECT_EQ(run(1), run(4));
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// Tets with numbers of their own: every loop over elements gives what a material for each tet
// gives.
#include "limber/fem/elements/tet_data.h"

#include <gtest/gtest.h>

#include "fem/law_samples.h"
#include "limber/fem/corotation.h"
#include "limber/fem/elements/tet_potential.h"
#include "limber/fem/node_potential.h"

namespace limber {
namespace {

using namespace testing_fem;

/// One material with a direction for two tets of three, and a material for each tet. Every fifth
/// tet is of a law without numbers of tets.
struct Beams {
    TetMesh mesh = beam();
    std::vector<Material> shared, single;
    std::vector<Index> shared_of, single_of;
    std::vector<TetData> data;
    std::vector<Vec3d> x;

    explicit Beams(bool converts = false) {
        Material fibre;
        fibre.law = sample_law<FibreReinforced>();
        fibre.volume = 1e5;
        fibre.conversion.on = converts;
        Material plain = fibre;
        plain.law = MooneyRivlin::from(sample_moduli);
        shared = {fibre, plain};
        Random random(41);
        for (Index t = 0; t < mesh.n_tets(); ++t) {
            const bool has_fibres = t % 5 != 0;
            Material own = has_fibres ? fibre : plain;
            TetData numbers;
            if (t % 3 != 0) {  // of the other law too, which must not read them
                const Vec3d a = random.direction();
                numbers = {a.x, a.y, a.z};
                if (has_fibres) std::get<FibreReinforced>(own.law).a = a;
            }
            data.push_back(numbers);
            shared_of.push_back(has_fibres ? 0 : 1);
            single_of.push_back(t);
            single.push_back(own);
        }
        for (const Vec3d& p : mesh.nodes)
            x.push_back(p + (converts ? 0.5 : 0.2) / 30 * random.direction());
    }
};

double largest(std::span<const Vec3d> v) {
    double out = 0;
    for (const Vec3d& p : v) out = std::fmax(out, norm(p));
    return out;
}
void expect_near(std::span<const Vec3d> a, std::span<const Vec3d> b, double tolerance) {
    const double limit = tolerance * largest(b);
    ASSERT_GT(limit, 0);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT(norm(a[i] - b[i]), limit) << i;
}

template <class Real>
struct TetDataOf : testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(TetDataOf, Reals);

TYPED_TEST(TetDataOf, potentials_give_what_a_material_for_each_tet_gives) {
    using Real = TypeParam;
    for (const bool converts : {false, true}) {
        const Beams beams(converts);
        TetPotential<Real> own(beams.mesh, beams.shared, beams.shared_of, beams.data);
        TetPotential<Real> wanted(beams.mesh, beams.single, beams.single_of);
        TetPotential<Real> without(beams.mesh, beams.shared, beams.shared_of);
        std::vector<Vec3<Real>> x;
        for (const Vec3d& p : beams.x)
            x.push_back({static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)});
        own.hold(x);
        wanted.hold(x);
        without.hold(x);
        // Single precision: tens of roundings of stresses far above their differences.
        const double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
        const double energy = wanted.energy(x);
        EXPECT_NEAR(own.energy(x), energy, tolerance * energy);
        EXPECT_GT(std::fabs(without.energy(x) - energy), 1e-3 * energy);
        const auto gathered = [&](auto&& add) {
            std::vector<Vec3<Real>> sum(x.size());
            add(sum);
            std::vector<Vec3d> out;
            for (const auto& p : sum) out.push_back({p.x, p.y, p.z});
            return out;
        };
        expect_near(gathered([&](auto& g) { own.add_gradient(x, g); }),
                    gathered([&](auto& g) { wanted.add_gradient(x, g); }), tolerance);
        expect_near(gathered([&](auto& g) { own.add_diagonal(x, g); }),
                    gathered([&](auto& g) { wanted.add_diagonal(x, g); }), tolerance);

        std::vector<std::array<Index, 2>> pairs;
        own.add_pairs(pairs);
        Random random(42);
        std::vector<Vec3d> v, a(x.size()), b(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) v.push_back(random.direction());
        for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
            BlockCsr A = matrix_of_pairs(beams.mesh.n_nodes(), pairs), B = A;
            own.add_hessian(x, kind, 1, A);
            wanted.add_hessian(x, kind, 1, B);
            A.apply(v, a);
            B.apply(v, b);
            expect_near(a, b, tolerance);
        }
    }
}

TEST(TetData, node_by_node_is_what_a_material_for_each_tet_gives) {
    const Beams beams;
    const auto own = make_tet_nodes(beams.mesh, beams.shared, beams.shared_of, beams.data);
    const auto wanted = make_tet_nodes(beams.mesh, beams.single, beams.single_of);
    for (Index i = 0; i < beams.mesh.n_nodes(); ++i) {
        NodeDerivatives a, b;
        own->add(i, beams.x, a);
        wanted->add(i, beams.x, b);
        ASSERT_NEAR(a.energy, b.energy, 1e-12 * b.energy);
        ASSERT_LT(norm(a.gradient - b.gradient), 1e-11 * norm(b.gradient) + 1e-6);
        ASSERT_LT(max_abs(a.block - b.block), 1e-12 * max_abs(b.block));
        const Vec3d at = beams.x[i] + Vec3d{1e-3, -2e-3, 1e-3};
        const double energy = wanted->energy(i, at, beams.x);
        ASSERT_NEAR(own->energy(i, at, beams.x), energy, 1e-12 * energy);
    }
}

TEST(TetData, reports_and_output_give_what_a_material_for_each_tet_gives) {
    const Beams beams;
    const ElementSet own = make_elements(beams.mesh, beams.shared, beams.shared_of, beams.data);
    const ElementSet wanted = make_elements(beams.mesh, beams.single, beams.single_of);
    std::vector<double> scratch;
    const double energy = elastic_energy(wanted, beams.x, scratch).energy;
    EXPECT_NEAR(elastic_energy(own, beams.x, scratch).energy, energy, 1e-12 * energy);
    TetPotential<double> potential(beams.mesh, beams.shared, beams.shared_of, beams.data);
    EXPECT_NEAR(potential.energy(beams.x), energy, 1e-12 * energy);
    std::vector<TetMeasure> a(beams.mesh.tets.size()), b = a;
    measure_tets(own, beams.x, a);
    measure_tets(wanted, beams.x, b);
    for (std::size_t t = 0; t < a.size(); ++t)
        ASSERT_NEAR(a[t].von_mises, b[t].von_mises, 1e-12 * b[t].von_mises);
}

/// What Newton by conjugate gradients assembles, packets wide, is the projected Hessian.
TEST(TetData, tangents_by_packets_are_those_of_single_tets) {
    const Beams beams;
    TetPotential<double> potential(beams.mesh, beams.shared, beams.shared_of, beams.data);
    std::vector<std::array<Index, 2>> pairs;
    potential.add_pairs(pairs);
    BlockCsr A = matrix_of_pairs(beams.mesh.n_nodes(), pairs), B = A;
    potential.add_hessian(beams.x, HessianKind::projected, 1, A);
    BlockRows<double> rows;
    rows.bind(B);
    ASSERT_TRUE(potential.add_tangent(beams.x, rows));
    Random random(43);
    std::vector<Vec3d> v, a(beams.x.size()), b(beams.x.size());
    for (std::size_t i = 0; i < a.size(); ++i) v.push_back(random.direction());
    A.apply(v, a);
    rows.apply(v, b);
    expect_near(b, a, 1e-11);
}

}  // namespace
}  // namespace limber

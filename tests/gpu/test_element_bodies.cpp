// SPDX-License-Identifier: Apache-2.0
// The bodies of the device's kernels, run on the host in float and double, beside the loops of the
// CPU: the same functions, so the same numbers but for the order of sums and the rounding of
// parameters.
#include "limber/gpu/element_bodies.h"

#include <gtest/gtest.h>

#include <tuple>

#include "fem/law_samples.h"
#include "limber/fem/assembly.h"
#include "limber/fem/elements/element_potential.h"
#include "limber/fem/elements/tet_potential.h"

namespace limber::gpu {
namespace {

using testing_fem::Random;

template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;

template <class Real>
Vec3<Real> in(const Vec3d& p) {
    return {static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)};
}
template <class Real>
Vec3d in_double(const Vec3<Real>& p) {
    return {p.x, p.y, p.z};
}

/// The beam as planes, shaken by a share of a cell.
template <class Real>
struct Bench {
    TetMesh mesh = testing_fem::beam();
    std::vector<Index> node;
    std::vector<Real> Dm_inv, volume;
    std::vector<TetData> of_tet;  // directions for some of the tets
    std::vector<Real> data;       // and for all, as planes
    std::vector<Vec3<Real>> x;

    explicit Bench(double shake) {
        const Index n = mesh.n_tets();
        node.resize(4 * n);
        Dm_inv.resize(9 * n);
        volume.resize(n);
        for (Index t = 0; t < n; ++t) {
            const Tet& tet = mesh.tets[t];
            const Vec3d o = mesh.nodes[tet[0]];
            const Mat3d Dm = Mat3d::from_columns(mesh.nodes[tet[1]] - o, mesh.nodes[tet[2]] - o,
                                                 mesh.nodes[tet[3]] - o);
            const Mat3d inv = inverse(Dm);
            for (int c = 0; c < 4; ++c) node[c * n + t] = tet[c];
            for (int i = 0; i < 9; ++i) Dm_inv[i * n + t] = static_cast<Real>(inv.a[i]);
            volume[t] = static_cast<Real>(determinant(Dm) / 6);
        }
        Random directions(12), random(11);
        of_tet.resize(n);
        data.resize(3 * n);
        const FibreReinforced own = testing_fem::sample_law<FibreReinforced>();
        for (Index t = 0; t < n; ++t) {
            const Vec3d a = t % 3 == 0 ? own.a : directions.direction();
            if (t % 3 != 0) of_tet[t] = {a.x, a.y, a.z};
            for (int i = 0; i < 3; ++i) data[i * n + t] = static_cast<Real>(a[i]);
        }
        for (const Vec3d& p : mesh.nodes)
            x.push_back(in<Real>(p + shake / 30 * random.direction()));
    }
    TetPlanes<Real> planes() const {
        return {mesh.n_tets(), node.data(), Dm_inv.data(), volume.data(), data.data()};
    }
    /// Values at corners, added up at the nodes in double.
    std::vector<Vec3d> gathered(std::span<const Vec3<Real>> corner) const {
        std::vector<Vec3d> out(x.size());
        for (Index t = 0; t < mesh.n_tets(); ++t)
            for (int c = 0; c < 4; ++c)
                out[mesh.tets[t][c]] += in_double(corner[c * mesh.n_tets() + t]);
        return out;
    }
};

double largest(std::span<const Vec3d> v) {
    double out = 0;
    for (const Vec3d& p : v) out = std::max(out, norm(p));
    return out;
}
template <class Real>
void expect_near(std::span<const Vec3d> bodies, std::span<const Vec3<Real>> loop, double sign) {
    const double limit = tolerance<Real> * largest(bodies);
    ASSERT_GT(limit, 0);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        EXPECT_LT(norm(bodies[i] - sign * in_double(loop[i])), limit) << "node " << i;
}

template <class LawAndReal>
struct TetBodies : testing::Test {};
template <class... Laws>
auto with_reals(testing::Types<Laws...>)
    -> testing::Types<std::pair<Laws, float>..., std::pair<Laws, double>...>;
TYPED_TEST_SUITE(TetBodies, decltype(with_reals(testing_fem::EveryLaw{})));

TYPED_TEST(TetBodies, give_what_the_loops_of_the_cpu_give) {
    using Law = typename TypeParam::first_type;
    using Real = typename TypeParam::second_type;
    for (const bool converts : {false, true}) {
        Material material;
        material.law = testing_fem::sample_law<Law>();
        material.volume = converts ? 2e4 : 0;
        material.conversion.on = converts;
        // Half a cell turns some tets over: the conversion has to take those.
        const Bench<Real> bench(converts ? 0.5 : 0.1);
        const Index n = bench.mesh.n_tets();
        const std::vector<Index> of_tet(n, 0);
        TetPotential<Real> potential(bench.mesh, std::span(&material, 1), of_tet, bench.of_tet);
        potential.hold(bench.x);
        const PointLaw<Law> law{std::get<Law>(material.law), material.volume, material.conversion};
        const auto rounded = law.template in<Real>();

        std::vector<Real> interpolant(n), kept(n), energy(n);
        for_each_index(n, [&](Index t) {
            interpolant_body(rounded, bench.planes(), bench.x.data(), kept.data(),
                             interpolant.data(), t);
        });
        const std::vector<double> expected = potential.interpolants();
        Index n_converted = 0;
        for (Index t = 0; t < n; ++t) {
            n_converted += interpolant[t] > 0;
            EXPECT_NEAR(interpolant[t], expected[t], 100 * tolerance<Real>);
        }
        EXPECT_EQ(n_converted > 0, converts);

        std::vector<Vec3<Real>> force(4 * n), diagonal(4 * n), g(bench.x.size()), d(bench.x.size());
        TetDerivatives<Real> out;
        out.energy = energy.data();
        out.force = force.data();
        out.diagonal = diagonal.data();
        for_each_index(n, [&](Index t) {
            tet_body(rounded, bench.planes(), bench.x.data(), interpolant.data(), out, t);
        });
        double sum = 0;
        for (const Real e : energy) sum += e;
        EXPECT_NEAR(sum, potential.energy(bench.x), 10 * tolerance<Real> * std::abs(sum));
        potential.add_gradient(bench.x, g);
        expect_near<Real>(bench.gathered(force), g, -1);
        potential.add_diagonal(bench.x, d);
        expect_near<Real>(bench.gathered(diagonal), d, 1);
    }
}

/// Laws whose tangent is projected by their stretches.
template <class LawAndReal>
struct TetTangents : testing::Test {};
template <class... Tuples>
auto projected_of(std::tuple<Tuples...>) -> decltype(std::tuple_cat(
    std::declval<std::conditional_t<StretchProjectedLaw<typename Tuples::first_type>,
                                    std::tuple<Tuples>, std::tuple<>>>()...));
template <class... Types>
std::tuple<Types...> tuple_of(testing::Types<Types...>);
template <class... Types>
testing::Types<Types...> types_of(std::tuple<Types...>);
using ProjectedLaws =
    decltype(types_of(projected_of(tuple_of(decltype(with_reals(testing_fem::EveryLaw{})){}))));
TYPED_TEST_SUITE(TetTangents, ProjectedLaws);

TYPED_TEST(TetTangents, are_those_of_the_cpu) {
    using Law = typename TypeParam::first_type;
    using Real = typename TypeParam::second_type;
    Material material;
    material.law = testing_fem::sample_law<Law>();
    const Bench<Real> bench(0.1);
    const Index n = bench.mesh.n_tets();
    const std::vector<Index> of_tet(n, 0);
    TetPotential<double> potential(bench.mesh, std::span(&material, 1), of_tet, bench.of_tet);
    std::vector<std::array<Index, 2>> pairs;
    potential.add_pairs(pairs);
    BlockCsr A = matrix_of_pairs(bench.mesh.n_nodes(), pairs);
    std::vector<Vec3d> x;
    for (const auto& p : bench.x) x.push_back(in_double(p));
    potential.add_hessian(x, HessianKind::projected, 1, A);
    const auto rounded = PointLaw<Law>{std::get<Law>(material.law), 0, {}}.template in<Real>();
    std::vector<Mat3<Real>> blocks(6 * n);
    TetDerivatives<Real> out;
    out.blocks = blocks.data();
    for_each_index(n, [&](Index t) {
        tet_body(rounded, bench.planes(), bench.x.data(), static_cast<const Real*>(nullptr), out,
                 t);
    });
    // The products of both with one vector; corner 0 balances the others.
    Random random(5);
    std::vector<Vec3d> v, expected(x.size()), product(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) v.push_back(random.direction());
    A.apply(v, expected);
    for (Index t = 0; t < n; ++t) {
        const Tet& tet = bench.mesh.tets[t];
        int pair = 0;
        for (int a = 1; a < 4; ++a)
            for (int b = a; b < 4; ++b, ++pair) {
                Mat3d K;
                for (int i = 0; i < 9; ++i) K.a[i] = blocks[pair * n + t].a[i];
                const Vec3d f = K * (v[tet[b]] - v[tet[0]]);
                product[tet[a]] += f;
                product[tet[0]] -= f;
                if (a == b) continue;
                const Vec3d h = transpose(K) * (v[tet[a]] - v[tet[0]]);
                product[tet[b]] += h;
                product[tet[0]] -= h;
            }
    }
    const double limit = 20 * tolerance<Real> * largest(expected);
    for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_LT(norm(product[i] - expected[i]), limit) << "node " << i;
}

template <class Real>
struct Bodies : testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Bodies, Reals);

TYPED_TEST(Bodies, of_hookes_law_give_the_forces_of_linearly_implicit_solvers) {
    using Real = TypeParam;
    const Bench<Real> bench(0.2);
    const Index n = bench.mesh.n_tets();
    std::vector<Material> materials{corotated_material("a", 1e5, 0.3),
                                    corotated_material("b", 3e5, 0.4)};
    materials[1].law = LinearElastic{1e5, 2e5};
    std::vector<Index> of_tet(n);
    for (Index t = 0; t < n; ++t) of_tet[t] = t % 3 == 0;
    const ElementSet elements = make_elements(bench.mesh, materials, of_tet);
    std::vector<Vec3d> x, f(bench.x.size());
    for (const auto& p : bench.x) x.push_back(in_double(p));
    CorotationCache rotations;
    rotations.reset(elements);
    ElementForces scratch;
    update_rotations_and_forces(elements, x, {RotationKind::quaternion, 4}, rotations, scratch, f);

    std::vector<Real> mu(n), lambda(n), rotation(9 * n), energy(n);
    const auto turns = std::make_unique<bool[]>(n);
    for (Index t = 0; t < n; ++t) {
        const Lame lame = small_strain(materials[of_tet[t]]);
        mu[t] = static_cast<Real>(lame.mu);
        lambda[t] = static_cast<Real>(lame.lambda);
        turns[t] = of_tet[t] == 0;
        for (int i = 0; i < 9; ++i) rotation[i * n + t] = i % 4 == 0;
    }
    std::vector<Vec3<Real>> force(4 * n);
    TetDerivatives<Real> out;
    out.energy = energy.data();
    out.force = force.data();
    for_each_index(n, [&](Index t) {
        hooke_body(bench.planes(), {mu.data(), lambda.data(), turns.get()}, bench.x.data(), 4,
                   rotation.data(), out, t);
    });
    // Capped rotations end at an asymmetry of 1e-6 whatever the type of the numbers.
    const std::vector<Vec3d> gathered = bench.gathered(force);
    const double limit = (sizeof(Real) == 4 ? 1e-4 : 1e-5) * largest(gathered);
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT(norm(gathered[i] - f[i]), limit);
    double sum = 0;
    for (const Real e : energy) sum += e;
    std::vector<double> partial;
    EXPECT_NEAR(sum, elastic_energy(elements, x, partial).energy, 1e-4 * sum);
}

/// One element of a kind in a shaken place, by its body and by its potential.
template <class Real, class Element>
void expect_body_of(const Element& element, std::span<const Vec3d> at) {
    std::vector<Vec3<Real>> x;
    for (const Vec3d& p : at) x.push_back(in<Real>(p));
    ElementPotential<Real, Element> potential(static_cast<Index>(x.size()), {element});
    constexpr int N = Element::n_nodes;
    Real energy = 0;
    std::vector<Vec3<Real>> gradient(N), expected(x.size());
    std::vector<Mat3<Real>> blocks(N * (N + 1) / 2);
    const ElementDerivatives<Real, Element> out{&energy, gradient.data(), blocks.data()};
    element_body(&element, 1, x.data(), out, 0);
    const double size = static_cast<double>(std::abs(energy));
    EXPECT_NEAR(energy, potential.energy(x), 100 * tolerance<Real> * size);
    potential.add_gradient(x, expected);
    double force = 0;
    for (const auto& f : expected) force = std::max(force, norm(in_double(f)));
    EXPECT_GT(force, 0);
    for (int c = 0; c < N; ++c)
        EXPECT_LT(norm(in_double(gradient[c]) - in_double(expected[element.nodes[c]])),
                  100 * tolerance<Real> * force);
    std::vector<Mat3<Real>> D(x.size());
    potential.add_diagonal_blocks(x, HessianKind::projected, D);
    for (int c = 0; c < N; ++c) {
        const auto& K = blocks[BlockScatter<N>::pair(c, c)];
        double stiffness = 0;
        for (const Real k : K.a) stiffness = std::max(stiffness, std::abs(static_cast<double>(k)));
        for (int i = 0; i < 9; ++i)
            EXPECT_NEAR(K.a[i], D[element.nodes[c]].a[i], 1000 * tolerance<Real> * stiffness);
    }
}

TYPED_TEST(Bodies, of_springs_hinges_and_membranes_give_what_their_potentials_give) {
    using Real = TypeParam;
    Random random(9);
    const std::array<Vec3d, 4> rest{{{0, 0, 0}, {1, 0, 0}, {0.3, 0.8, 0.1}, {0.4, -0.7, 0.2}}};
    std::array<Vec3d, 4> x = rest;
    for (Vec3d& p : x) p += 0.15 * random.direction();
    expect_body_of<Real>(Spring{{0, 1}, 120, 0.8}, x);
    expect_body_of<Real>(FlatHinge::make({0, 1, 2, 3}, rest, 2.5), x);
    expect_body_of<Real>(Hinge::make({0, 1, 2, 3}, rest, 2.5), x);
    expect_body_of<Real>(
        Membrane::make({0, 1, 2}, {rest[0], rest[1], rest[2]}, 0.01, Lame::from_young(1e6, 0.3)),
        x);
}

}  // namespace
}  // namespace limber::gpu

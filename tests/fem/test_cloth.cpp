// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/cloth.h"

#include <gtest/gtest.h>

#include <numbers>

#include "fem_samples.h"
#include "limber/core/parallel.h"
#include "limber/fem/elements/element_potential.h"

namespace limber {
namespace {

using testing_fem::Random;

const Lame stuff = Lame::from_young(1e5, 0.3);

/// Two triangles with a common edge, no symmetry, and not in one plane.
const std::array<Vec3d, 4> bent{Vec3d{0, 0, 0}, {1.1, 0.1, 0}, {0.4, 0.9, 0.2}, {0.6, -0.8, 0.3}};

template <class Element>
Element sample();
template <>
Spring sample() {
    return {{0, 1}, 700, 1.05};
}
template <>
Membrane sample() {
    return Membrane::make({0, 1, 2}, {bent[0], bent[1], bent[2]}, 0.01, stuff);
}
template <>
FlatHinge sample() {
    return FlatHinge::make({0, 1, 2, 3}, bent, 3.0);
}
template <>
Hinge sample() {
    return Hinge::make({0, 1, 2, 3}, bent, 3.0);
}

template <class Element>
class EveryClothElement : public ::testing::Test {
  public:
    static constexpr int N = Element::n_nodes;
    using Corners = std::array<Vec3d, N>;
    Element element = sample<Element>();

    static Corners rest() {
        Corners x;
        for (int c = 0; c < N; ++c) x[c] = bent[c];
        return x;
    }
    /// Turned, moved and deformed by a third.
    static Corners deformed(Random& random, double size = 0.3) {
        const Mat3d R = random.rotation();
        Corners x = rest();
        for (Vec3d& p : x) p = R * (p + size * random.direction()) + Vec3d{3, -2, 1};
        return x;
    }
    Eigen::MatrixXd hessian(const Corners& x, HessianKind kind) const {
        const auto blocks = element.hessian(x, kind);
        Eigen::MatrixXd K(3 * N, 3 * N);
        for (int a = 0; a < N; ++a)
            for (int b = a; b < N; ++b)
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        K(3 * a + i, 3 * b + j) = K(3 * b + j, 3 * a + i) =
                            blocks[BlockScatter<N>::pair(a, b)](i, j);
        return K;
    }
};
using ClothElements = ::testing::Types<Spring, Membrane, FlatHinge, Hinge>;
TYPED_TEST_SUITE(EveryClothElement, ClothElements);

TYPED_TEST(EveryClothElement, gradient_is_that_of_the_energy) {
    Random random(3);
    for (int k = 0; k < 100; ++k) {
        auto x = this->deformed(random);
        const auto g = this->element.gradient(x);
        double scale = 1;
        for (const Vec3d& f : g) scale = std::max(scale, norm(f));
        for (int c = 0; c < this->N; ++c)
            for (int axis = 0; axis < 3; ++axis) {
                // Central differences: h² of truncation and ulp/h of rounding are both near 1e-10.
                const double at = x[c][axis], h = 1e-5;
                x[c][axis] = at + h;
                const double up = this->element.energy(x);
                x[c][axis] = at - h;
                const double down = this->element.energy(x);
                x[c][axis] = at;
                EXPECT_NEAR((up - down) / (2 * h), g[c][axis], 1e-6 * scale);
            }
    }
}

TYPED_TEST(EveryClothElement, hessian_is_the_derivative_of_the_gradient) {
    Random random(4);
    for (int k = 0; k < 100; ++k) {
        auto x = this->deformed(random);
        const Eigen::MatrixXd K = this->hessian(x, HessianKind::exact);
        for (int b = 0; b < this->N; ++b)
            for (int axis = 0; axis < 3; ++axis) {
                const double at = x[b][axis], h = 1e-5;
                x[b][axis] = at + h;
                const auto up = this->element.gradient(x);
                x[b][axis] = at - h;
                const auto down = this->element.gradient(x);
                x[b][axis] = at;
                for (int a = 0; a < this->N; ++a)
                    for (int i = 0; i < 3; ++i)
                        EXPECT_NEAR((up[a][i] - down[a][i]) / (2 * h), K(3 * a + i, 3 * b + axis),
                                    1e-6 * K.norm());
            }
    }
}

TYPED_TEST(EveryClothElement, projected_hessian_is_positive_semidefinite_and_ends_at_the_exact) {
    Random random(5);
    bool indefinite = false;
    for (int k = 0; k < 200; ++k) {
        const auto x = this->deformed(random);
        const Eigen::MatrixXd exact = this->hessian(x, HessianKind::exact);
        const Eigen::MatrixXd projected = this->hessian(x, HessianKind::projected);
        const auto lowest = [](const Eigen::MatrixXd& K) {
            return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues()[0];
        };
        indefinite |= lowest(exact) < -1e-6 * exact.norm();
        EXPECT_GT(lowest(projected), -1e-12 * exact.norm());
    }
    EXPECT_EQ(indefinite, (!std::is_same_v<TypeParam, FlatHinge>));
    const auto rest = this->rest();
    if constexpr (!std::is_same_v<TypeParam, Spring>) {
        EXPECT_LT(
            (this->hessian(rest, HessianKind::exact) - this->hessian(rest, HessianKind::projected))
                .norm(),
            1e-9 * this->hessian(rest, HessianKind::exact).norm());
    }
}

TYPED_TEST(EveryClothElement, does_not_feel_rigid_motion) {
    Random random(6);
    for (int k = 0; k < 20; ++k) {
        const auto x = this->deformed(random);
        const Mat3d R = random.rotation();
        auto y = x;
        for (Vec3d& p : y) p = R * p + Vec3d{1, 2, 3};
        EXPECT_NEAR(this->element.energy(y), this->element.energy(x),
                    1e-10 * (1 + this->element.energy(x)));
        Vec3d force, moment;
        const auto g = this->element.gradient(x);
        double scale = 1;
        for (int c = 0; c < this->N; ++c) {
            force += g[c];
            moment += cross(x[c], g[c]);
            scale = std::max(scale, norm(g[c]));
        }
        EXPECT_LT(norm(force) + norm(moment), 1e-9 * scale);
    }
}

TYPED_TEST(EveryClothElement, stays_finite_when_it_collapses) {
    typename TestFixture::Corners x{};
    for (int state = 0; state < 2; ++state) {
        if (state == 1) x[1] = {1, 0, 0};  // a line
        EXPECT_TRUE(std::isfinite(this->element.energy(x)));
        for (const Vec3d& f : this->element.gradient(x)) EXPECT_TRUE(is_finite(f));
        for (HessianKind kind : {HessianKind::exact, HessianKind::projected})
            EXPECT_TRUE(this->hessian(x, kind).allFinite());
    }
}

TEST(Hinge, rests_at_its_angle_and_the_membrane_at_its_shape) {
    EXPECT_EQ(sample<Hinge>().energy(bent), 0);
    EXPECT_NEAR(sample<Membrane>().energy(std::array{bent[0], bent[1], bent[2]}), 0, 1e-25);
    EXPECT_GT(sample<FlatHinge>().energy(bent), 0);  // flat is its rest
}

/// Both forms of a flat pair bent by a small angle, and the formula of hinge.h.
TEST(Hinge, both_forms_agree_at_small_angles) {
    const std::array<Vec3d, 4> flat{Vec3d{0, 0, 0}, {1, 0, 0}, {0.3, 0.8, 0}, {0.6, -0.5, 0}};
    const FlatHinge a = FlatHinge::make({0, 1, 2, 3}, flat, 2.0);
    const Hinge b = Hinge::make({0, 1, 2, 3}, flat, 2.0);
    const double angle = 1e-3;
    auto x = flat;
    x[2] = {0.3, 0.8 * std::cos(angle), 0.8 * std::sin(angle)};
    const double expected = 2.0 / 2 / (0.5 * 0.8 + 0.5 * 0.5) * angle * angle;
    EXPECT_NEAR(a.energy(x), expected, 1e-6 * expected);
    EXPECT_NEAR(b.energy(x), expected, 1e-6 * expected);
}

/// A sheet of squares cut in two, or of equilateral triangles.
struct Sheet {
    std::vector<Vec3d> x;
    std::vector<Triangle> triangles;
    Index n;

    Sheet(Index cells, bool equilateral) : n(cells) {
        const double height = equilateral ? std::sqrt(0.75) : 1;
        for (Index j = 0; j <= n; ++j)
            for (Index i = 0; i <= n; ++i)
                x.push_back({i + (equilateral ? 0.5 * j : 0), 0, j * height});
        for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) {
                const Index a = j * (n + 1) + i, c = a + n + 1;
                if (equilateral || (i + j) % 2) {
                    triangles.push_back({a, c, a + 1});
                    triangles.push_back({a + 1, c, c + 1});
                } else {
                    triangles.push_back({a, c, c + 1});
                    triangles.push_back({a, c + 1, a + 1});
                }
            }
    }
    template <class Real, class Element>
    ElementPotential<Real, Element> potential(const std::vector<Element>& elements) const {
        return {static_cast<Index>(x.size()), elements};
    }
    double area() const { return norm(cross(x[n] - x[0], x[x.size() - 1 - n] - x[0])); }
};

TEST(Cloth, bent_into_a_cylinder_holds_the_energy_of_a_plate) {
    ClothOptions options;
    options.bending = 0.7;
    const double radius = 200;
    const auto per_area = [&](const Sheet& sheet, double angle) {
        Cloth cloth;
        add_cloth(sheet.x, sheet.triangles, stuff, options, cloth);
        EXPECT_TRUE(cloth.hinges.empty());
        const Vec3d along{std::cos(angle), 0, std::sin(angle)}, axis{-along.z, 0, along.x};
        std::vector<Vec3d> y;
        for (const Vec3d& p : sheet.x) {
            const double s = dot(p, along) / radius;
            y.push_back(dot(p, axis) * axis + (radius * std::sin(s)) * along +
                        Vec3d{0, radius * (1 - std::cos(s)), 0});
        }
        return sheet.potential<double>(cloth.flat_hinges).energy(y) / sheet.area();
    };
    const double plate = 0.5 * options.bending / (radius * radius);
    // The border has no hinges: 1/n of the energy is missing.
    for (double angle : {0.0, 0.3, 1.1})
        EXPECT_NEAR(per_area(Sheet(60, true), angle), plate, 0.03 * plate) << angle;
    for (double angle : {0.0, std::numbers::pi / 2})
        EXPECT_NEAR(per_area(Sheet(60, false), angle), plate, 0.03 * plate) << angle;
}

TEST(Cloth, springs_stretch_as_the_material_does) {
    const Sheet sheet(30, true);
    ClothOptions options;
    options.thickness = 0.01;
    Cloth springs, triangles;
    add_cloth(sheet.x, sheet.triangles, Lame::from_young(1e5, 1.0 / 3), options, springs);
    options.stretch = StretchKind::triangles;
    add_cloth(sheet.x, sheet.triangles, Lame::from_young(1e5, 1.0 / 3), options, triangles);
    // The strains of plane stress: along and across, uniaxial, equal in both directions, shear.
    const double e = 1e-4;
    for (const auto& [xx, zz, xz] :
         {std::array{e, -e / 3, 0.0}, {e, 0.0, 0.0}, {e, e, 0.0}, {0.0, 0.0, e}}) {
        std::vector<Vec3d> y;
        for (const Vec3d& p : sheet.x)
            y.push_back({p.x + xx * p.x + xz * p.z, 0, p.z + zz * p.z + xz * p.x});
        const double a = sheet.potential<double>(springs.springs).energy(y);
        const double b = sheet.potential<double>(triangles.membranes).energy(y);
        EXPECT_NEAR(a, b, 2e-3 * b);  // the lattice is isotropic but for its border, and Hooke's
    }
    // Pulled along with free sides: E t e²/2 per area.
    std::vector<Vec3d> y;
    for (const Vec3d& p : sheet.x) y.push_back({p.x * (1 + e), 0, p.z * (1 - e / 3)});
    const double expected = 0.5 * 1e5 * 0.01 * e * e * sheet.area();
    EXPECT_NEAR(sheet.potential<double>(triangles.membranes).energy(y), expected, 1e-3 * expected);
}

/// A tube of triangles: curved hinges as well as flat ones.
TEST(Cloth, sums_are_the_same_for_any_number_of_threads_and_close_in_float) {
    Sheet sheet(40, false);
    for (Vec3d& p : sheet.x) p.y = 0.01 * p.x * p.x;
    ClothOptions options;
    options.bending = 1e-3;
    Cloth cloth;
    add_cloth(sheet.x, sheet.triangles, stuff, options, cloth);
    options.stretch = StretchKind::triangles;
    options.rest = ClothRest::flat;
    add_cloth(sheet.x, sheet.triangles, stuff, options, cloth);
    ASSERT_FALSE(cloth.hinges.empty());
    Random random(8);
    std::vector<Vec3d> x;
    std::vector<Vec3<float>> xf;
    for (const Vec3d& p : sheet.x) {
        x.push_back(p + 0.1 * random.direction());
        xf.push_back({float(x.back().x), float(x.back().y), float(x.back().z)});
    }
    const auto check = [&](const auto& elements) {
        auto potential = sheet.potential<double>(elements);
        const auto run = [&](int threads) {
            const ThreadLimit limit(threads);
            std::vector<Vec3d> g(x.size());
            potential.add_gradient(x, g);
            potential.add_diagonal(x, g);
            return std::pair(g, potential.energy(x));
        };
        EXPECT_EQ(run(1), run(2));
        auto single = sheet.potential<float>(elements);
        EXPECT_NEAR(single.energy(xf), potential.energy(x), 1e-3 * potential.energy(x));
        std::vector<Vec3d> g(x.size());
        std::vector<Vec3<float>> gf(x.size());
        potential.add_gradient(x, g);
        single.add_gradient(xf, gf);
        double largest = 0, error = 0;
        for (std::size_t i = 0; i < g.size(); ++i) {
            largest = std::max(largest, norm(g[i]));
            error = std::max(error, norm(g[i] - Vec3d{gf[i].x, gf[i].y, gf[i].z}));
        }
        EXPECT_LT(error, 1e-3 * largest);
        // The matrix: its diagonal is the diagonal.
        std::vector<std::array<Index, 2>> pairs;
        potential.add_pairs(pairs);
        BlockCsr A = matrix_of_pairs(static_cast<Index>(x.size()), pairs);
        potential.add_hessian(x, HessianKind::projected, 1, A);
        std::vector<Vec3d> d(x.size());
        potential.add_diagonal(x, d);
        for (std::size_t i = 0; i < d.size(); ++i)
            EXPECT_NEAR(A.blocks()[A.diagonal_position(Index(i))](1, 1), d[i].y,
                        1e-9 * (1 + std::abs(d[i].y)));
    };
    check(cloth.springs);
    check(cloth.membranes);
    check(cloth.flat_hinges);
    check(cloth.hinges);
}

TEST(Cloth, has_the_area_and_the_edges_of_its_triangles) {
    const Sheet sheet(5, false);
    std::vector<double> area(sheet.x.size(), 0);
    add_areas(sheet.x, sheet.triangles, area);
    double sum = 0;
    for (double a : area) sum += a;
    EXPECT_NEAR(sum, 25, 1e-12);
    EXPECT_EQ(edges_of(sheet.triangles).size(), 2u * 5 * 6 + 25);
    EXPECT_NEAR(plate_rigidity(Lame::from_young(12e6, 0.2), 0.01), 12e6 * 1e-6 / 12 / 0.96, 1e-9);
}

}  // namespace
}  // namespace limber

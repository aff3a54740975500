// SPDX-License-Identifier: Apache-2.0
// The kernels that decide the speed of a step, on one thread, as this build's vector instructions
// make them: one line of tab separated figures. tools/vector_levels.sh builds this for every level
// and prints the lines side by side.
//
// CPU time of the thread, least of nine; dgemm is OpenBLAS's in the same run, where it is
// installed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "limber/core/cpu_time.h"
#include "limber/core/parallel.h"
#include "limber/fem/assembly.h"
#include "limber/fem/elements/tet_potential.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/linalg/supernodal/kernels.h"
#include "limber/mesh/shapes.h"

#if defined(LIMBER_BENCH_OPENBLAS)
#include <cblas.h>
#endif

namespace limber {
namespace {

template <class F>
double least_ms(F&& f) {
    double least = 1e300;
    for (int i = 0; i < 9; ++i) {
        const double start = thread_cpu_ms();
        f();
        least = std::min(least, thread_cpu_ms() - start);
    }
    return least;
}

/// The innermost loop of the factor, operands in the first-level cache [GFLOP/s].
double tile_rate() {
    constexpr Index S = strip_lanes<double>, depth = 256, tiles = 4000;
    std::vector<double> a(static_cast<std::size_t>(tile_strips) * S * depth, 1.0),
        b(S * depth, 1e-3), c(static_cast<std::size_t>(tile_strips) * S * tile_columns);
    StripPointers<const double> A;
    StripPointers<double> C;
    for (Index m = 0; m < tile_strips; ++m) {
        A[m] = a.data() + m * S * depth;
        C[m] = c.data() + m * S * tile_columns;
    }
    const double ms = least_ms([&] {
        for (Index k = 0; k < tiles; ++k)
            multiply_tile<double, TileMode::subtract>(tile_strips, A, b.data(), depth, C);
    });
    return 2e-6 * tile_strips * S * tile_columns * depth * tiles / ms;
}

double dgemm_rate() {
#if defined(LIMBER_BENCH_OPENBLAS)
    constexpr int n = 1024;
    openblas_set_num_threads(1);
    const std::vector<double> a(n * n, 1.0);
    std::vector<double> c(n * n);
    return 2e-6 * n * n * n / least_ms([&] {
               cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a.data(), n,
                           a.data(), n, 0, c.data(), n);
           });
#else
    return 0;
#endif
}

/// A sculpture of 58K tets, bent a little.
struct Sculpture {
    TetMesh mesh;
    ElementSet elements;
    std::vector<double> mass;
    CorotationCache rotations;
    std::vector<Vec3d> x, f;

    Sculpture() {
        ShapeDef shape;
        shape.kind = ShapeKind::sculpture;
        shape.cell = 0.0522;
        mesh = make_shape(shape);
        Material material;
        material.law = CorotatedElastic::from(Lame::from_young(5e6, 0.4));
        const std::vector<Index> of_tet(mesh.tets.size(), 0);
        elements = make_elements(mesh, std::span(&material, 1), of_tet);
        mass = lumped_mass(elements);
        rotations.reset(elements);
        f.resize(mesh.nodes.size());
        for (const Vec3d& p : mesh.nodes) x.push_back(rotation_about({1, 0, 0}, 0.3 * p.z) * p);
    }
};

template <class Real>
double sweep_ms(const Sculpture& s) {
    Material rubber;
    rubber.law = NeoHookean::from(Lame::from_young(5e6, 0.4));
    const std::vector<Index> material(s.mesh.tets.size(), 0);
    TetPotential<Real> potential(s.mesh, std::span(&rubber, 1), material);
    std::vector<Vec3<Real>> x, g(s.x.size());
    for (const Vec3d& p : s.x)
        x.push_back({static_cast<Real>(p.x), static_cast<Real>(p.y), static_cast<Real>(p.z)});
    return least_ms([&] { potential.add_gradient(x, g); });
}

void run() {
    const ThreadLimit one(1);
    Sculpture s;
    ElementForces scratch;
    const auto rotate = [&] {
        update_rotations_and_forces(s.elements, s.x, {}, s.rotations, scratch, s.f);
    };
    rotate();
    const double rotation_ms = least_ms(rotate);
    SystemAssembler assembler(s.elements);
    BlockCsr A = assembler.make_matrix();
    const auto assemble = [&] { assembler.assemble({1.0 / 60, false, s.mass}, s.rotations, A); };
    assemble();
    const double assembly_ms = least_ms(assemble);
    SupernodalCholesky<double> factor;
    factor.analyze(A);
    factor.factorize(A, {});
    const double factor_ms = least_ms([&] { factor.factorize(A, {}); });
    std::vector<Vec3d> y(s.x.size());
    const double solve_ms = least_ms([&] { factor.solve(s.x, y); });
    SupernodalCholesky<float> single;
    single.analyze(A);
    single.factorize(A, {});
    const double float_ms = least_ms([&] { single.factorize(A, {}); });

    Pcg pcg({.max_iterations = 50, .rel_tolerance = 1e-30});
    Preconditioner jacobi(PreconditionerKind::block_jacobi);
    jacobi.update(A, {}, {});
    const double cg_ms = least_ms([&] {
                             std::fill(y.begin(), y.end(), Vec3d{});
                             pcg.solve({.A = A, .P = jacobi, .b = s.x}, y);
                         }) /
                         50;
    std::printf("%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", LIMBER_LEVEL,
                dgemm_rate(), tile_rate(), factor_ms, float_ms, solve_ms, cg_ms, rotation_ms,
                assembly_ms, sweep_ms<float>(s), sweep_ms<double>(s));
}

}  // namespace
}  // namespace limber

int main() {
    limber::run();
}

// SPDX-License-Identifier: Apache-2.0

// The element kernels on the field's beam: 15 x 15 x 75 cells, 101 250 tets, 19 456 nodes, bent and
// shaken. The argument is the number of threads. Bytes are what must move once if nothing stays in
// a cache. Best read with --benchmark_repetitions=9 and the smallest time: other work only adds.

#include <benchmark/benchmark.h>

#include <cmath>

#include "limber/core/parallel.h"
#include "limber/fem/assembly.h"
#include "limber/mesh/shapes.h"

namespace {

using namespace limber;

struct Beam {
    TetMesh mesh = make_box({0.2, 0.2, 1}, {15, 15, 75});
    ElementSet elements;
    std::vector<Vec3d> x[2];  // two states one small step apart: 0.01 rad at the tip
    std::vector<double> mass;

    Beam() {
        Material rubber{.name = "rubber", .law = CorotatedElastic{3.6e5, 1.4e6}};
        rubber.damping_stiffness = 0.001;
        const std::vector<Index> material(mesh.tets.size(), 0);
        elements = make_elements(mesh, std::span(&rubber, 1), material);
        mass = lumped_mass(elements);
        for (int k = 0; k < 2; ++k)
            for (const Vec3d& p : mesh.nodes) {
                const double s = p.z + 0.5, angle = (0.8 + 0.01 * k) * s;
                x[k].push_back(rotation_about({1, 0, 0}, angle) *
                               Vec3d{p.x * (1 + 0.1 * std::sin(20 * s)), p.y, p.z});
            }
    }
};

const Beam& beam() {
    static const Beam instance;
    return instance;
}

double sweep_bytes(const ElementSet& e) {
    return static_cast<double>(e.tets.packets.size()) *
               (sizeof(HookePacket) + sizeof(RotationPacket)) +
           2.0 * sizeof(Vec3d) * e.n_nodes;
}

void rotations_and_forces(benchmark::State& state, RotationKind kind, int iterations) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Beam& b = beam();
    CorotationCache rotations;
    rotations.reset(b.elements);
    ElementForces scratch;
    std::vector<Vec3d> f(b.elements.n_nodes);
    update_rotations_and_forces(b.elements, b.x[0], {RotationKind::svd, 0}, rotations, scratch, f);
    int k = 0;
    for (auto _ : state) {
        k = 1 - k;
        update_rotations_and_forces(b.elements, b.x[k], {kind, iterations}, rotations, scratch, f);
        benchmark::DoNotOptimize(f.data());
    }
    const double bytes =
        sweep_bytes(b.elements) +
        static_cast<double>(b.elements.tets.packets.size()) * sizeof(RotationPacket);
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
}

void elastic_energy_of_all(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Beam& b = beam();
    std::vector<double> partial;
    for (auto _ : state)
        benchmark::DoNotOptimize(elastic_energy(b.elements, b.x[0], partial).energy);
    state.SetBytesProcessed(
        static_cast<std::int64_t>(static_cast<double>(b.elements.tets.packets.size()) *
                                  sizeof(HookePacket) * state.iterations()));
}

struct Rotated {
    CorotationCache rotations;
    explicit Rotated(const Beam& b) {
        rotations.reset(b.elements);
        ElementForces scratch;
        std::vector<Vec3d> f(b.elements.n_nodes);
        update_rotations_and_forces(b.elements, b.x[0], {RotationKind::svd, 0}, rotations, scratch,
                                    f);
    }
};

void assembly(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Beam& b = beam();
    const Rotated r(b);
    SystemAssembler assembler(b.elements);
    BlockCsr A = assembler.make_matrix();
    for (auto _ : state) {
        assembler.assemble({0.01, false, b.mass}, r.rotations, A);
        benchmark::DoNotOptimize(A.blocks().data());
    }
    const double bytes =
        sweep_bytes(b.elements) + static_cast<double>(A.n_blocks()) * (sizeof(Mat3d) + 8);
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
}

void apply_without_matrix(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Beam& b = beam();
    const Rotated r(b);
    CorotationalOperator A(b.elements);
    A.set({0.01, false, b.mass}, r.rotations);
    std::vector<Vec3d> y(b.elements.n_nodes);
    for (auto _ : state) benchmark::DoNotOptimize(A.apply(b.x[1], y));
    const double bytes = sweep_bytes(b.elements) + 8.0 * b.elements.n_tets;
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes * state.iterations()));
}

void apply_assembled(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(0)));
    const Beam& b = beam();
    const Rotated r(b);
    SystemAssembler assembler(b.elements);
    BlockCsr A = assembler.make_matrix();
    assembler.assemble({0.01, false, b.mass}, r.rotations, A);
    std::vector<Vec3d> y(b.elements.n_nodes);
    for (auto _ : state) benchmark::DoNotOptimize(A.apply(b.x[1], y));
    state.SetBytesProcessed(static_cast<std::int64_t>(A.product_bytes() * state.iterations()));
}

#define LIMBER_BENCH(...) __VA_ARGS__->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond)
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, jacobi_4, RotationKind::jacobi, 4));
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, jacobi_1, RotationKind::jacobi, 1));
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, quaternion_4, RotationKind::quaternion, 4));
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, quaternion_1, RotationKind::quaternion, 1));
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, svd, RotationKind::svd, 0));
LIMBER_BENCH(BENCHMARK_CAPTURE(rotations_and_forces, kept_rotations, RotationKind::jacobi, 0));
LIMBER_BENCH(BENCHMARK(elastic_energy_of_all));
LIMBER_BENCH(BENCHMARK(assembly));
LIMBER_BENCH(BENCHMARK(apply_without_matrix));
LIMBER_BENCH(BENCHMARK(apply_assembled));

}  // namespace

BENCHMARK_MAIN();

// SPDX-License-Identifier: Apache-2.0
// The mesher: a million tets from a function and from a triangle surface, and the queries that
// dominate the second. Counters are tets a second and tets in the mesh.

#include <benchmark/benchmark.h>

#include <cmath>

#include "limber/core/parallel.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "limber/mesh/surface_distance.h"

namespace limber {
namespace {

/// A body with limbs and a handle, 2 m long.
Solid creature() {
    std::vector<Solid> parts;
    parts.push_back(make_ellipsoid({0, 0, 0}, {0.6, 0.4, 0.4}));
    for (int k = 0; k < 4; ++k) {
        const double x = k & 1 ? 0.4 : -0.4, z = k & 2 ? 0.25 : -0.25;
        parts.push_back(make_rounded_cone({x, -0.2, z}, 0.15, {x, -0.8, 1.3 * z}, 0.08));
    }
    parts.push_back(make_rounded_cone({0.5, 0.2, 0}, 0.2, {0.9, 0.5, 0}, 0.25));
    parts.push_back(make_torus({-0.6, 0.3, 0}, {0, 0, 1}, 0.25, 0.07));
    return smooth_unite(std::move(parts), 0.1);
}

/// Its surface as triangles, about as many as a scanned model has.
TriMesh creature_surface() {
    StuffingOptions options;
    options.cell = 0.03;
    return boundary_surface(stuff(*creature(), options).mesh);
}

void mesh(benchmark::State& state, const Implicit& solid, bool graded) {
    const ThreadLimit limit(static_cast<int>(state.range(1)));
    StuffingOptions options;
    options.graded = graded;
    options.shape_volume = 1;  // no comparison, no second sampling
    options = options_for_tets(solid, static_cast<Index>(state.range(0)), options);
    Index n_tets = 0;
    for (auto _ : state) n_tets = stuff(solid, options).mesh.n_tets();
    state.counters["tets"] = n_tets;
    state.counters["tets_per_s"] =
        benchmark::Counter(n_tets, benchmark::Counter::kIsIterationInvariantRate);
}

void from_function(benchmark::State& state) {
    mesh(state, *creature(), false);
}
void from_function_graded(benchmark::State& state) {
    mesh(state, *creature(), true);
}
void from_surface(benchmark::State& state) {
    mesh(state, SurfaceSolid(creature_surface()), false);
}
/// With the search for the cell.
void to_a_number_of_tets(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(1)));
    const SurfaceSolid solid(creature_surface());
    for (auto _ : state) {
        StuffingOptions options;
        solid.describe(options);
        options = options_for_tets(solid, static_cast<Index>(state.range(0)), options);
        benchmark::DoNotOptimize(stuff(solid, options).mesh.tets.data());
    }
}

/// One signed distance near the surface.
void signed_distance(benchmark::State& state) {
    const SurfaceSolid solid(creature_surface());
    int i = 0;
    for (auto _ : state) {
        ++i;
        const Vec3d p{0.65 * std::sin(1.1 * i), 0.45 * std::sin(2.3 * i), 0.45 * std::sin(3.7 * i)};
        benchmark::DoNotOptimize(solid.value(p));
    }
}

#define LIMBER_MESHER_BENCH(name)       \
    BENCHMARK(name)                     \
        ->Args({58000, 1})              \
        ->Args({1000000, 1})            \
        ->Args({1000000, 2})            \
        ->Unit(benchmark::kMillisecond) \
        ->UseRealTime()
LIMBER_MESHER_BENCH(from_function);
LIMBER_MESHER_BENCH(from_function_graded);
LIMBER_MESHER_BENCH(from_surface);
LIMBER_MESHER_BENCH(to_a_number_of_tets);
BENCHMARK(signed_distance);

}  // namespace
}  // namespace limber

BENCHMARK_MAIN();

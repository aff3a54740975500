// SPDX-License-Identifier: Apache-2.0
// How close the block product and a whole CG iteration come to the bytes they must move.
//
//   bench_linalg                                 all kernels, 1 and 2 threads
//   bench_linalg --benchmark_filter=cg           CG iterations only
//
// Two grids of six tets a cell: 16 x 16 x 76 nodes (the 101,250-tet beam; its matrix fits a 32 MB
// last-level cache) and 40 x 41 x 41 (67,240 nodes, as a 329,000-tet mesh; it does not). Every
// round times a burst of read-only sums over as many bytes as the kernel moves, a burst of triads,
// then a burst of the kernel, so that all three meet the same caches and the same neighbours.
// Columns:
//   GB/s     bytes the kernel must move / its time
//   read, triad   the references of the same rounds [GB/s]
//   ratio    kernel time / (bytes / read bandwidth): 1 is the limit, the goal for CG is 1.3
// These are the best of all rounds, as STREAM counts: what a busy machine adds is left out of
// kernel and reference alike. `typical` is the ratio of the medians of one round, median over the
// rounds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/core/timer.h"
#include "limber/linalg/block_csr.h"
#include "limber/linalg/huge_pages.h"
#include "limber/linalg/pcg.h"

namespace limber {
namespace {

struct Grid {
    Index nx, ny, nz;
};
constexpr std::array<Grid, 2> grids{{{16, 16, 76}, {40, 41, 41}}};

/// Each node couples with itself and up to 14 neighbours, as in a grid of Kuhn tets.
BlockCsr kuhn_matrix(const Grid& g) {
    constexpr std::array<std::array<int, 3>, 7> up{
        {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}};
    std::vector<Index> row_begin{0}, column;
    for (Index z = 0; z < g.nz; ++z)
        for (Index y = 0; y < g.ny; ++y)
            for (Index x = 0; x < g.nx; ++x) {
                const auto add = [&](Index i, Index j, Index k) {
                    if (i >= 0 && i < g.nx && j >= 0 && j < g.ny && k >= 0 && k < g.nz)
                        column.push_back(i + g.nx * (j + g.ny * k));
                };
                for (auto d = up.rbegin(); d != up.rend(); ++d)
                    add(x - (*d)[0], y - (*d)[1], z - (*d)[2]);
                add(x, y, z);
                for (const auto& d : up) add(x + d[0], y + d[1], z + d[2]);
                row_begin.push_back(static_cast<Index>(column.size()));
            }
    BlockCsr A(std::move(row_begin), std::move(column));
    const Vec3d d{1, 0, 0.5};
    for (Mat3d& B : A.blocks()) B = -1.0 * (Mat3d::identity() + outer(d, d));
    for (Index i = 0; i < A.n_nodes(); ++i)  // dominates its row
        A.blocks()[A.diagonal_position(i)] = 45.0 * Mat3d::identity();
    return A;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

struct Seconds {
    double best, median;
};

template <class F>
Seconds time_burst(int repeats, F&& f) {
    std::vector<double> seconds(repeats);
    f();  // warms the caches
    for (double& s : seconds) {
        const Timer timer;
        f();
        s = 1e-3 * timer.ms();
    }
    return {*std::min_element(seconds.begin(), seconds.end()), median(seconds)};
}

/// Reads and triads over arrays of a given total size.
class Reference {
  public:
    explicit Reference(double bytes)
        : n_(static_cast<Index>(bytes / sizeof(double)) / grain * grain),
          data_(n_, 1.0),
          partial_(n_ / grain) {}

    Seconds time_read() {
        return time_burst(9, [&] { benchmark::DoNotOptimize(read()); });
    }
    double read_bytes() const { return sizeof(double) * static_cast<double>(n_); }
    Seconds time_triad() {
        return time_burst(9, [&] { triad(); });
    }
    double triad_bytes() const { return 3 * sizeof(double) * static_cast<double>(third()); }

  private:
    static constexpr Index grain = 8192;
    using Lanes = Packet<double, 8>;

    Index third() const { return n_ / 3 / grain * grain; }
    double read() {
        const double* data = data_.data();
        return parallel_sum(n_, grain, std::span(partial_), [=](Index begin, Index end) {
            Lanes s0, s1, s2, s3;
            for (Index i = begin; i < end; i += 32) {
                s0 += Lanes::load(data + i);
                s1 += Lanes::load(data + i + 8);
                s2 += Lanes::load(data + i + 16);
                s3 += Lanes::load(data + i + 24);
            }
            const Lanes s = (s0 + s1) + (s2 + s3);
            double sum = 0;
            for (int lane = 0; lane < 8; ++lane) sum += s[lane];
            return sum;
        });
    }
    void triad() {
        double *a = data_.data(), *b = a + third(), *c = b + third();
        parallel_ranges(third(), grain, [=](Index begin, Index end) {
            for (Index i = begin; i < end; i += 8)
                (Lanes::load(b + i) + Lanes(0.5) * Lanes::load(c + i)).store(a + i);
        });
        benchmark::ClobberMemory();
    }

    Index n_;
    StreamedVector<double> data_;  // pages as the matrix has them
    std::vector<double> partial_;
};

/// One round an iteration of the benchmark: references, then the kernel.
template <class Kernel>
void against_bandwidth(benchmark::State& state, double bytes, Kernel&& time_kernel) {
    Reference reference(bytes);
    double read = 1e30, triad = 1e30, own = 1e30;
    std::vector<double> ratio;
    for (auto _ : state) {
        const Seconds r = reference.time_read(), t = reference.time_triad(), k = time_kernel();
        read = std::min(read, r.best);
        triad = std::min(triad, t.best);
        own = std::min(own, k.best);
        ratio.push_back(k.median / r.median * (reference.read_bytes() / bytes));
        state.SetIterationTime(k.median);
    }
    state.counters["MB"] = 1e-6 * bytes;
    state.counters["ms"] = 1e3 * own;
    state.counters["GB/s"] = 1e-9 * bytes / own;
    state.counters["read"] = 1e-9 * reference.read_bytes() / read;
    state.counters["triad"] = 1e-9 * reference.triad_bytes() / triad;
    state.counters["ratio"] = own / read * (reference.read_bytes() / bytes);
    state.counters["typical"] = median(ratio);
}

void block_product(benchmark::State& state) {
    const ThreadLimit limit(static_cast<int>(state.range(1)));
    const BlockCsr A = kuhn_matrix(grids[state.range(0)]);
    const std::vector<Vec3d> x(A.n_nodes(), Vec3d{1, 2, 3});
    std::vector<Vec3d> y(A.n_nodes());
    against_bandwidth(state, A.product_bytes(), [&] {
        return time_burst(15, [&] { benchmark::DoNotOptimize(A.apply(x, y)); });
    });
}

void cg_iteration(benchmark::State& state) {
    constexpr int iterations = 10;  // a solve of source 000; its start is part of the time
    const ThreadLimit limit(static_cast<int>(state.range(1)));
    const BlockCsr A = kuhn_matrix(grids[state.range(0)]);
    Preconditioner P(static_cast<PreconditionerKind>(state.range(2)));
    P.update(A, std::vector<double>(A.n_nodes(), 1.0), {});
    std::vector<Vec3d> b(A.n_nodes()), x(A.n_nodes());
    for (Index i = 0; i < A.n_nodes(); ++i) b[i] = {1.0 * (i % 7), 1.0 * (i % 5), 1.0 * (i % 3)};
    Pcg pcg({.max_iterations = iterations});
    PcgProblem problem{.A = A, .P = P, .b = b};
    problem.forced_iterations = iterations;
    against_bandwidth(state, Pcg::iteration_bytes(A.product_bytes(), P), [&] {
        const Seconds all = time_burst(20, [&] {
            std::fill(x.begin(), x.end(), Vec3d{});
            pcg.solve(problem, x);
        });
        return Seconds{all.best / iterations, all.median / iterations};
    });
}

void sizes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"grid", "threads"})->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(7);
    for (int grid : {0, 1})
        for (int threads : {1, 2}) b->Args({grid, threads});
}
void sizes_and_kinds(benchmark::internal::Benchmark* b) {
    b->ArgNames({"grid", "threads", "kind"})
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(7);
    for (auto kind : {PreconditionerKind::jacobi, PreconditionerKind::block_jacobi})
        for (int grid : {0, 1})
            for (int threads : {1, 2}) b->Args({grid, threads, static_cast<int>(kind)});
}
BENCHMARK(block_product)->Apply(sizes);
BENCHMARK(cg_iteration)->Apply(sizes_and_kinds);

}  // namespace
}  // namespace limber

BENCHMARK_MAIN();

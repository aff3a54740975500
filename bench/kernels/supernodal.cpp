// SPDX-License-Identifier: Apache-2.0
// The supernodal factor against what the machine allows: factorisation against dgemm, triangular
// solves against reading memory, updates against their share of the flops, each with its reference
// measured in the same run.
//
//   bench_supernodal                        the rows of the table: sculpture 115K, ball 118K
//   bench_supernodal mesh.msh ...           other meshes (limber mesh --shape sculpture ...)
//   bench_supernodal --write A.bin mesh     also writes the matrix, for bench/cholmod_probe
//   bench_supernodal --quick                fewer repetitions, and small meshes where none is named
//   bench_supernodal --benchmark_out=FILE   JSON as the other benchmarks write it
//
// The matrix is M + h²K of the mesh at rest, E = 5e6 Pa, ν = 0.4, ρ = 1000 kg/m³, h = 1/60 s. One
// thread is measured in the CPU time of the thread and two in wall time; figures are the best of
// all repetitions, since what a busy machine adds is not ours.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/core/cpu_time.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/core/timer.h"
#include "limber/fem/assembly.h"
#include "limber/io/mesh_reader.h"
#include "limber/linalg/huge_pages.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/model.h"

#if defined(LIMBER_BENCH_OPENBLAS)
#include <cblas.h>
#endif

namespace limber {
namespace {

int repetitions = 7;

struct Row {
    std::string name;
    double ms;  // best of all repetitions
    std::vector<std::pair<std::string, double>> figures;
};
std::vector<Row> rows;

void add_row(Row row) {
    std::printf("| %s | %.4g ms |", row.name.c_str(), row.ms);
    for (const auto& [name, value] : row.figures) std::printf(" %s %.4g |", name.c_str(), value);
    std::puts("");
    rows.push_back(std::move(row));
}

void write_json(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) {
        std::perror(path.c_str());
        std::exit(4);
    }
    std::fputs("{\"context\": {}, \"benchmarks\": [", file);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const char* name = rows[i].name.c_str();
        std::fprintf(file,
                     "%s\n{\"name\": \"%s\", \"run_name\": \"%s\", \"aggregate_name\": \"best\", "
                     "\"real_time\": %.6g, \"time_unit\": \"ms\"",
                     i ? "," : "", name, name, rows[i].ms);
        for (const auto& [figure, value] : rows[i].figures)
            std::fprintf(file, ", \"%s\": %.6g", figure.c_str(), value);
        std::fputs("}", file);
    }
    std::fputs("]}\n", file);
    if (std::fclose(file) != 0) {
        std::perror(path.c_str());
        std::exit(4);
    }
}

/// CPU time of this thread, or wall time when several threads work [ms].
double now_ms(int threads) {
    return clock_ms(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
}

template <class F>
double best_ms(int threads, int n, F&& f) {
    double best = 1e300;
    for (int i = 0; i < n; ++i) {
        const double start = now_ms(threads);
        f();
        best = std::min(best, now_ms(threads) - start);
    }
    return best;
}

/// OpenBLAS on n x n matrices [GF/s]; 0 where it is not installed.
double gemm_rate([[maybe_unused]] int threads, [[maybe_unused]] bool single) {
#if defined(LIMBER_BENCH_OPENBLAS)
    constexpr int n = 1536;
    openblas_set_num_threads(threads);
    const std::vector<double> a(n * n, 1.0);
    std::vector<double> c(n * n);
    const std::vector<float> af(n * n, 1.0f);
    std::vector<float> cf(n * n);
    const double ms = best_ms(threads, 5, [&] {
        if (single)
            cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, af.data(), n,
                        af.data(), n, 0, cf.data(), n);
        else
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a.data(), n, a.data(),
                        n, 0, c.data(), n);
    });
    return 2e-6 * n * n * n / ms;
#else
    return 0;
#endif
}

/// Reads an array much larger than the caches [GB/s].
class ReadBandwidth {
  public:
    double measure(int threads) {
        double sink = 0;
        const double ms = best_ms(threads, 5, [&] {
            sink += parallel_sum(n, grain, std::span(partial_), [&](Index begin, Index end) {
                Packet<double, 8> s[4];
                for (Index i = begin; i < end; i += 32)
                    for (int u = 0; u < 4; ++u)
                        s[u] += Packet<double, 8>::load(data_.data() + i + 8 * u);
                const Packet<double, 8> all = (s[0] + s[1]) + (s[2] + s[3]);
                return all[0] + all[3] + all[7];
            });
        });
        if (sink == 1) std::puts("");  // never; the sums must not be optimised away
        return 8e-6 * n / ms;
    }

  private:
    static constexpr Index n = 1 << 25, grain = 1 << 16;
    StreamedVector<double> data_ = StreamedVector<double>(n, 0.0);
    std::vector<double> partial_ = std::vector<double>(n / grain);
};

struct System {
    std::string name;
    Index n_tets = 0;
    BlockCsr A;
    TetMesh mesh;
};

System make_system(const std::string& name, TetMesh mesh) {
    Material material;
    const Lame lame = Lame::from_young(5e6, 0.4);
    material.law = CorotatedElastic{lame.mu, lame.lambda};
    Model model = one_body(name, std::move(mesh), material);
    finish_model(model);
    SystemAssembler assembler(model.elements);
    CorotationCache rotations;
    rotations.reset(model.elements);
    System system{name, model.n_tets(), assembler.make_matrix(), {}};
    assembler.assemble({1.0 / 60, false, model.lumped}, rotations, system.A);
    system.mesh = std::move(model.mesh);
    return system;
}

std::vector<Vec3d> right_hand_side(Index n) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<double> number(-1, 1);
    std::vector<Vec3d> b(n);
    for (Vec3d& v : b) v = {number(engine), number(engine), number(engine)};
    return b;
}

/// Nodes nearest to the lowest one, `share` of them: what a contact changes.
std::vector<Index> cluster(const TetMesh& mesh, double share) {
    std::vector<Index> nodes(mesh.n_nodes());
    for (Index i = 0; i < mesh.n_nodes(); ++i) nodes[i] = i;
    const Vec3d lowest =
        *std::min_element(mesh.nodes.begin(), mesh.nodes.end(),
                          [](const Vec3d& a, const Vec3d& b) { return a.y < b.y; });
    std::sort(nodes.begin(), nodes.end(), [&](Index a, Index b) {
        return squared_norm(mesh.nodes[a] - lowest) < squared_norm(mesh.nodes[b] - lowest);
    });
    nodes.resize(std::max<std::size_t>(1, static_cast<std::size_t>(share * nodes.size())));
    return nodes;
}

std::vector<Index> scattered(const TetMesh& mesh, double share) {
    std::mt19937 engine(2);
    std::uniform_int_distribution<Index> node(0, mesh.n_nodes() - 1);
    std::vector<Index> nodes(std::max(1, static_cast<int>(share * mesh.n_nodes())));
    for (Index& i : nodes) i = node(engine);
    return nodes;
}

template <class T>
void bench_updates(const System& system, SupernodalCholesky<T>& factor, double full_ms) {
    for (const bool clustered : {true, false})
        for (const double share : {0.0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.44}) {
            const std::vector<Index> dirty =
                clustered ? cluster(system.mesh, share) : scattered(system.mesh, share);
            const double ms = best_ms(1, std::max(2, repetitions / 2),
                                      [&] { factor.update(system.A, {}, dirty); });
            const double flops = factor.last_work().flops / factor.structure().total_flops;
            char percent[32];
            std::snprintf(percent, sizeof percent, "%g %%", 100 * share);
            add_row({system.name + "/update/" + (clustered ? "clustered " : "scattered ") + percent,
                     ms,
                     {{"time share", ms / full_ms}, {"flop share", flops}}});
        }
}

template <class T>
void bench_factor(const System& system, ReadBandwidth& memory, bool updates) {
    SupernodalCholesky<T> factor;
    const double analyze_ms = best_ms(1, 1, [&] { factor.analyze(system.A); });
    const SupernodalStructure& t = factor.structure();
    const SupernodalMemory& m = factor.memory();
    const char* scalar = sizeof(T) == 8 ? "double" : "float";
    std::printf(
        "\n%s, %s: %d tets, %d nodes, %d supernodes, %.2f GF, nnz(L) %.2f M, L %.0f MB, "
        "updates %.0f MB, scratch %.0f MB, analyze %.0f ms\n",
        system.name.c_str(), scalar, system.n_tets, system.A.n_nodes(), t.n_supernodes(),
        1e-9 * t.total_flops, 1e-6 * t.nnz, 1e-6 * m.factor_bytes, 1e-6 * m.update_bytes,
        1e-6 * m.scratch_bytes, analyze_ms);
    const std::vector<Vec3d> b = right_hand_side(system.A.n_nodes());
    std::vector<Vec3d> x(b.size());
    double full_ms = 0;
    for (const int threads : {1, 2}) {
        const ThreadLimit limit(threads);
        factor.factorize(system.A, {});
        const double gemm = gemm_rate(threads, sizeof(T) == 4);
        const double ms = best_ms(threads, repetitions, [&] { factor.factorize(system.A, {}); });
        const double rate = 1e-6 * t.total_flops / ms;
        const std::string suffix =
            std::string("/") + scalar + "/" + std::to_string(threads) + " threads";
        add_row(
            {system.name + "/factor" + suffix,
             ms,
             {{"GF/s", rate}, {"gemm GF/s", gemm}, {"share of gemm", gemm > 0 ? rate / gemm : 0}}});
        if (threads == 1) full_ms = ms;
        factor.solve(b, x);
        const double before = memory.measure(threads);
        const double solve_ms = best_ms(threads, 3 * repetitions, [&] { factor.solve(b, x); });
        const double after = memory.measure(threads);
        const double bytes = 2 * sizeof(T) * t.nnz;
        const double read = std::max(before, after);
        add_row({system.name + "/solve" + suffix,
                 solve_ms,
                 {{"GB/s", 1e-6 * bytes / solve_ms},
                  {"read GB/s", read},
                  {"share of read", 1e-6 * bytes / solve_ms / read}}});
    }
    std::fill(x.begin(), x.end(), Vec3d{});
    const SolveStats stats = factor.solve(system.A, b, {}, 0, x);
    const SolveStats refined = factor.solve(system.A, b, {}, 0, x, 3);
    std::printf("residual %.1e, after three refinements %.1e\n", stats.residual, refined.residual);
    if (updates) {
        const ThreadLimit limit(1);
        bench_updates(system, factor, full_ms);
    }
}

/// Lower triangle in coordinates: n, count, then row, column (int32) and value, for other programs.
void write_matrix(const System& system, const char* path) {
    const BlockCsr& A = system.A;
    std::vector<std::int32_t> row, column;
    std::vector<double> value;
    for (Index i = 0; i < A.n_nodes(); ++i)
        for (Index k = A.row_begin()[i]; k < A.row_begin()[i + 1]; ++k)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    if (3 * A.column()[k] + c <= 3 * i + r) {
                        row.push_back(3 * i + r);
                        column.push_back(3 * A.column()[k] + c);
                        value.push_back(A.blocks()[k](r, c));
                    }
    std::FILE* file = std::fopen(path, "wb");
    if (!file) {
        std::perror(path);
        std::exit(4);
    }
    const std::int64_t head[2] = {3 * A.n_nodes(), static_cast<std::int64_t>(value.size())};
    bool ok = std::fwrite(head, sizeof head, 1, file) == 1;
    ok = ok && std::fwrite(row.data(), 4, row.size(), file) == row.size();
    ok = ok && std::fwrite(column.data(), 4, column.size(), file) == column.size();
    ok = ok && std::fwrite(value.data(), 8, value.size(), file) == value.size();
    if (std::fclose(file) != 0 || !ok) {
        std::perror(path);
        std::exit(4);
    }
}

void run(int argc, char** argv) {
    std::vector<std::string> meshes;
    const char* matrix_file = nullptr;
    std::string json_file;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        constexpr std::string_view out = "--benchmark_out=", brief = "--benchmark_min_time=0.01";
        if (argument == "--quick" || argument == brief)
            repetitions = 3;
        else if (argument.starts_with(out))
            json_file = argument.substr(out.size());
        else if (argument.starts_with("--benchmark_"))
            continue;  // of the other benchmarks
        else if (argument == "--write" && i + 1 < argc)
            matrix_file = argv[++i];
        else
            meshes.emplace_back(argv[i]);
    }
    std::vector<System> systems;
    for (const std::string& path : meshes)
        systems.push_back(make_system(path, read_tet_mesh(path).mesh));
    if (meshes.empty()) {
        ShapeDef sculpture;
        sculpture.kind = ShapeKind::sculpture;
        const bool quick = repetitions == 3;
        sculpture.cell = quick ? 0.11 : 0.0413;  // 6,800 or 115,700 tets
        systems.push_back(make_system("sculpture", make_shape(sculpture)));
        systems.push_back(make_system("ball", make_sphere(0.5, quick ? 10 : 27)));
    }
    ReadBandwidth memory;
    for (const System& system : systems) {
        if (matrix_file) write_matrix(system, matrix_file);
        bench_factor<double>(system, memory, true);
        bench_factor<float>(system, memory, false);
    }
    if (!json_file.empty()) write_json(json_file);
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("\npeak memory of this program %.0f MB\n", 1e-3 * usage.ru_maxrss);
}

}  // namespace
}  // namespace limber

int main(int argc, char** argv) {
    try {
        limber::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
}

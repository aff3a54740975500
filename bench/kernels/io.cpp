// SPDX-License-Identifier: Apache-2.0
// Reading big meshes against the least that must be done: one from_chars pass over the same text,
// one copy of the same bytes. Argument: tets in millions (--benchmark_filter=/5 for five). The
// counters `ratio` (time over that of the pass or copy, in the same run) and `memory` (peak growth
// of the heap over the size of the mesh, the file not counted) have a goal of 3.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>
#include <stdlib.h>

#include <atomic>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <new>

#include "limber/core/cpu_time.h"
#include "limber/io/formats.h"
#include "limber/mesh/shapes.h"

namespace {

std::atomic<std::size_t> heap_now{0}, heap_peak{0};

void* counted(void* p) {
    if (!p) throw std::bad_alloc();
    const std::size_t now = heap_now += malloc_usable_size(p);
    std::size_t peak = heap_peak;
    while (now > peak && !heap_peak.compare_exchange_weak(peak, now)) {
    }
    return p;
}

}  // namespace

void* operator new(std::size_t n) {
    return counted(malloc(n));
}
void operator delete(void* p) noexcept {
    if (p) heap_now -= malloc_usable_size(p);
    free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    operator delete(p);
}

namespace limber {
namespace {

/// Processor time of this thread: other programs do not count.  [s]
double seconds_now() {
    return 1e-3 * thread_cpu_ms();
}

/// A cube of about `millions` of tets: six a cell.
TetMesh cube(int millions) {
    const int n = static_cast<int>(std::lround(std::cbrt(millions * 1e6 / 6)));
    TetMesh mesh = make_box({1, 1, 1}, {n, n, n});
    mesh.node_groups.clear();
    for (Vec3d& p : mesh.nodes) p = {p.x / 3, p.y / 7, p.z / 9};  // as many digits as real files
    return mesh;
}

std::string ascii22(const TetMesh& mesh) {
    std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n";
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{}\n", mesh.n_nodes());
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        fmt::format_to(out, "{} {} {} {}\n", i + 1, mesh.nodes[i].x, mesh.nodes[i].y,
                       mesh.nodes[i].z);
    fmt::format_to(out, "$EndNodes\n$Elements\n{}\n", mesh.n_tets());
    for (Index i = 0; i < mesh.n_tets(); ++i) {
        const auto& [a, b, c, d] = mesh.tets[i];
        fmt::format_to(out, "{} 4 2 1 1 {} {} {} {}\n", i + 1, a + 1, b + 1, c + 1, d + 1);
    }
    fmt::format_to(out, "$EndElements\n");
    return text;
}

template <class T>
void put(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof raw);
    bytes.append(raw, sizeof raw);
}

std::string binary41(const TetMesh& mesh) {
    std::string b = "$MeshFormat\n4.1 1 8\n";
    put(b, std::int32_t{1});
    b += "\n$EndMeshFormat\n$Nodes\n";
    const auto n = static_cast<std::int64_t>(mesh.n_nodes());
    const auto m = static_cast<std::int64_t>(mesh.n_tets());
    for (std::int64_t v : {std::int64_t{1}, n, std::int64_t{1}, n}) put(b, v);
    for (std::int32_t v : {3, 1, 0}) put(b, v);
    put(b, n);
    for (std::int64_t i = 1; i <= n; ++i) put(b, i);
    for (const Vec3d& p : mesh.nodes)
        for (int k = 0; k < 3; ++k) put(b, p[k]);
    b += "\n$EndNodes\n$Elements\n";
    for (std::int64_t v : {std::int64_t{1}, m, std::int64_t{1}, m}) put(b, v);
    for (std::int32_t v : {3, 1, 4}) put(b, v);
    put(b, m);
    for (std::int64_t i = 0; i < m; ++i) {
        put(b, i + 1);
        for (Index node : mesh.tets[static_cast<std::size_t>(i)]) put(b, std::int64_t{node} + 1);
    }
    return b + "\n$EndElements\n";
}

/// Every number of the text through from_chars, as a double where it has a point.
double from_chars_pass(const std::string& text) {
    double sum = 0;
    const char *p = text.data(), *end = p + text.size();
    while (p != end) {
        std::int64_t whole = 0;
        auto r = std::from_chars(p, end, whole);
        if (r.ptr != end && *r.ptr == '.') {
            double value = 0;
            r = std::from_chars(p, end, value);
            sum += value;
        } else {
            sum += static_cast<double>(whole);
        }
        p = r.ptr == p ? p + 1 : r.ptr;
    }
    return sum;
}

/// Into fresh memory, as a reader must.
void copy_pass(const std::string& bytes) {
    std::vector<char> copy(bytes.begin(), bytes.end());
    benchmark::DoNotOptimize(copy.data());
}

struct File {
    std::string bytes;
    std::size_t mesh_size = 0;
};

template <class Make, class Pass>
void read(benchmark::State& state, Make make, Pass pass) {
    static std::map<int, File> made;  // one for each instantiation
    const auto millions = static_cast<int>(state.range(0));
    File& file = made[millions];
    if (file.bytes.empty()) {
        const TetMesh mesh = cube(millions);
        file.bytes = make(mesh);
        file.mesh_size = mesh.nodes.size() * (sizeof(Vec3d) + sizeof(FileId)) +
                         mesh.tets.size() * (sizeof(Tet) + sizeof(FileId));
    }
    double reading = 0, passing = 0;
    std::size_t peak = 0, mesh_size = 0;
    for (auto _ : state) {
        const std::size_t before = heap_now;
        heap_peak = before;
        double begin = seconds_now();
        const MeshAsRead result = read_gmsh({file.bytes, "bench", ""}, {});
        reading += seconds_now() - begin;
        benchmark::DoNotOptimize(result.mesh.tets.data());
        peak = std::max(peak, heap_peak - before);
        mesh_size = file.mesh_size;
        for (const auto* groups : {&result.mesh.node_groups, &result.mesh.tet_groups})
            for (const auto& [name, members] : *groups) mesh_size += members.size() * sizeof(Index);
        state.PauseTiming();
        begin = seconds_now();
        pass(file.bytes);
        passing += seconds_now() - begin;
        state.ResumeTiming();
    }
    state.counters["MB"] = static_cast<double>(file.bytes.size()) / 1e6;
    state.counters["ratio"] = reading / passing;
    state.counters["memory"] =
        static_cast<double>(peak + file.bytes.size()) / static_cast<double>(mesh_size);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.bytes.size()));
}

void gmsh_ascii(benchmark::State& state) {
    read(state, ascii22,
         [](const std::string& t) { benchmark::DoNotOptimize(from_chars_pass(t)); });
}
void gmsh_binary(benchmark::State& state) {
    read(state, binary41, copy_pass);
}

BENCHMARK(gmsh_ascii)->Arg(1)->Arg(5)->Unit(benchmark::kMillisecond);
BENCHMARK(gmsh_binary)->Arg(1)->Arg(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace limber

int main(int argc, char** argv) {
    // One million unless told otherwise: five take a while to write.
    std::vector<char*> arguments(argv, argv + argc);
    char small[] = "--benchmark_filter=/1$";
    bool filtered = false;
    for (int i = 1; i < argc; ++i)
        filtered = filtered || std::string_view(argv[i]).starts_with("--benchmark_filter");
    if (!filtered) arguments.push_back(small);
    int n = static_cast<int>(arguments.size());
    benchmark::Initialize(&n, arguments.data());
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

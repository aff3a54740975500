// SPDX-License-Identifier: Apache-2.0
// A fresh Cholesky factor on the graphics card and solves with it, beside the factor of the CPU, on
// three meshes of limber's own shapes: time by the card's own events, operations without padding,
// residuals, and whether ten runs give the same bits. Without a card: what the plan will ask of
// one.

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/timer.h"
#include "limber/fem/assembly.h"
#include "limber/gpu/device.h"
#include "limber/gpu/factor/tile_factor.h"
#include "limber/linalg/residual.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/model.h"
#include "limber/study/statistics.h"
#include "registry.h"

namespace limber::bench {

namespace {

struct FactorMesh {
    const char* name;
    ShapeKind kind;
    Index tets;
};
const FactorMesh meshes[] = {{"raptor", ShapeKind::raptor, 93'500},
                             {"sculpture", ShapeKind::sculpture, 115'712},
                             {"sculpture", ShapeKind::sculpture, 329'000}};
constexpr int runs = 20, repeats = 10;

struct FactorSystem {
    BlockCsr A;
    std::vector<Vec3d> b, free;
};

/// A = M + h² K of the shape at rest, and a right-hand side of all frequencies.
FactorSystem system_of(const FactorMesh& mesh) {
    ShapeDef shape;
    shape.kind = mesh.kind;
    shape.tets = mesh.tets;
    Model model = one_body("body", make_shape(shape), corotated_material("body", 5e6, 0.4));
    finish_model(model);
    SystemAssembler assembler(model.elements);
    FactorSystem out{assembler.make_matrix(), std::vector<Vec3d>(model.n_nodes()), model.free};
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({model.h, false, model.lumped}, rotations, out.A);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    for (Vec3d& v : out.b) v = {number(random), number(random), number(random)};
    return out;
}

double residual_of(const FactorSystem& s, std::span<const Vec3d> x) {
    std::vector<Vec3d> r(x.size()), zero(x.size());
    FreeResidual norm;
    return norm.find(s.A, s.b, s.free, x, r) / norm.find(s.A, s.b, s.free, zero, r);
}

/// One scalar on one mesh.
struct FactorFigures {
    double cpu_factor = 0, cpu_solve = 0, cpu_residual = 0;           // [ms], [ms], relative
    double factor = 0, factor_worst = 0, solve = 0, solve_worst = 0;  // medians and largest [ms]
    double residual = 0, refined = 0, bytes = 0;
    bool same_bits = true, direct = true;
    std::string profile;
};

template <class T>
void measure_cpu(const FactorSystem& s, FactorFigures& out) {
    SupernodalCholesky<T> factor;
    std::vector<double> factor_ms, solve_ms;
    std::vector<Vec3d> x(s.b.size());
    for (int k = 0; k < 4; ++k) {
        factor.factorize(s.A, s.free);
        const Timer timer;
        factor.solve(s.b, x);
        solve_ms.push_back(timer.ms());
        factor_ms.push_back(factor.last_work().ms);
    }
    out.cpu_factor = spread_of(factor_ms).p50;
    out.cpu_solve = spread_of(solve_ms).p50;
    out.cpu_residual = residual_of(s, x);
}

/// Where the time of a factorisation goes: tasks by kind, how many are under way in each tenth of
/// it, and the steps of the longest chain, the diagonal tiles of the widest front.
std::string profile_text(const gpu::TilePlan& plan, const std::vector<gpu::TileTime>& times) {
    constexpr double per_us = 1980;  // cycles, of an H200 at full speed
    struct Kind {
        double n = 0, tiles = 0, us = 0, waited = 0;
    };
    Kind kinds[3];
    unsigned long long first = ~0ull;
    double last = 0;
    for (const gpu::TileTime& t : times) first = std::min(first, t.begin);
    const auto begin_us = [&](const gpu::TileTime& t) {
        return 1e-3 * static_cast<double>(t.begin - first);
    };
    for (std::size_t k = 0; k < times.size(); ++k) {
        Kind& kind = kinds[static_cast<int>(plan.tasks[k].work)];
        ++kind.n;
        kind.tiles += plan.tasks[k].tile.n_k;
        kind.us += times[k].cycles / per_us;
        kind.waited += times[k].waited / per_us;
        last = std::max(last, begin_us(times[k]) + times[k].cycles / per_us);
    }
    MarkdownTable table({"tasks", "number", "tile products", "mean [us]", "of it waiting"});
    const char* names[] = {"panel", "diagonal", "update"};
    for (int k = 0; k < 3; ++k)
        if (kinds[k].n > 0)
            table.add({names[k], std::to_string(static_cast<int>(kinds[k].n)),
                       digits(kinds[k].tiles / kinds[k].n), digits(kinds[k].us / kinds[k].n),
                       digits(kinds[k].waited / kinds[k].n)});
    std::string text =
        table.text() + fmt::format("\n{} us in all; tasks under way by tenth:", digits(last));
    for (int tenth = 0; tenth < 10; ++tenth) {
        const double a = last * tenth / 10, b = last * (tenth + 1) / 10;
        double under_way = 0;
        for (const gpu::TileTime& t : times)
            under_way += std::max(
                0.0, std::min(b, begin_us(t) + t.cycles / per_us) - std::max(a, begin_us(t)));
        text += ' ' + digits(under_way / (b - a));
    }
    const auto widest = std::ranges::max_element(plan.fronts, {}, &gpu::TileFront::n_cols);
    std::vector<double> ends;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const gpu::TileTask& task = plan.tasks[k];
        const Index place = task.tile.out - widest->first_tile;
        if (task.work == gpu::TileTaskKind::diagonal && place >= 0 &&
            task.tile.out < widest->first_update)
            ends.push_back(begin_us(times[k]) + times[k].cycles / per_us);
    }
    std::ranges::sort(ends);
    if (ends.size() > 1)
        text += fmt::format(
            "\nwidest front: {} diagonal tiles, {} us a step, the last at {} us\n", ends.size(),
            digits((ends.back() - ends.front()) / static_cast<double>(ends.size() - 1)),
            digits(ends.back()));
    return text + '\n';
}

template <class T>
void measure_device(const FactorSystem& s, const gpu::TilePlan& plan, FactorFigures& out) {
    const auto factor = gpu::make_cuda_factor<T>(plan, s.A);
    out.bytes = static_cast<double>(factor->bytes());
    out.direct = factor->factorize(s.A, s.free).status == SolveStatus::direct;
    std::vector<Vec3d> first(s.b.size()), x(s.b.size());
    factor->solve(s.b, first);
    out.residual = residual_of(s, first);
    const std::uint64_t bits = factor->checksum();
    for (int k = 1; k < repeats; ++k) {
        out.direct = out.direct && factor->factorize(s.A, s.free).status == SolveStatus::direct;
        factor->solve(s.b, x);
        out.same_bits = out.same_bits && factor->checksum() == bits && x == first;
    }
    factor->solve(s.b, x, 1);
    out.refined = residual_of(s, x);
    factor->time(3);
    const auto times = factor->time(runs);
    const Spread f = spread_of(times.factor), b = spread_of(times.solve);
    out.profile = profile_text(plan, factor->profile());
    out.factor = f.p50;
    out.factor_worst = f.max;
    out.solve = b.p50;
    out.solve_worst = b.max;
}

}  // namespace

BenchResult gpu_factor(const BenchOptions& options) {
    MarkdownTable table({"mesh", "DOFs", "scalar", "GF", "in tiles", "tasks", "plan [s]",
                         "CPU factor [ms]", "CPU solve [ms]", "CPU residual", "factor [ms]",
                         "slowest", "GF/s", "solve [ms]", "slowest", "residual", "refined once",
                         "same bits", "memory [MB]"});
    auto json = nlohmann::json::array();
    BenchResult result;
    const gpu::Device device = gpu::device();
    bool same_bits = true, direct = true;
    double worst = 0, refined = 0;
    std::string profiles;
    for (int k = 0; k < options.pick(1, 3, 3); ++k) {
        const FactorMesh& mesh = meshes[k];
        options.tell(fmt::format("{} of {} tets", mesh.name, mesh.tets));
        const FactorSystem s = system_of(mesh);
        const Timer timer;
        const gpu::TilePlan plan = gpu::plan_tiles(s.A);
        const double plan_s = 1e-3 * timer.ms();
        for (const bool wide : {true, false}) {
            FactorFigures f;
            if (wide)
                measure_cpu<double>(s, f);
            else
                measure_cpu<float>(s, f);
            f.bytes = static_cast<double>(wide ? gpu::tile_factor_bytes<double>(plan, s.A)
                                               : gpu::tile_factor_bytes<float>(plan, s.A));
            if (device.found) {
                if (wide)
                    measure_device<double>(s, plan, f);
                else
                    measure_device<float>(s, plan, f);
                same_bits = same_bits && f.same_bits;
                direct = direct && f.direct;
                worst = std::max(worst, f.residual / f.cpu_residual);
                refined = std::max(refined, f.refined);
                profiles += fmt::format("\n{} of {} degrees of freedom, {}\n\n", mesh.name,
                                        3 * s.b.size(), wide ? "double" : "float") +
                            f.profile;
            }
            const auto measured = [&](const std::string& text) {
                return device.found ? text : std::string("-");
            };
            table.add({mesh.name, std::to_string(3 * s.b.size()), wide ? "double" : "float",
                       digits(1e-9 * plan.flops), digits(1e-9 * plan.tile_flops),
                       std::to_string(plan.tasks.size()), digits(plan_s), digits(f.cpu_factor),
                       digits(f.cpu_solve), digits(f.cpu_residual), measured(digits(f.factor)),
                       measured(digits(f.factor_worst)),
                       measured(digits(1e-6 * plan.flops / f.factor)), measured(digits(f.solve)),
                       measured(digits(f.solve_worst)), measured(digits(f.residual)),
                       measured(digits(f.refined)), measured(f.same_bits ? "yes" : "no"),
                       digits(1e-6 * f.bytes)});
            json.push_back({{"mesh", mesh.name},
                            {"dofs", 3 * s.b.size()},
                            {"scalar", wide ? "double" : "float"},
                            {"flops", plan.flops},
                            {"tile_flops", plan.tile_flops},
                            {"tasks", plan.tasks.size()},
                            {"plan_s", plan_s},
                            {"cpu_factor_ms", f.cpu_factor},
                            {"cpu_solve_ms", f.cpu_solve},
                            {"cpu_residual", f.cpu_residual},
                            {"factor_ms", f.factor},
                            {"solve_ms", f.solve},
                            {"residual", f.residual},
                            {"refined", f.refined},
                            {"bytes", f.bytes}});
        }
    }
    result.markdown =
        fmt::format("{}; medians of {} runs between events of the card, the CPU's of 4\n\n",
                    device.found ? device.name + ", " + device.architecture
                                 : "no device: " + device.missing,
                    runs) +
        table.text() + profiles;
    result.json = nlohmann::json{{"device", device.name}, {"rows", json}}.dump(2);
    if (!device.found) return result;
    result.claims.push_back({"every factorisation succeeds", direct, direct ? "all" : "some fail"});
    result.claims.push_back({fmt::format("{} runs give the same bits", repeats), same_bits,
                             same_bits ? "all" : "some differ"});
    result.claims.push_back(
        {"residuals are at most five times those of the CPU's factor", worst <= 5, times(worst)});
    result.claims.push_back(
        {"one refinement brings them below 1e-8", refined < 1e-8, digits(refined)});
    return result;
}

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
// Every linear solver on the same systems: the static and the dynamic matrix of a bar of one
// material and of a bar with a stiff core.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/timer.h"
#include "limber/fem/assembly.h"
#include "limber/linalg/linear_solver.h"
#include "limber/mesh/shapes.h"
#include "limber/solve/model.h"
#include "registry.h"

namespace limber::bench {

namespace {

constexpr auto names = enum_names(LinearMethod{});
constexpr double tolerance = 1e-6;

// The static matrix is h² K with a step so large that the mass does not count; the dynamic one has
// the step of a film at 60 frames a second.
constexpr double static_step = 1e3, dynamic_step = 1.0 / 60;

struct System {
    std::string name;
    BlockCsr A;
    std::vector<Vec3d> b, free, positions;
};

/// A bar of 4 n x n x n cells under its weight, clamped at one end; the core along its axis is
/// `contrast` times stiffer.
System bar(int n, double h, double contrast, std::string name) {
    Model model = one_body("bar", make_box({1, 0.25, 0.25}, {4 * n, n, n}),
                           corotated_material("soft", 1e6, 0.4));
    model.materials.push_back(corotated_material("stiff", contrast * 1e6, 0.4));
    const Box3 box = bounding_box(model.mesh.nodes);
    const Vec3d middle = 0.5 * (box.lo + box.hi);
    for (Index t = 0; t < model.n_tets(); ++t) {
        Vec3d centre;
        for (const Index i : model.mesh.tets[t]) centre += 0.25 * (model.mesh.nodes[i] - middle);
        if (std::hypot(centre.y, centre.z) < 0.07) model.tet_material[t] = 1;
    }
    model.pins.push_back({"end", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    finish_model(model);
    SystemAssembler assembler(model.elements);
    System out{std::move(name), assembler.make_matrix(), {}, model.free, model.mesh.nodes};
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({h, false, model.lumped}, rotations, out.A);
    for (const double m : model.mass) out.b.push_back(m * Vec3d{0, -9.81, 0});
    return out;
}

struct Row {
    double first_ms = 0, setup_ms = 0, solve_ms = 0;  // first: with the analysis of the pattern
    SolveStats stats;
    double residual = 0;  // |b - A x| / |b|, computed here
    double total_ms() const { return setup_ms + solve_ms; }
    bool solved() const { return !stats.failed() && residual <= 1.01 * tolerance; }
};

double true_residual(const System& s, const std::vector<Vec3d>& x) {
    std::vector<Vec3d> r(x.size());
    s.A.apply(x, r);
    double rr = 0, bb = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            const double b = s.free[i][axis] * s.b[i][axis];
            const double d = b - s.free[i][axis] * r[i][axis];
            rr += d * d;
            bb += b * b;
        }
    return std::sqrt(rr / bb);
}

/// The least of `repeats`: what else the machine does only adds.
Row measure(const System& s, LinearMethod method, int cap, int repeats) {
    Row row;
    const auto solver = make_linear_solver(
        {.method = method, .max_iterations = cap, .rel_tolerance = tolerance}, s.positions);
    std::vector<Vec3d> x(s.b.size());
    Timer first;
    row.stats = solver->prepare(s.A, s.free);
    row.first_ms = row.setup_ms = first.ms();
    if (row.stats.failed()) return row;
    row.solve_ms = INFINITY;
    for (int k = 0; k < repeats; ++k) {
        Timer setup;
        solver->prepare(s.A, s.free);
        row.setup_ms = std::min(row.setup_ms, setup.ms());
        std::ranges::fill(x, Vec3d{});
        Timer solve;
        row.stats = solver->solve(s.A, s.b, s.free, x);
        row.solve_ms = std::min(row.solve_ms, solve.ms());
        if (row.total_ms() > 500) break;  // long enough for the clock
    }
    row.residual = true_residual(s, x);
    return row;
}

/// Eigen's LU of a large mesh takes minutes and gigabytes.
bool too_large(LinearMethod method, Index n_nodes) {
    return method == LinearMethod::eigen_lu && n_nodes > 15000;
}

}  // namespace

BenchResult linear_solvers(const BenchOptions& options) {
    const int n = options.pick(6, 11, 20), repeats = options.pick(2, 3, 5);
    const int cap = options.pick(1000, 2000, 10000);
    BenchResult out;
    nlohmann::ordered_json json;
    bool all_direct = true, bracket = true;
    std::array<int, 4> multigrid{}, jacobi{};
    int at = 0;
    for (const double contrast : {1.0, 1000.0})
        for (const double h : {static_step, dynamic_step}) {
            const System s =
                bar(n, h, contrast,
                    fmt::format("{}, {}", h == static_step ? "static" : "dynamic",
                                contrast == 1 ? "one material" : "core 1000x stiffer"));
            MarkdownTable table({"method", "first setup ms", "setup ms", "solve ms", "total ms",
                                 "iterations", "status", "true |r|/|b|"});
            nlohmann::ordered_json rows;
            double best = INFINITY;
            std::string_view fastest;
            for (std::size_t k = 0; k < names.size(); ++k) {
                const auto method = static_cast<LinearMethod>(k);
                if (too_large(method, s.A.n_nodes())) {
                    table.add(
                        {std::string(names[k]), "-", "-", "-", "-", "-", "left out: size", "-"});
                    continue;
                }
                options.tell(fmt::format("{}: {}", s.name, names[k]));
                const Row row = measure(s, method, cap, repeats);
                table.add({std::string(names[k]), digits(row.first_ms), digits(row.setup_ms),
                           digits(row.solve_ms), digits(row.total_ms()),
                           std::to_string(row.stats.iterations),
                           std::string(to_string(row.stats.status)), digits(row.residual)});
                rows[std::string(names[k])] = {{"first_setup_ms", row.first_ms},
                                               {"setup_ms", row.setup_ms},
                                               {"solve_ms", row.solve_ms},
                                               {"iterations", row.stats.iterations},
                                               {"status", to_string(row.stats.status)},
                                               {"true_residual", row.residual}};
                if (is_direct(method)) all_direct = all_direct && row.residual < 1e-8;
                if (row.stats.status == SolveStatus::converged) bracket = bracket && row.solved();
                if (method == LinearMethod::pcg_multigrid) multigrid[at] = row.stats.iterations;
                if (method == LinearMethod::pcg_jacobi) jacobi[at] = row.stats.iterations;
                if (row.solved() && row.total_ms() < best) {
                    best = row.total_ms();
                    fastest = names[k];
                }
            }
            out.markdown += fmt::format(
                "### {}: {} nodes, {} blocks\n\n{}\nLeast setup + solve: {}, {} ms.\n\n", s.name,
                s.A.n_nodes(), s.A.n_blocks(), table.text(), fastest, digits(best));
            json[s.name] = {{"nodes", s.A.n_nodes()}, {"methods", rows}, {"fastest", fastest}};
            ++at;
        }
    out.markdown += fmt::format(
        "Iterations stop at |r| <= {} |b| or after {}; times are the least of {} runs, the first "
        "setup also analyses the pattern.\n",
        tolerance, cap, repeats);
    out.json = json.dump(2);
    out.claims.push_back({"factors leave a residual below 1e-8", all_direct, "computed from x"});
    out.claims.push_back({"what says converged is: the true residual meets the tolerance", bracket,
                          fmt::format("within 1 % of {}", tolerance)});
    out.claims.push_back(
        {"multigrid needs a tenth of the iterations of Jacobi's conjugate gradients on the static "
         "systems",
         10 * multigrid[0] <= jacobi[0] && 10 * multigrid[2] <= jacobi[2],
         fmt::format("{} against {}, {} against {}", multigrid[0], jacobi[0], multigrid[2],
                     jacobi[2])});
    return out;
}

}  // namespace limber::bench

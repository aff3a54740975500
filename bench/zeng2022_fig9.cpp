// SPDX-License-Identifier: Apache-2.0
// Zeng et al. 2022, Fig. 9: cost of W against the number of constraints, a raptor of 36 069 degrees
// of freedom on a plane, by every method.

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "limber/core/parallel.h"
#include "limber/linalg/bandwidth.h"
#include "limber/output/plot.h"
#include "limber/study/gemm_rate.h"
#include "zeng2022.h"

namespace limber::bench {

namespace {

struct Row {
    Index constraints, dofs;           // those of the paper, and between them
    double paper_isodof, paper_reuse;  // [ms], on a GPU; NaN: read off no text
};
const Row rows[] = {
    {366, 327, 1.08, NAN}, {720, 600, NAN, NAN}, {1200, 930, NAN, NAN}, {1860, 1377, 5.73, 2.03}};

void plot(const BenchOptions& options, const std::vector<ZengCost>& costs, BenchResult& result) {
    PlotPanel panel{"Schur complement, one thread",
                    "constraints",
                    "CPU time [ms]",
                    false,
                    true,
                    {},
                    {},
                    no_value,
                    no_value,
                    {}};
    const auto curve = [&](const char* label, int number, auto value) {
        PlotCurve c;
        c.label = label;
        c.style.number = number;
        c.marks = true;
        for (const ZengCost& cost : costs) {
            c.x.push_back(cost.n_constraints);
            c.y.push_back(value(cost));
        }
        panel.curves.push_back(c);
    };
    curve("columns", 0, [](const ZengCost& c) { return c.columns; });
    curve("blocked", 1, [](const ZengCost& c) { return c.blocked; });
    curve("isolated", 2, [](const ZengCost& c) { return c.isolated; });
    curve("reuse", 3, [](const ZengCost& c) { return c.reuse; });
    Plot out;
    out.title = "Zeng et al. 2022, Fig. 9";
    out.panels.push_back(panel);
    write_plot(options, "zeng2022-fig9.svg", plot_svg(out), result);
}

}  // namespace

BenchResult zeng2022_fig9(const BenchOptions& options) {
    options.tell("raptor, 36K degrees of freedom");
    const ZengBody body(options, options.pick(14000, 54200, 54200));
    const double quick = options.pick(0.4, 1.0, 1.0);
    MarkdownTable table({"constraints", "contact DOFs", "columns ms", "blocked ms", "isolated ms",
                         "float", "reuse ms", "float", "new nodes", "partial ms",
                         "of that the factor", "columns / isolated", "blocked / isolated",
                         "isolated / reuse", "paper isodof ms (GPU)", "paper reuse"});
    MarkdownTable floors({"constraints", "forward GFLOP", "product GFLOP", "floor ms", "L read MB",
                          "floor ms", "isolated of its floor", "two threads, wall ms", "reuse"});
    const ThreadLimit one(1);
    const double gemm = gemm_rate(false);
    std::vector<ZengCost> costs;
    auto json = nlohmann::json::array();
    for (const Row& row : rows) {
        options.tell(fmt::format("{} constraints", row.constraints));
        const ZengCost c =
            cost_of(body, static_cast<Index>(quick * row.dofs / 3),
                    static_cast<Index>(quick * row.constraints / 3), options.pick(3, 5, 15));
        costs.push_back(c);
        const double flop_ms = 1e3 * c.work.flops() / gemm;
        const double byte_ms = 1e3 * c.work.factor_bytes /
                               read_bandwidth(static_cast<std::size_t>(c.work.factor_bytes));
        table.add({std::to_string(c.n_constraints), std::to_string(c.n_contact_dofs),
                   digits(c.columns), digits(c.blocked), digits(c.isolated),
                   digits(c.isolated_float), digits(c.reuse), digits(c.reuse_float),
                   fmt::format("{} %", digits(100 * c.new_share)),
                   digits(c.partial + c.partial_factor), digits(c.partial_factor),
                   times(c.columns / c.isolated), times(c.blocked / c.isolated),
                   times(c.isolated / c.reuse), digits(row.paper_isodof), digits(row.paper_reuse)});
        floors.add({std::to_string(c.n_constraints), digits(1e-9 * c.work.forward_flops),
                    digits(1e-9 * c.work.product_flops), digits(flop_ms),
                    digits(1e-6 * c.work.factor_bytes), digits(byte_ms),
                    times(c.isolated / std::max(flop_ms, byte_ms)), digits(c.wall_two),
                    digits(c.reuse_wall_two)});
        json.push_back({{"constraints", c.n_constraints},
                        {"contact_dofs", c.n_contact_dofs},
                        {"columns_ms", c.columns},
                        {"blocked_ms", c.blocked},
                        {"isolated_ms", c.isolated},
                        {"isolated_float_ms", c.isolated_float},
                        {"reuse_ms", c.reuse},
                        {"reuse_float_ms", c.reuse_float},
                        {"new_share", c.new_share},
                        {"partial_ms", c.partial},
                        {"partial_factor_ms", c.partial_factor},
                        {"product_ms", c.product},
                        {"forward_flops", c.work.forward_flops},
                        {"product_flops", c.work.product_flops},
                        {"factor_bytes", c.work.factor_bytes},
                        {"isolated_wall_two_ms", c.wall_two},
                        {"reuse_wall_two_ms", c.reuse_wall_two},
                        {"difference", c.difference}});
    }
    const ZengCost& last = costs.back();
    // Down and up through all of L, two operations a number each.
    const double columns_floor = 1e3 * last.n_constraints * 4 * body.wide.structure().nnz / gemm;
    double least_columns = INFINITY, difference = 0;
    for (const ZengCost& c : costs) {
        least_columns = std::min(least_columns, c.columns / c.isolated);
        difference = std::max(difference, c.difference);
    }
    BenchResult result;
    result.markdown = fmt::format(
        "{} degrees of freedom, {} tets. CPU time of one thread; columns and blocked are measured "
        "for 30 constraints and scaled. Partial factorises for every contact set.\n\n{}\n"
        "Floors: operations over the rate of dense products, L on the paths over the read "
        "bandwidth, both of one thread.\n\n{}",
        body.dofs(), body.model.n_tets(), table.text(), floors.text());
    result.claims = {
        {"isolated is on average 47x faster than one solve a constraint (goal: 50x at the most "
         "constraints)",
         last.columns / last.isolated >= 50,
         fmt::format("{} at {} constraints, {} at least", times(last.columns / last.isolated),
                     last.n_constraints, times(least_columns))},
        {"goal: 3x over blocked full columns", last.blocked / last.isolated >= 3,
         times(last.blocked / last.isolated)},
        {"the same if blocked columns ran at the rate of dense products",
         columns_floor / last.isolated >= 3,
         fmt::format("they would take {} ms, {}", digits(columns_floor),
                     times(columns_floor / last.isolated))},
        {"reuse is another 2.8x faster (goal: 2.5x)", last.isolated / last.reuse >= 2.5,
         fmt::format("{} with {} % new nodes", times(last.isolated / last.reuse),
                     digits(100 * last.new_share))},
        {"every method gives the same W (1e-10)", difference < 1e-10, digits(difference)}};
    result.json = nlohmann::json{{"dofs", body.dofs()}, {"rows", json}}.dump(2);
    plot(options, costs, result);
    return result;
}

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
// Zeng et al. 2022, Table 2: what it costs to build W, against a solve in every iteration of a
// relaxation that does without (Alg. 2). The paper's two cases by their sizes: few contacts on a
// large body, many on a small one.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "zeng2022.h"

namespace limber::bench {

BenchResult zeng2022_table2(const BenchOptions& options) {
    struct Case {
        const char* name;
        int n_tets;
        Index constraints;
        double build_ms, solve_ms;  // the paper's, on a GPU
    };
    const Case cases[] = {{"Pass Torus", 46500, 228, 2.19, 1.61},
                          {"Rich Contact", 8300, 1329, 2.03, 0.61}};
    MarkdownTable table({"case", "DOFs", "constraints", "build W ms", "float", "one solve ms",
                         "along paths", "10 iterations", "along paths", "200 iterations",
                         "along paths", "paper build / solve (GPU)", "paper 10 its", "200 its"});
    auto json = nlohmann::json::array();
    BenchResult result;
    bool ten = true, many = true, paths = true;
    for (const Case& row : cases) {
        options.tell(row.name);
        const ZengBody body(options, row.n_tets);
        const Index n_contacts = row.constraints / 3;
        // The paper's 1860 constraints touch 1376 degrees of freedom.
        const auto n_nodes = static_cast<Index>(n_contacts * 1376 / 1860);
        const ZengCost c = cost_of(body, n_nodes, n_contacts, options.pick(3, 7, 15));
        table.add({row.name, digits(body.dofs()), std::to_string(c.n_constraints),
                   digits(c.isolated), digits(c.isolated_float), digits(c.unbuilt_whole),
                   digits(c.unbuilt_paths), digits(10 * c.unbuilt_whole),
                   digits(10 * c.unbuilt_paths), digits(200 * c.unbuilt_whole),
                   digits(200 * c.unbuilt_paths),
                   fmt::format("{} / {}", digits(row.build_ms), digits(row.solve_ms)),
                   digits(10 * row.solve_ms), digits(200 * row.solve_ms)});
        json.push_back({{"case", row.name},
                        {"dofs", body.dofs()},
                        {"constraints", c.n_constraints},
                        {"build_ms", c.isolated},
                        {"solve_ms", c.unbuilt_whole},
                        {"path_solve_ms", c.unbuilt_paths}});
        ten = ten && c.isolated < 10 * c.unbuilt_whole;
        many = many && c.isolated < 200 * c.unbuilt_whole;
        paths = paths && c.isolated < 200 * c.unbuilt_paths;
    }
    result.markdown = table.text() + "\nCPU time of one thread.\n";
    result.claims = {
        {"W is built faster than 10 iterations without it", ten, "both cases"},
        {"the gap is large at 200 iterations", many, "both cases"},
        {"also where the solves walk the paths only (200 iterations)", paths, "both cases"}};
    result.json = nlohmann::json{{"rows", json}}.dump(2);
    return result;
}

}  // namespace limber::bench

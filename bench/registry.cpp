// SPDX-License-Identifier: Apache-2.0
#include "registry.h"

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/scene/field_info.h"

namespace limber::bench {

namespace {

const BenchEntry table[] = {
    {"dahl2019-table1", "Dahl & Bargteil 2019, Table 1",
     "time of a frame for capped and converged CG, three scenes x three initial guesses",
     dahl2019_table1},
    {"dahl2019-fig2", "Dahl & Bargteil 2019, Fig. 2",
     "one frame of the bowling scene at 10 iterations, for each initial guess", dahl2019_fig2},
    {"dahl2019-fig3", "Dahl & Bargteil 2019, Fig. 3",
     "kinetic energy of one solve against iteration, for each initial guess", dahl2019_fig3},
    {"dahl2019-fig4", "Dahl & Bargteil 2019, Fig. 4",
     "kinetic energy of one solve against iteration, for each preconditioner", dahl2019_fig4},
    {"beam-101k", "the field's beam",
     "a whole step of 10 CG iterations on 101 250 tets, stage by stage, against the byte floor",
     beam_101k},
};

}  // namespace

std::span<const BenchEntry> benches() {
    return table;
}

const BenchEntry& find_bench(const std::string& name) {
    std::vector<std::string> names;
    for (const BenchEntry& entry : benches()) {
        if (entry.name == name) return entry;
        names.emplace_back(entry.name);
    }
    throw InputError("no bench '" + printable(name) + "'; there are " + joined(names) +
                     did_you_mean(name, names));
}

void write_plot(const BenchOptions& options, const std::string& name, const std::string& svg,
                BenchResult& result) {
    write_file_atomic(options.out + '/' + name, svg, Flush::to_system);
    result.files.push_back(name);
}

}  // namespace limber::bench

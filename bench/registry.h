// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables and figures of the sources, ours beside theirs. A bench is one file and one line in
// registry.cpp; `limber bench NAME` runs it.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/study/tables.h"

namespace limber::bench {

/// quick: under a minute, shows that it runs and the trend. usual: under 15 minutes. full:
/// everything, however long.
enum class BenchSize { quick, usual, full };

struct BenchOptions {
    BenchSize size = BenchSize::usual;
    int tets = 0;                                      // of the mesh; 0: by size
    std::string out;                                   // folder for plots, pictures and kept states
    std::string scenes;                                // folder of the scene files
    std::function<void(const std::string&)> progress;  // what is being done; may be empty

    void tell(const std::string& what) const {
        if (progress) progress(what);
    }
    int tets_or(int by_size) const { return tets > 0 ? tets : by_size; }
    /// One of three values by size.
    template <class T>
    T pick(T quick, T usual, T full) const {
        return size == BenchSize::quick ? quick : size == BenchSize::usual ? usual : full;
    }
};

struct BenchResult {
    std::string markdown;            // tables and what they mean, without heading and machine
    std::vector<Claim> claims;       // of the source, computed from the data
    std::string json = "{}";         // the figures, one JSON object
    std::vector<std::string> files;  // written into BenchOptions::out
};

struct BenchEntry {
    std::string_view name;    // <author><year>-<table>
    std::string_view source;  // "Dahl & Bargteil 2019, Table 1"
    std::string_view what;
    BenchResult (*run)(const BenchOptions& options);
    bool any_tets = false;  // BenchOptions::tets counts
};

std::span<const BenchEntry> benches();

/// Writes a plot or picture into the folder of the bench and notes it.
void write_plot(const BenchOptions& options, const std::string& name, const std::string& svg,
                BenchResult& result);

BenchResult constant_factor(const BenchOptions& options);
BenchResult constant_factor_beam(const BenchOptions& options);
BenchResult dahl2019_table1(const BenchOptions& options);
BenchResult dahl2019_fig2(const BenchOptions& options);
BenchResult dahl2019_fig3(const BenchOptions& options);
BenchResult dahl2019_fig4(const BenchOptions& options);
BenchResult beam_101k(const BenchOptions& options);
BenchResult linear_solvers(const BenchOptions& options);
BenchResult descent_today(const BenchOptions& options);
BenchResult descent_defaults(const BenchOptions& options);
BenchResult descent_bodies(const BenchOptions& options);
BenchResult automatic_choice(const BenchOptions& options);
BenchResult gpu_descent(const BenchOptions& options);
BenchResult gpu_scaling(const BenchOptions& options);
BenchResult gpu_factor(const BenchOptions& options);
BenchResult contact_depth(const BenchOptions& options);

}  // namespace limber::bench

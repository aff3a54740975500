// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of Hecht et al. 2012, "Updated Sparse Cholesky Factors for Corotational
// Elastodynamics", share: solvers that race over windows of a scene, and how far each ends from the
// full factorisation.

#include <string>
#include <vector>

#include "limber/study/contestant.h"
#include "limber/study/solver_spec.h"
#include "limber/study/statistics.h"
#include "registry.h"

namespace limber::bench {

/// A scene of the paper under changes of its keys.
struct HechtCase {
    std::string file;               // of scenes/, without .toml
    std::vector<std::string> sets;  // as of --set
    int n_windows = 3, window_steps = 20;
    std::int64_t run_steps = 150;  // the windows are spread over so many steps
};

/// What a solver did, over the steps of all windows but the first of each: that one factorises
/// afresh after a restart.
struct HechtRun {
    std::string label;
    Spread ms;                                // a step
    std::array<double, n_stages> stage_ms{};  // means
    FactorUpdate update;                      // means
    double iterations = 0;                    // mean
    double error = 0;     // rms over the ends of the windows, parts of the body size
    std::string failure;  // empty: none
    double mean() const { return failure.empty() ? ms.mean : std::nan(""); }
};

/// The source's contact, explicit forces, in place of the constraints that the scenes have by now.
void explicit_contact(StudyScene& study);
/// Explicit contact for everyone, as in the source, and the same windows. The first solver is the
/// reference of the errors.
std::vector<HechtRun> race(const BenchOptions& options, const HechtCase& scene,
                           const std::vector<std::pair<std::string, std::string>>& solvers);

/// What a step of a scene cannot be faster than: bytes over the read bandwidth, operations over the
/// rate of dense products, both measured beside.
struct HechtFloor {
    double flops = 0;                                          // of a full factorisation
    double factor_double = 0, factor_single = 0;               // L [B]
    double matrix = 0;                                         // of a product with A [B]
    double cg_iteration = 0;                                   // of CG with block Jacobi [B]
    double read_double = 0, read_single = 0, read_matrix = 0;  // at those sizes [B/s]
    double gemm_double = 0, gemm_single = 0;                   // [1/s]

    double full_ms() const;
    double cg_ms(const HechtRun& run) const;
    /// Of warp-canceling: its solves, and its updates.
    double solve_ms(const HechtRun& run, bool single) const;
    double update_ms(const HechtRun& run, bool single) const;
};
HechtFloor floor_of(const BenchOptions& options, const HechtCase& scene);

// Solvers by the name in the tables.
inline constexpr const char* full_cholesky = "cholesky";
inline constexpr const char* jacobi_cg =
    "corotational:rel_tolerance=1e-4,max_iterations=5000,preconditioner=block_jacobi";
/// The method as the source describes it.
std::string source_wc(const std::string& more = "threshold=5e-3");
/// Ours: the stale factor, polished on the exact matrix to the tolerance of the CG column.
inline constexpr const char* polished_wc = "warp_canceling:linearise=false,rel_tolerance=1e-4";

BenchResult hecht2012_table1(const BenchOptions& options);
BenchResult hecht2012_curve(const BenchOptions& options);
BenchResult hecht2012_table2(const BenchOptions& options);
BenchResult hecht2012_table3(const BenchOptions& options);
BenchResult hecht2012_table4(const BenchOptions& options);
BenchResult hecht2012_table5(const BenchOptions& options);
BenchResult hecht2012_memory(const BenchOptions& options);
BenchResult hecht2012_update(const BenchOptions& options);

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/core/fields.h"
#include "limber/core/timer.h"
#include "limber/linalg/preconditioner.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

struct PcgOptions {
    int max_iterations = 1000;    // 0 returns the initial guess
    double rel_tolerance = 1e-5;  // stop when |r| <= rel_tolerance |b|
    double energy_tolerance =
        0;                   // stop when kinetic energy changes by less than this share; 0: off
    double deadline_ms = 0;  // stop before an iteration that would end later than this; 0: off
};

template <class Visitor>
void fields(Visitor& field, PcgOptions& o) {
    field("max_iterations", o.max_iterations, at_least(0),
          "cap on iterations; 0 returns the initial guess");
    field("rel_tolerance", o.rel_tolerance, inside(0, 1),
          "stop when |r| <= rel_tolerance |b|; source 000's squared 1e-10 is 1e-5 here");
    field(
        "energy_tolerance", o.energy_tolerance, between(0, 1),
        "stop when kinetic energy changes by less than this share between two iterations; 0: off");
    field("deadline_ms", o.deadline_ms, at_least(0, Unit::duration_ms),
          "stop before an iteration that would end later than this after the step began; 0: off");
}

/// One system A x = b and what the stopping rules measure against.
struct PcgProblem {
    const LinearOperator& A;
    const Preconditioner& P;
    std::span<const Vec3d> b;
    FreeMask free{};
    double b_norm = 0;  // |r| is compared with this: |M v + h f| in the v and the Δv form alike;
                        // 0: with |r| of the initial guess
    std::span<const double> mass{};  // [kg] per node, for the kinetic energy rule
    std::span<const Vec3d>
        velocity{};  // added to x for the kinetic energy: v in the Δv form, else empty
    const Timer* clock = nullptr;  // what deadline_ms counts from
    int forced_iterations =
        -1;  // >= 0: exactly so many, whatever the clock says (replayed decisions)
};

/// |r| and, where mass is given, the kinetic energy of the iterate [J] (source 000 Fig. 3): entry 0
/// is the initial guess, entry k the iterate after k iterations.
struct PcgTrace {
    std::vector<double> residual;
    std::vector<double> kinetic;
};

/// Preconditioned conjugate gradients that may stop early (source 000). x holds the initial guess
/// and the prescribed values; those are never changed. Three passes over memory an iteration;
/// allocates only when n grows. The residual is the recursive one. After `indefinite` or
/// `not_finite` x is the last good iterate, the initial guess if there was none.
class Pcg {
  public:
    explicit Pcg(const PcgOptions& options) : options_(options) {}
    SolveStats solve(const PcgProblem& problem, std::span<Vec3d> x, PcgTrace* trace = nullptr);
    void set_max_iterations(int n) { options_.max_iterations = n; }

    /// Bytes one iteration must move when nothing stays in a cache: the product and the vectors.
    static double iteration_bytes(double product_bytes, const Preconditioner& P);

  private:
    struct Sums {  // of one pass, chunk by chunk
        double rz = 0, rr = 0, kinetic = 0;
        Sums& operator+=(const Sums& other);
    };
    struct Run;  // one solve

    PcgOptions options_;
    std::vector<Vec3d> r_, p_, q_;  // q holds A p, then z = P⁻¹ r
    std::vector<Index> fixed_;      // nodes with a prescribed axis, those of a chunk at its start
    std::vector<Index> n_fixed_;    // per chunk
    std::vector<Sums> partial_;     // per chunk
    double mean_iteration_ms_ = 0;  // of the last solve that had a clock
};

}  // namespace limber

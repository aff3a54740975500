// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contact with friction as a complementarity problem on impulses (Zeng et al. 2022, (5), (6),
// (15)), and the solvers for it by name.

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "limber/core/timer.h"
#include "limber/linalg/dense_matrix.h"

namespace limber {

/// Consecutive rows of W that are solved together. The groups of a problem cover its rows in
/// order.
struct ConstraintGroup {
    enum class Kind : Index {
        bilateral,  // 1 to 3 rows: u = 0
        contact,    // 1 row: 0 <= u_n ⊥ p_n >= 0
        friction,   // 3 rows, normal first: the same, and |p_t| <= mu p_n, against u_t where it
                    // slips
        limited,    // 1 row: |p| <= limit, against u where it slips
    };
    Kind kind = Kind::contact;
    Index row = 0, n_rows = 1;
    double mu = 0;
    double limit = 0;  // [N s]
};

/// u = u_free + W p. Rows of contact carry gap/h in u_free, so that u_n h is the gap at the end of
/// the step and u_t the slip.
struct ComplementarityProblem {
    const DenseMatrix& W;            // [1/kg], symmetric positive semidefinite
    std::span<const double> u_free;  // [m/s]
    std::span<const ConstraintGroup> groups;
};

/// W where it is not built (Zeng et al. 2022, Alg. 2): only its products.
class ImpulseOperator {
  public:
    virtual ~ImpulseOperator() = default;
    virtual Index n_rows() const = 0;
    /// u = W p.
    virtual void apply(std::span<const double> p, std::span<double> u) = 0;
};

struct UnbuiltProblem {
    ImpulseOperator& W;
    std::span<const double> u_free;
    std::span<const ConstraintGroup> groups;
    /// Of W, per row; estimates do (they scale the steps and the residual). Empty: one estimate
    /// for all rows, from products.
    std::span<const double> diagonal = {};
};

struct ComplementarityOptions {
    int max_iterations = 1000;
    double tolerance = 1e-10;  // of the residual, relative to the largest |u_free|
    /// Sweeps read a copy of W in single precision where that helps. The answer does not suffer:
    /// residuals are those of W itself.
    bool single_precision = true;
    /// Iterations end where the clock, since the beginning of the step, has passed this. null:
    /// never.
    const Timer* clock = nullptr;
    double deadline_ms = 0;

    bool late() const { return clock && clock->ms() > deadline_ms; }
};

struct ComplementarityStats {
    int iterations = 0;
    double residual = 0;  // complementarity_residual() at the end, relative; finite
    bool converged = false;
};

/// How far impulses are from solving the problem [m/s]: the largest over the groups of
/// |d (p - proj(p - u/d))| with d the mean diagonal of the group's block of W and proj the
/// projection onto its set; friction by De Saxcé's shift u_n + mu |u_t| (Cadoux 2009). 0 exactly
/// at a solution. `u` = u_free + W p, for the caller's use too. Not finite where W, u_free or p is
/// not.
double complementarity_residual(const ComplementarityProblem& problem, std::span<const double> p,
                                std::span<double> u);

/// All solvers: the same bits for any number of threads; nothing is allocated once the largest
/// problem has been seen (pivoting excepted). A singular W is no trouble where a solution exists.
/// Contradictory constraints and numbers that are not finite end as converged = false: p is then
/// the best iterate, or 0 with residual 1 where W or u_free is not finite. p lies in the groups'
/// sets except for rounding.
class ComplementaritySolver {
  public:
    virtual ~ComplementaritySolver() = default;
    virtual std::string_view name() const = 0;
    /// p is the start (the last step's impulses, or 0) and becomes the answer [N s].
    virtual ComplementarityStats solve(const ComplementarityProblem& problem,
                                       const ComplementarityOptions& options,
                                       std::span<double> p) = 0;
};

enum class ComplementarityMethod {
    automatic,           // sweeps, and pivots where those crawl
    gauss_seidel,        // one group after the other; sweeps on one thread
    coloured,            // what does not couple side by side; on all threads
    nonsmooth_cg,        // sweeps accelerated by nonsmooth nonlinear conjugate gradients
    pivoting,            // direct, for small ill-conditioned problems
    projected_gradient,  // products with W only
};
constexpr std::array<std::string_view, 6> enum_names(ComplementarityMethod) {
    return {"auto", "gauss_seidel", "coloured", "nonsmooth_cg", "pivoting", "projected_gradient"};
}

std::unique_ptr<ComplementaritySolver> make_complementarity_solver(ComplementarityMethod method);

}  // namespace limber

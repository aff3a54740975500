// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every way of solving A x = b under one interface, chosen by name.

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "limber/core/fields.h"
#include "limber/linalg/block_csr.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

enum class LinearMethod {
    supernodal,        // our Cholesky factor
    eigen_ldlt,        // Eigen's simplicial factors
    eigen_cholesky,    //
    eigen_lu,          // needs no definite, not even a symmetric matrix
    jacobi,            // damped
    gauss_seidel,      // in the order of the nodes, one thread
    sor,               // the same, over-relaxed
    cg,                // conjugate gradients, and preconditioned ones
    pcg_jacobi,        //
    pcg_block_jacobi,  //
    pcg_ic,            // incomplete Cholesky
    pcg_multigrid,     //
    gmres,             // restarted, block Jacobi from the right; needs no definite matrix
    multigrid,         // smoothed aggregation, V-cycles
};
constexpr std::array<std::string_view, 14> enum_names(LinearMethod) {
    return {
        "supernodal", "eigen_ldlt", "eigen_cholesky", "eigen_lu",         "jacobi", "gauss_seidel",
        "sor",        "cg",         "pcg_jacobi",     "pcg_block_jacobi", "pcg_ic", "pcg_multigrid",
        "gmres",      "multigrid"};
}

/// Factorises and substitutes; the others iterate.
constexpr bool is_direct(LinearMethod method) {
    return method == LinearMethod::supernodal || method == LinearMethod::eigen_ldlt ||
           method == LinearMethod::eigen_cholesky || method == LinearMethod::eigen_lu;
}

template <class T>
class SupernodalCholesky;

struct LinearSolverOptions {
    LinearMethod method = LinearMethod::supernodal;
    int max_iterations = 1000;
    double rel_tolerance = 1e-8;  // stop when |r| <= rel_tolerance |b|
    double omega = 1.5;           // sor; 1 is gauss_seidel
    double damping = 0;           // jacobi; 0: chosen so that it converges
    int restart = 50;             // gmres: vectors kept
};

template <class Visitor>
void fields(Visitor& field, LinearSolverOptions& o) {
    field("linear", o.method, any_value(),
          "how the linear systems are solved: factors (supernodal, eigen_*), conjugate gradients "
          "(cg, pcg_*), gmres, multigrid, or the classical iterations");
    field("linear_iterations", o.max_iterations, at_least(0),
          "cap on the iterations of one linear solve; 0 returns the initial guess");
    field("linear_tolerance", o.rel_tolerance, inside(0, 1),
          "stop when |r| <= linear_tolerance |b|");
    field("sor_omega", o.omega, inside(0, 2), "over-relaxation of sor; 1 is gauss_seidel");
    field("jacobi_damping", o.damping, between(0, 1),
          "share of the correction that jacobi takes; 0: the largest that is sure to converge");
    field("gmres_restart", o.restart, between(1, 1000), "vectors that gmres keeps");
}

/// Solves A x = b for the free entries of x; prescribed ones (free = 0) enter through b - A x and
/// are never changed. |b| in the stopping rule and in SolveStats is that of b - A x with zero in
/// place of the free entries, so that it does not depend on the initial guess; where that is zero,
/// that of the guess. Results are the same bits for any number of threads and depend on the
/// arguments alone, not on earlier solves.
class LinearSolver {
  public:
    virtual ~LinearSolver() = default;

    /// Reads A; its pattern is analysed once while it and the mask stay the same. Status direct or
    /// converged, or indefinite or not_finite where the method can tell already.
    virtual SolveStats prepare(const BlockCsr& A, FreeMask free) = 0;
    /// x holds the initial guess and the prescribed values. A and the mask are those of the last
    /// prepare(), which did not fail. After a failed solve x is a finite iterate or the guess.
    virtual SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                             std::span<Vec3d> x) = 0;
    /// Where the nodes are now: the rigid motions that multigrid keeps follow a body that turns.
    /// Used from the next prepare() on; the other methods need no positions.
    virtual void set_positions(std::span<const Vec3d> positions) { (void)positions; }
    /// The factor that prepare() makes, for the method supernodal; null: another method.
    virtual const SupernodalCholesky<double>* factor() const { return nullptr; }
};

/// `rest_positions` are those of the nodes; only multigrid and pcg_multigrid need them.
std::unique_ptr<LinearSolver> make_linear_solver(const LinearSolverOptions& options,
                                                 std::span<const Vec3d> rest_positions);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linalg/pcg.h"
#include "limber/solve/contact_system.h"

namespace limber {

/// Vectors over all nodes of the model that a solve reads.
struct IslandInput {
    std::span<const Vec3d> b;         // right-hand side
    FreeMask free;                    // one entry a node
    std::span<const double> mass;     // [kg]
    std::span<const Vec3d> velocity;  // added to x for the kinetic energy; may be empty
    double b_norm = 0;                // what |r| is compared with
    const Timer* clock = nullptr;
    int forced_iterations = -1;
};

/// Conjugate gradients on the bodies of one island. Where they are neighbours in the model their
/// entries are used in place, otherwise they are copied together and back.
class IslandSolver {
  public:
    IslandSolver(PreconditionerKind preconditioner, const PcgOptions& options)
        : preconditioner_(preconditioner), pcg_(options) {}

    ContactSystem& system() { return system_; }
    /// After system() is set: reads its diagonal. `mass` and `free` are over all nodes.
    void prepare(std::span<const double> mass, FreeMask free);
    /// x over all nodes holds guess and prescribed values; only this island's entries change.
    SolveStats solve(const IslandInput& in, std::span<Vec3d> x, PcgTrace* trace = nullptr);

  private:
    template <class T>
    std::span<const T> local(std::span<const T> all, std::vector<T>& scratch) const;

    ContactSystem system_;
    Preconditioner preconditioner_;
    Pcg pcg_;
    std::vector<Vec3d> b_, x_, free_, velocity_;
    std::vector<double> mass_;
};

/// The worst of two: for several solves that make up one step. Iterations are the larger ones.
SolveStats worst_of(const SolveStats& a, const SolveStats& b);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every complementarity solver needs of the groups: their sets, their exact local solutions
// and their share of the residual.

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/cone.h"

namespace limber {

/// The group's impulses moved into its set.
void project_group(const ConstraintGroup& group, std::span<double> p);

/// |d p - proj(d p - u)| of one group [m/s]. d >= 0.
double group_residual(const ConstraintGroup& group, double d, std::span<const double> p,
                      std::span<const double> u);

/// The largest |x|; not finite where an entry is not.
double largest(std::span<const double> x);

/// u = u_free + W p on all threads.
void impulse_response(const DenseMatrix& W, std::span<const double> u_free,
                      std::span<const double> p, std::span<double> u);

/// Mean of the diagonal of W over the group's rows.
double mean_diagonal(const DenseMatrix& W, const ConstraintGroup& group);

/// Refuses groups that do not cover rows 0 .. n - 1 in order (a bug of the caller).
void check_groups(std::span<const ConstraintGroup> groups, std::size_t n_rows);

/// The local problems of all groups, prepared from the diagonal blocks of W.
class GroupLaws {
  public:
    void prepare(const ComplementarityProblem& problem);
    Index size() const { return static_cast<Index>(laws_.size()); }
    const ConstraintGroup& group(Index g) const { return groups_[g]; }
    double d(Index g) const { return laws_[g].d; }

    /// Solves group g with all others held: u (3 entries at most) is the group's velocity under
    /// its impulse p. Writes the new impulse to p and its change to dp.
    void solve(Index g, const double* u, double* p, double* dp) const;
    /// Largest group residual, given u = u_free + W p.
    double residual(std::span<const double> p, std::span<const double> u) const;

  private:
    struct Law {
        double d = 0;
        Mat3d block;    // of W, padded with 0
        Mat3d inverse;  // bilateral: pseudo-inverse of the block
        OneContact contact;
    };
    std::span<const ConstraintGroup> groups_;
    std::vector<Law> laws_;
};

/// Common beginning of a solve. Brings p into the groups' sets and fills u = u_free + W p.
struct SolveStart {
    double scale = 0;   // largest |u_free|
    bool done = false;  // `stats` is the answer already
    ComplementarityStats stats;
};
SolveStart start_solve(const ComplementarityProblem& problem, const ComplementarityOptions& options,
                       GroupLaws& laws, std::span<double> p, std::vector<double>& u);

/// Keeps the impulses with the smallest residual seen.
class BestIterate {
  public:
    void reset(double residual, std::span<const double> p) {
        residual_ = residual;
        p_.assign(p.begin(), p.end());
    }
    /// false where the residual is no better (or not a number).
    bool offer(double residual, std::span<const double> p) {
        if (!(residual < residual_)) return false;
        reset(residual, p);
        return true;
    }
    double residual() const { return residual_; }
    void copy_to(std::span<double> p) const { std::copy(p_.begin(), p_.end(), p.begin()); }

  private:
    double residual_ = 0;
    std::vector<double> p_;
};

}  // namespace limber

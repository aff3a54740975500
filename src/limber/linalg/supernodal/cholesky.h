// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/preconditioner.h"
#include "limber/linalg/solve_stats.h"
#include "limber/linalg/supernodal/structure.h"

namespace limber {

/// Memory of a factor, known after analyze().
struct SupernodalMemory {
    double factor_bytes = 0;   // L with its padding
    double update_bytes = 0;   // update blocks that are kept
    double scratch_bytes = 0;  // update blocks that are not, for one thread
    Index n_dropped = 0;       // supernodes whose update block is not kept
    double total() const { return factor_bytes + update_bytes + scratch_bytes; }
};

/// "factor 181 MB, update blocks 330 MB, 10.2 GFLOP in 1234 supernodes"
std::string describe_factor(const SupernodalMemory& memory, const SupernodalStructure& structure);

/// What the last factorize() or update() did.
struct SupernodalWork {
    Index n_supernodes = 0;  // fronts that were factorised
    double flops = 0;        // in them
    double ms = 0;           // wall time
};

template <class T>
struct Front;

/// Multifrontal Cholesky factor A = L Lᵀ of a symmetric positive definite block matrix that can be
/// brought up to date piece by piece (Hecht et al. 2012, section 4.3): the update block of every
/// supernode is kept, so a change enters at the supernodes it touches and only they and their
/// ancestors are factorised again. T is the scalar of the factor, double or float; matrices and
/// vectors are double.
///
/// Prescribed degrees of freedom are eliminated: their rows and columns are those of the identity
/// inside the factor. Results are the same bits for any number of threads, and update() gives the
/// bits of factorize(). One solve at a time: solves share a workspace. After the first factorize()
/// and solve() nothing is allocated.
template <class T>
class SupernodalCholesky final : public InverseOperator {
  public:
    explicit SupernodalCholesky(const SupernodalOptions& options = {});
    ~SupernodalCholesky() override;
    SupernodalCholesky(SupernodalCholesky&&) noexcept;
    SupernodalCholesky& operator=(SupernodalCholesky&&) noexcept;

    /// Order and structure; reads the pattern, not the values. InputError when the factor does not
    /// fit into memory.
    void analyze(const BlockCsr& pattern);
    /// Was the pattern of A analysed here?
    bool analyzed(const BlockCsr& A) const;

    /// All fronts. Status direct; indefinite or not_finite with the node of the pivot eliminated
    /// first in `bad_node`. The pattern is analysed first where it is new.
    SolveStats factorize(const BlockCsr& A, FreeMask free, Index* bad_node = nullptr);
    /// Only what depends on the rows of `dirty_nodes`: every node whose block row differs from the
    /// last factorize() or update(). Nodes whose mask changed, and supernodes an earlier failure
    /// left behind, are added here.
    SolveStats update(const BlockCsr& A, FreeMask free, std::span<const Index> dirty_nodes,
                      Index* bad_node = nullptr);
    /// The same with supernodes: those of the node eliminated first of every changed block.
    SolveStats update_supernodes(const BlockCsr& A, FreeMask free,
                                 std::span<const Index> dirty_supernodes,
                                 Index* bad_node = nullptr);
    bool factorized() const;

    /// x = A⁻¹ b on the free degrees of freedom, 0 on the prescribed ones. b and x may be the same.
    void solve(std::span<const Vec3d> b, std::span<Vec3d> x) const;
    /// Many right-hand sides, one after the other in b and in x (n_nodes entries each).
    void solve_many(Index n_rhs, std::span<const Vec3d> b, std::span<Vec3d> x) const;
    /// Many right-hand sides that vanish outside `from`, wanted at `at` only: forward and backward
    /// substitution walk the paths from these nodes to the roots. b has from.size() entries a
    /// right-hand side, x at.size().
    void solve_paths(Index n_rhs, std::span<const Index> from, std::span<const Vec3d> b,
                     std::span<const Index> at, std::span<Vec3d> x) const;

    /// Solves A x = b for the free entries of x; the prescribed ones enter through b - A x. Then
    /// `refinements` rounds of x += A⁻¹ (b - A x) with the residual in double: two or three bring a
    /// float or a stale factor to the accuracy of a double one. Residuals are |b - A x| / b_norm.
    SolveStats solve(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free, double b_norm,
                     std::span<Vec3d> x, int refinements = 0) const;

    /// Preconditioner of Pcg: Preconditioner P(factor).
    Index n_nodes() const override;
    void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const override { solve(r, z); }

    const SupernodalStructure& structure() const;
    Index n_supernodes() const { return structure().n_supernodes(); }
    const SupernodalMemory& memory() const;
    const SupernodalWork& last_work() const;
    /// Wall time of each supernode's front [ms], an exponentially weighted mean over its
    /// factorisations (Hecht et al. 2012, section 4.4). Flops are in structure().
    std::span<const double> cost_ms() const;
    /// dirty[s] = 1 for the supernodes given and their ancestors, and whole subtrees whose update
    /// blocks are not kept; returns their flops. `dirty` has n_supernodes() entries.
    double close_dirty(std::span<char> dirty) const;

    /// Which factorisation the columns of a supernode are from: a number that no other
    /// factorisation of this run of the program has, in whatever object. A root's changes whenever
    /// anything below it does. What was solved with a factor is good as long as it stays.
    std::uint64_t stamp(Index supernode) const;
    /// The same for what analyze() found.
    std::uint64_t structure_stamp() const;
    /// Columns of L of one supernode, for those who work with them (supernodal/numeric.h).
    Front<T> front(Index supernode) const;
    /// Mask of the factor; empty: all free.
    FreeMask free() const;

  private:
    struct Numeric;
    std::unique_ptr<Numeric> numeric_;
};

extern template class SupernodalCholesky<double>;
extern template class SupernodalCholesky<float>;

}  // namespace limber

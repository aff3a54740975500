// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "limber/fem/corotation.h"
#include "limber/linalg/block_csr.h"

namespace limber {

/// The coefficients of  A = M + h C + h² K  with  C = a M + b K:
/// element stiffness enters with h² + h b_e, element mass with 1 + h a_e.
struct SystemCoefficients {
    double h = 0;
    bool consistent_mass = false;    // tets add theirs: ρV/20 (1 + δ_ab)
    std::span<const double> lumped;  // m_i + h (mass damping)_i [kg], one per node; empty: none
};

/// Which pairs of corners add to which block of A, by rows: the blocks above the diagonal only.
struct BlockPairs {
    std::span<const Index> diagonal;      // per row: place of (i, i) in the blocks of A
    std::span<const Index> upper_begin;   // per row: its first block above the diagonal, counted
                                          // among those of all rows; and the end
    std::span<const Index> mirror;        // per block (i, j) above the diagonal: place of (j, i)
    std::span<const Index> pair_begin;    // per block above the diagonal, and the end
    std::span<const std::uint32_t> pair;  // tet * 16 + a * 4 + b: corners a and b are nodes i and j
};

/// Assembles block by block: the blocks above the diagonal are summed over the tets that share the
/// edge, each in registers and in an order that never changes, and written twice, to (i, j) and
/// transposed to (j, i). No two threads write the same number. The pattern and the contributions of
/// every block are found once.
///
/// K_ab = V hooke_block(μ, λ, γ_a, γ_b) (fem/hooke.h), γ = R g: Dahl & Bargteil 2019 (8), our sign.
/// Expanded by hand, as a step waits for its rows: change both;
/// EveryMass.the_assembled_matrix_is_the_sum_over_the_elements holds them together. γ_a·γ_b =
/// g_a·g_b does not turn, so that term, with the mass, is one number a block which is summed once
/// for each h.
class SystemAssembler {
  public:
    explicit SystemAssembler(const ElementSet& elements);
    BlockCsr make_matrix() const;  // with the pattern, all zero
    BlockPairs pairs() const { return {diagonal_, upper_begin_, mirror_, pair_begin_, pair_}; }
    /// A from the rotations. `A` is a matrix from make_matrix().
    void assemble(const SystemCoefficients& coefficients, const CorotationCache& rotations,
                  BlockCsr& A);

  private:
    void list_pairs();
    void sum_isotropic(double h, bool consistent_mass);
    void turn_gradients(const CorotationCache& rotations);
    template <class Sums>
    void assemble_rows(Index begin, Index end, const Sums& sums, const double* lumped,
                       Mat3d* blocks) const;

    const ElementSet& elements_;
    std::vector<Index> row_begin_, column_, diagonal_;
    std::vector<Index> upper_begin_;  // per row: its first block above the diagonal, counted
                                      // among those of all rows; and the end
    std::vector<Index> mirror_;  // per block (i, j) above the diagonal: place of (j, i); then a few
                                 // more that are prefetched and never used
    std::vector<Index> pair_begin_;     // per block above the diagonal, and the end
    std::vector<std::uint32_t> pair_;   // tet * 16 + a * 4 + b: corners a and b are nodes i and j
    double ratio_ = 0;                  // λ/μ of all tets; 0: it differs
    std::vector<double> root_;          // √(kVμ) per tet, for h_; where the ratio is one number
    std::vector<double> lame_;          // kVλ, kVμ per tet, for h_; where it is not
    StreamedVector<double> gamma_;      // γ_0 .. γ_3 per tet [1/m], times root_ if there is one
    std::vector<double> isotropic_;     // per block above the diagonal, for h_ and consistent_
    std::vector<double> isotropic_ii_;  // per diagonal block
    double h_ = -1;
    bool consistent_ = false;
};

/// The same A without a matrix: K_e applied element by element, then gathered.
class CorotationalOperator final : public LinearOperator {
  public:
    explicit CorotationalOperator(const ElementSet& elements);
    /// Borrows everything until the next call.
    void set(const SystemCoefficients& coefficients, const CorotationCache& rotations);
    /// Extra 3x3 blocks on the diagonal (contact); zero where there are none.
    std::span<Mat3d> extra_diagonal() { return extra_; }

    Index n_nodes() const override { return elements_.n_nodes; }
    double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const override;
    void diagonal(std::span<Mat3d> blocks) const override;

  private:
    const ElementSet& elements_;
    SystemCoefficients coefficients_;
    const CorotationCache* rotations_ = nullptr;
    std::vector<Mat3d> extra_;
    mutable ElementForces scratch_;
    mutable std::vector<double> partial_;
};

}  // namespace limber

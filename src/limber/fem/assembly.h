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

/// Assembles row by row: each row is one thread's own, so there are no atomics and the order of the
/// sum never changes. The pattern and the place of every contribution are found once.
///
/// K_ab = V (λ γ_a γ_bᵀ + μ γ_b γ_aᵀ + μ (γ_a·γ_b) I) with γ = R g: Dahl & Bargteil 2019 (8), our
/// sign. γ_a·γ_b = g_a·g_b does not turn, so that term, with the mass, is one number a block which
/// is summed once for each h.
class SystemAssembler {
  public:
    explicit SystemAssembler(const ElementSet& elements);
    BlockCsr make_matrix() const;  // with the pattern, all zero
    /// A from the rotations. `A` is a matrix from make_matrix().
    void assemble(const SystemCoefficients& coefficients, const CorotationCache& rotations,
                  BlockCsr& A);

  private:
    void sum_isotropic(double h, bool consistent_mass);
    void turn_gradients(double h, const CorotationCache& rotations);
    void assemble_row(Index row, const SystemCoefficients& coefficients, Mat3d* out) const;

    const ElementSet& elements_;
    std::vector<Index> row_begin_, column_, diagonal_;
    std::vector<std::uint8_t> slot_;  // 4 per incidence entry: places in the row of corners a, a +
                                      // 1, a + 2, a + 3 (mod 4)
    Index longest_row_ = 0;
    std::vector<Vec4d> gamma_;  // per tet 4 rotated gradients [1/m]; kVλ, kVμ in the padding of two
    std::vector<double> isotropic_;  // per block, for h_ and consistent_
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "limber/linalg/block_rows.h"

namespace limber {

/// A preconditioner made of small dense blocks alone, so that threads and a GPU do it alike:
///
///   P⁻¹ = D⁻¹ + Σ_l Z_l B_l⁻¹ Z_lᵀ
///
/// D is the block diagonal of A. Level l gathers nodes into aggregates; Z_l holds the six rigid
/// motions of each about its centre, and B_l the diagonal 6x6 blocks of Z_lᵀ A Z_l, on the last
/// level all of it. What Jacobi's method needs many iterations for, to carry a force through the
/// body, the aggregates do at once (additive multilevel: Bramble, Pasciak & Xu 1990; aggregates
/// with rigid motions: Vaněk, Mandel & Brezina 1996, here without their smoothing).
///
/// Aggregates follow from the pattern and stay; the motions are those of the present positions.
/// Symmetric and positive definite on the free degrees of freedom; the same bits for any number of
/// threads.
template <class Real>
class AggregateLevels {
  public:
    using Vectors = std::span<Vec3<Real>>;
    using ConstVectors = std::span<const Vec3<Real>>;
    static constexpr int n_modes = 6;
    using Six = std::array<Real, n_modes>;

    /// Gathers the nodes that `pattern` couples. Borrows the mask.
    AggregateLevels(const BlockCsr& pattern, FreeMask free);

    /// D, Z and B for A at positions x. A may couple more nodes than the pattern did. False where
    /// the block diagonal of A is not positive.
    bool update(const BlockRows<Real>& A, std::span<const Vec3d> x);
    /// z = P⁻¹ r; returns r·z. Prescribed entries of r must be 0; those of z are.
    double apply(ConstVectors r, Vectors z);

    /// Aggregates of each level, from the finest.
    std::vector<Index> sizes() const;

  private:
    struct Level {
        Index n = 0;
        std::vector<Index> parent;            // of each part, -1: none
        std::vector<Index> part_begin, part;  // nodes, or aggregates of the level before
        std::vector<Vec3d> centre;
        std::vector<double> radius;                 // unit of length of the rotations [m]
        std::vector<Index> row_begin, column;       // blocks of Zᵀ A Z
        std::vector<std::array<double, 36>> block;  // of them, by columns
        std::vector<std::array<Real, 36>> inverse;  // of the diagonal ones
        std::vector<std::array<Real, 4>> arm;       // of each part: (centre offset) / radius,
                                                    // radius of the part / radius
        std::vector<Six> r, y;
    };
    void gather(const BlockCsr& pattern);
    void place(std::span<const Vec3d> x);
    void project_nodes(const BlockRows<Real>& A);
    void project_level(const Level& fine, Level& coarse);
    void invert_top();

    FreeMask free_;
    std::vector<Level> level_;
    std::vector<Mat3<Real>> inverse_;  // D⁻¹
    std::vector<Index> loose_;         // nodes of no aggregate
    std::vector<Real> top_;            // (Zᵀ A Z)⁻¹ of the last level
    bool dense_top_ = false;
    std::vector<double> partial_;
};

extern template class AggregateLevels<float>;
extern template class AggregateLevels<double>;

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "limber/linalg/block_csr.h"
#include "limber/linalg/preconditioner.h"
#include "limber/linalg/solve_stats.h"

namespace limber {

struct MultigridOptions {
    int smoothing = 2;           // degree of the Chebyshev polynomial before and after
    Index coarsest_dofs = 1500;  // levels end here: what is left is factorised
};

/// One level as it was built.
struct MultigridLevelReport {
    Index n_nodes = 0, n_blocks = 0;  // of its matrix: 3x3 on the first level, then 6x6
    double lambda_max = 0;            // of D⁻¹A, estimated; 0 on the coarsest
};

/// One V-cycle of smoothed aggregation (Vaněk, Mandel & Brezina 1996) for elasticity.
///
/// Nodes are gathered into aggregates with their neighbours; each keeps the six rigid motions, so
/// that a coarse level has six numbers a node. The tentative prolongator T holds them orthonormal
/// within each aggregate (pins erased); P = (I - 4/3 λ_max⁻¹ D⁻¹A) T makes them smooth, and
/// A_c = Pᵀ A P. Smoother: a Chebyshev polynomial in D⁻¹A with D the block diagonal. The coarsest
/// level is solved by the supernodal factor.
///
/// Aggregates follow from the pattern and from the nodes that are prescribed whole; they and all
/// patterns are kept while those stay. The result is symmetric and positive definite, the same bits
/// for any number of threads, and depends on A, mask and positions alone. A cycle allocates nothing
/// after the first.
class Multigrid final : public InverseOperator {
  public:
    explicit Multigrid(std::span<const Vec3d> positions, const MultigridOptions& options = {});
    ~Multigrid() override;

    /// The rigid motions are those of these positions, from the next update() on.
    void set_positions(std::span<const Vec3d> positions);
    /// Builds the levels. Status direct; indefinite where a pivot or a curvature is not positive,
    /// not_finite.
    SolveStats update(const BlockCsr& A, FreeMask free);

    Index n_nodes() const override;
    /// z = one V-cycle from zero.
    void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const override;

    std::vector<MultigridLevelReport> levels() const;
    /// Numbers in the matrices of all levels over those of the first.
    double operator_complexity() const;

  private:
    struct Hierarchy;
    std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// One level of the multigrid hierarchy: its smoother and its way to the next level. F is the count
// of numbers a node, 3 on the first level and 6 (rigid motions of an aggregate) on the others.

#include <span>
#include <type_traits>
#include <vector>

#include "limber/core/math.h"
#include "limber/linalg/block_csr.h"

namespace limber {

inline constexpr int n_modes = 6;  // rigid motions: three translations, three rotations

/// The numbers of one aggregate.
struct Vec6 {
    double a[n_modes]{};
};

template <int F>
using NodeVector = std::vector<std::conditional_t<F == 3, Vec3d, Vec6>>;

/// All numbers of a vector, node by node.
inline double* numbers(NodeVector<3>& v) {
    return &v.data()->x;
}
inline const double* numbers(const NodeVector<3>& v) {
    return &v.data()->x;
}
inline double* numbers(NodeVector<6>& v) {
    return v.data()->a;
}
inline const double* numbers(const NodeVector<6>& v) {
    return v.data()->a;
}

/// Which blocks there are, by rows; columns ascend.
struct BlockPattern {
    std::vector<Index> row_begin{0}, column;
    Index n_rows() const { return static_cast<Index>(row_begin.size()) - 1; }
};

/// Symmetric matrix of 6x6 blocks, each column-major, both triangles stored.
struct CoarseMatrix {
    BlockPattern pattern;
    std::vector<Index> mirror;  // per block (i, j): place of (j, i)
    std::vector<double> value;

    /// y = A x; returns x·y, the same bits for any number of threads.
    double apply(const NodeVector<6>& x, NodeVector<6>& y) const;
    mutable std::vector<double> partial;
};

template <int F>
using LevelMatrix = std::conditional_t<F == 3, BlockCsr, CoarseMatrix>;

/// The same face for both: blocks of F x F, column-major.
template <int F>
struct MatrixView {
    std::span<const Index> row_begin, column;
    const double* value = nullptr;
    Index n_rows() const { return static_cast<Index>(row_begin.size()) - 1; }
};
MatrixView<3> view(const BlockCsr& A);
MatrixView<6> view(const CoarseMatrix& A);

/// Gathers the nodes of a graph into aggregates, in three passes in the order of the nodes: a node
/// none of whose neighbours is taken takes them all; a node left over joins the aggregate it has
/// the most links to; what is left after that gathers what is left around it. Nodes marked in
/// `leave_out` (empty: none) belong to no aggregate, -1. Returns the number of aggregates.
Index aggregate_nodes(const BlockPattern& graph, std::span<const char> leave_out,
                      std::vector<Index>& aggregate);

template <int F>
class MultigridLevel {
  public:
    /// Aggregates of `graph` (which of the nodes are next to each other: fewer than A couples, from
    /// the second level on) and the patterns of P, A P and Pᵀ A P.
    void analyze(const BlockPattern& A, const BlockPattern& graph, std::span<const char> leave_out);
    /// Values for `modes`: F x 6 numbers a node by rows, zero where prescribed. False where D or a
    /// curvature is not positive.
    bool update(const LevelMatrix<F>& A, std::span<const double> modes);

    /// z += p(D⁻¹A) D⁻¹ r with the Chebyshev polynomial p of the degree, r -= A times that change;
    /// the last update of r is left out where nobody needs it.
    void smooth(const LevelMatrix<F>& A, int degree, bool update_residual);
    /// Pᵀ r
    void restrict_residual(NodeVector<6>& coarse) const;
    /// z += P coarse, r -= A P coarse
    void add_correction(const LevelMatrix<F>& A, const NodeVector<6>& coarse);

    Index n_nodes() const { return static_cast<Index>(aggregate.size()); }
    Index n_aggregates = 0;
    std::vector<Index> aggregate;      // per node, -1: none
    BlockPattern quotient;             // which aggregates are next to each other
    double lambda_max = 0;             // of D⁻¹A, estimated
    CoarseMatrix coarse;               // Pᵀ A P
    std::vector<double> coarse_modes;  // 6 x 6 an aggregate, by rows
    NodeVector<F> r, z;                // residual and iterate of a cycle

  private:
    void list_members();
    bool invert_diagonal(const MatrixView<F>& A);
    void orthonormalize(std::span<const double> modes);
    bool estimate_lambda_max(const LevelMatrix<F>& A);
    void smooth_prolongator(const MatrixView<F>& A);
    void project(const MatrixView<F>& A);
    void precondition(const NodeVector<F>& in, NodeVector<F>& out) const;

    std::vector<Index> member_begin_, member_;  // nodes of each aggregate
    std::vector<double> inverse_diagonal_;      // D⁻¹, F x F a node, column-major
    std::vector<double> tentative_;             // T, F x 6 a node, by rows
    BlockPattern p_, ap_;
    std::vector<double> p_value_, ap_value_;  // F x 6 a block, by rows
    BlockPattern columns_of_p_;               // the rows of each column ...
    std::vector<Index> block_of_column_;      // ... and where their blocks are
    NodeVector<F> d_, q_;                     // direction and A d
    std::vector<double> partial_;
    std::vector<char> bad_;  // per chunk
};

extern template class MultigridLevel<3>;
extern template class MultigridLevel<6>;

}  // namespace limber

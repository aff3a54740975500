// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "limber/linalg/linear_operator.h"

namespace limber {

/// z = P⁻¹ r, block-diagonal in this family (source 000 section 4): identity, mass, jacobi,
/// block_jacobi.
enum class PreconditionerKind { identity, mass, jacobi, block_jacobi };
constexpr std::array<std::string_view, 4> enum_names(PreconditionerKind) {
    return {"identity", "mass", "jacobi", "block_jacobi"};
}

/// z = P⁻¹ r by other means than a diagonal, such as a factor.
class InverseOperator {
  public:
    virtual ~InverseOperator() = default;
    virtual Index n_nodes() const = 0;
    /// Symmetric and positive definite on the free degrees of freedom. r and z do not overlap.
    virtual void apply_inverse(std::span<const Vec3d> r, std::span<Vec3d> z) const = 0;
};

class Preconditioner {
  public:
    explicit Preconditioner(PreconditionerKind kind) : kind_(kind) {}
    /// Borrows `inverse`; update() is not needed.
    explicit Preconditioner(const InverseOperator& inverse) : inverse_(&inverse) {}

    /// Reads the diagonal of A where the kind needs it. `mass` [kg] is one value a node, used by
    /// the kind `mass` alone. Prescribed rows and columns (free = 0) become identity. A block that
    /// is not safely positive definite falls back to its diagonal, an entry that is not positive to
    /// 1, so that P stays positive definite; the nodes where that happened are counted in
    /// n_singular(). Allocates only when n grows.
    void update(const LinearOperator& A, std::span<const double> mass, FreeMask free);
    Index n_singular() const { return n_singular_; }
    PreconditionerKind kind() const { return kind_; }
    Index n_nodes() const { return inverse_ ? inverse_->n_nodes() : n_nodes_; }
    /// What P⁻¹ is where it is not block-diagonal, else null.
    const InverseOperator* inverse() const { return inverse_; }

    /// block_jacobi: the inverse blocks, one a node. Empty for the other kinds.
    std::span<const Mat3d> inverse_blocks() const { return inverse_blocks_; }
    /// identity, mass and jacobi: the diagonal of P⁻¹, a third of the bytes. Empty for
    /// block_jacobi.
    std::span<const Vec3d> inverse_diagonal() const { return inverse_diagonal_; }
    /// z = P⁻¹ r; Pcg fuses this with its own loop.
    void apply(std::span<const Vec3d> r, std::span<Vec3d> z) const;

  private:
    PreconditionerKind kind_ = PreconditionerKind::identity;
    const InverseOperator* inverse_ = nullptr;
    std::vector<Mat3d> inverse_blocks_;
    std::vector<Vec3d> inverse_diagonal_;
    std::vector<Mat3d> diagonal_;       // of A, scratch of update()
    std::vector<Index> n_singular_in_;  // per chunk
    Index n_singular_ = 0;
    Index n_nodes_ = 0;
};

}  // namespace limber

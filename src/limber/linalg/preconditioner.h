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

class Preconditioner {
  public:
    explicit Preconditioner(PreconditionerKind kind) : kind_(kind) {}

    /// Reads the diagonal of A where the kind needs it. `mass` [kg] is one value a node.
    /// Prescribed rows and columns (free = 0) become identity. A block that cannot be inverted
    /// falls back to its diagonal and is counted in n_singular().
    void update(const LinearOperator& A, std::span<const double> mass, FreeMask free);
    Index n_singular() const { return n_singular_; }
    PreconditionerKind kind() const { return kind_; }
    /// The inverse blocks, one a node; every kind fills them, so that PCG has one fused loop.
    std::span<const Mat3d> inverse_blocks() const { return inverse_; }

  private:
    PreconditionerKind kind_;
    std::vector<Mat3d> inverse_;
    Index n_singular_ = 0;
};

}  // namespace limber

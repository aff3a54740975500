// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/block_csr.h"

namespace limber {

/// Norms and residuals over the free degrees of freedom: the same bits for any number of threads.
/// Allocates only when n grows.
class FreeResidual {
  public:
    /// |b - A x| with zero in place of the free entries of x: what a residual is measured against.
    double right_norm(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                      std::span<const Vec3d> x);
    /// r = b - A x, 0 where prescribed; returns |r|.
    double find(const BlockCsr& A, std::span<const Vec3d> b, FreeMask free,
                std::span<const Vec3d> x, std::span<Vec3d> r);
    double dot(std::span<const Vec3d> a, std::span<const Vec3d> b);

  private:
    std::vector<Vec3d> prescribed_, r_;
    std::vector<double> partial_;
};

}  // namespace limber

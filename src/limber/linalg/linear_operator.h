// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/core/math.h"

namespace limber {

/// A symmetric positive definite matrix of 3x3 blocks, one block row a node: assembled (BlockCsr)
/// or matrix-free.
class LinearOperator {
  public:
    virtual ~LinearOperator() = default;
    virtual Index n_nodes() const = 0;
    /// y = A x; returns x·y, summed in an order that does not depend on the number of threads.
    virtual double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const = 0;
    /// The diagonal 3x3 blocks, for preconditioners.
    virtual void diagonal(std::span<Mat3d> blocks) const = 0;
};

/// 1 where a degree of freedom is free, 0 where it is prescribed; an empty span frees all.
/// Products with it are exact, so a filtered iteration never touches a prescribed value.
using FreeMask = std::span<const Vec3d>;

/// v where a degree of freedom is free, 0 where it is prescribed, whatever v is there.
template <class T>
Vec3<T> masked(const Vec3<T>& v, const Vec3d& free) {
    return {free.x == 0 ? T(0) : v.x, free.y == 0 ? T(0) : v.y, free.z == 0 ? T(0) : v.z};
}

}  // namespace limber

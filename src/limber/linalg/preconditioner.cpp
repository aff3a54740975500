// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/preconditioner.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"

namespace limber {

namespace {

constexpr Index nodes_per_chunk = 1024;

struct Inverted {
    Mat3d inverse;
    bool singular = false;
};

/// 1/d, or 1 where d cannot be the diagonal of a positive definite matrix.
double inverse_entry(double d, bool& singular) {
    const double inverse_d = 1 / d;
    if (d > 0 && std::isfinite(d) && std::isfinite(inverse_d)) return inverse_d;
    singular = true;
    return 1;
}

/// Rows and columns of prescribed degrees of freedom become those of the identity.
Mat3d filtered(Mat3d B, const Vec3d& free) {
    for (int i = 0; i < 3; ++i) {
        if (free[i] != 0) continue;
        for (int j = 0; j < 3; ++j) B(i, j) = B(j, i) = 0;
        B(i, i) = 1;
    }
    return B;
}

/// L Lᵀ of the block scaled to unit diagonal: every pivot lies in (0, 1], and one below
/// 64 epsilon says that the block is singular to working precision, whatever its units.
Inverted inverse_of_spd(const Mat3d& B) {
    constexpr double smallest_pivot = 64 * 2.220446049250313e-16;
    Inverted out;
    const Vec3d d{inverse_entry(B(0, 0), out.singular), inverse_entry(B(1, 1), out.singular),
                  inverse_entry(B(2, 2), out.singular)};
    out.inverse = Mat3d::diagonal(d.x, d.y, d.z);
    if (out.singular) return out;
    const Vec3d s{std::sqrt(d.x), std::sqrt(d.y), std::sqrt(d.z)};
    const double c10 = B(1, 0) * s.x * s.y, c20 = B(2, 0) * s.x * s.z, c21 = B(2, 1) * s.y * s.z;
    const double pivot1 = 1 - c10 * c10;
    const double e21 = c21 - c20 * c10;
    const double pivot2 = (1 - c20 * c20) - e21 * e21 / pivot1;
    if (!(pivot1 > smallest_pivot && pivot2 > smallest_pivot)) {
        out.singular = true;  // also where an entry is not finite
        return out;
    }
    // The inverse of the unit-diagonal block by cofactors, symmetric by construction.
    const double inverse_det = 1 / (pivot1 * pivot2);
    Mat3d& P = out.inverse;
    P(0, 0) = d.x * (1 - c21 * c21) * inverse_det;
    P(1, 1) = d.y * (1 - c20 * c20) * inverse_det;
    P(2, 2) = d.z * (1 - c10 * c10) * inverse_det;
    P(1, 0) = P(0, 1) = s.x * s.y * (c20 * c21 - c10) * inverse_det;
    P(2, 0) = P(0, 2) = s.x * s.z * (c10 * c21 - c20) * inverse_det;
    P(2, 1) = P(1, 2) = s.y * s.z * (c10 * c20 - c21) * inverse_det;
    return out;
}

}  // namespace

void Preconditioner::update(const LinearOperator& A, std::span<const double> mass, FreeMask free) {
    n_nodes_ = A.n_nodes();
    LIMBER_CHECK(free.empty() || std::ssize(free) == n_nodes_, "the mask has one entry a node");
    LIMBER_CHECK(kind_ != PreconditionerKind::mass || std::ssize(mass) == n_nodes_,
                 "the mass preconditioner needs one mass a node");
    const bool by_block = kind_ == PreconditionerKind::block_jacobi;
    if (by_block || kind_ == PreconditionerKind::jacobi) {
        diagonal_.resize(n_nodes_);
        A.diagonal(diagonal_);
    }
    if (by_block)
        inverse_blocks_.resize(n_nodes_);
    else
        inverse_diagonal_.resize(n_nodes_);

    const auto invert_node = [&](Index i) {
        const Vec3d mask = free.empty() ? Vec3d{1, 1, 1} : free[i];
        bool singular = false;
        if (by_block) {
            const Inverted inverted = inverse_of_spd(filtered(diagonal_[i], mask));
            inverse_blocks_[i] = inverted.inverse;
            return inverted.singular;
        }
        Vec3d d{1, 1, 1};
        if (kind_ == PreconditionerKind::mass) d = {mass[i], mass[i], mass[i]};
        if (kind_ == PreconditionerKind::jacobi)
            d = {diagonal_[i].a[0], diagonal_[i].a[4], diagonal_[i].a[8]};
        for (int axis = 0; axis < 3; ++axis)
            inverse_diagonal_[i][axis] = mask[axis] == 0 ? 1 : inverse_entry(d[axis], singular);
        return singular;
    };
    n_singular_in_.resize((n_nodes_ + nodes_per_chunk - 1) / nodes_per_chunk);
    n_singular_ = parallel_sum(n_nodes_, nodes_per_chunk, std::span(n_singular_in_),
                               [&](Index begin, Index end) {
                                   Index count = 0;
                                   for (Index i = begin; i < end; ++i) count += invert_node(i);
                                   return count;
                               });
}

void Preconditioner::apply(std::span<const Vec3d> r, std::span<Vec3d> z) const {
    LIMBER_CHECK(std::ssize(r) == n_nodes() && std::ssize(z) == n_nodes(), "one entry a node");
    if (inverse_) return inverse_->apply_inverse(r, z);
    parallel_for(n_nodes_, nodes_per_chunk, [&](Index i) {
        if (kind_ == PreconditionerKind::block_jacobi) {
            z[i] = inverse_blocks_[i] * r[i];
        } else {
            const Vec3d& d = inverse_diagonal_[i];
            z[i] = {d.x * r[i].x, d.y * r[i].y, d.z * r[i].z};
        }
    });
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/supernodal/cholesky.h"
#include "limber/linalg/supernodal/scalar.h"
#include "limber/solve/objective.h"

namespace limber {

/// The matrix of projective dynamics, factorised. Where its blocks are numbers times the identity a
/// factor of those numbers in the precision of the iteration does; else one of all degrees of
/// freedom in double.
template <class Real>
class ConstantMatrix {
  public:
    /// `exact`: Objective::projective_matrix, factorised again in every step with contact,
    /// stiffness damping or consistent mass. Else Objective::scalar_matrix, again in every step
    /// with contact.
    ConstantMatrix(const Model& model, bool exact) : model_(model), exact_(exact) {}

    /// A step begins. False: the matrix is not positive definite.
    bool begin(Objective<Real>& objective);
    /// x = P⁻¹ b, zero at prescribed degrees of freedom. b and x may be the same.
    void solve(std::span<const Vec3<Real>> b, std::span<Vec3<Real>> x);
    /// s·P s; only where the blocks are numbers.
    double form(std::span<const Vec3<Real>> s);

  private:
    const Model& model_;
    bool exact_;
    ScalarCholesky<Real> numbers_;
    SupernodalCholesky<double> blocks_;
    std::vector<double> value_, partial_;
    const BlockCsr* pattern_ = nullptr;  // of value_, the objective's
    std::vector<Vec3d> wide_;            // of b and x
    double h_ = 0;                       // [s]; 0: not factorised
    bool scalar_ = false;                // numbers_ is of the present matrix, else blocks_
    bool changed_ = false;               // the factor holds what only its own step had
};

extern template class ConstantMatrix<float>;
extern template class ConstantMatrix<double>;

}  // namespace limber

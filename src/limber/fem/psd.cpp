// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/psd.h"

// GCC 12 takes the undefined pass-through operands in its own AVX-512 header for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <Eigen/Eigenvalues>
#pragma GCC diagnostic pop

namespace limber {

Mat9d nearest_psd(const Mat9d& H) {
    using Matrix = Eigen::Matrix<double, 9, 9>;
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Eigen::Map<const Matrix>(H.a));
    if (eigen.eigenvalues()[0] >= 0) return H;  // in ascending order
    Mat9d out;
    const Matrix& Q = eigen.eigenvectors();
    // Into an array of Eigen's first: its sums depend on how the target is aligned.
    const Matrix product = Q * eigen.eigenvalues().cwiseMax(0).asDiagonal() * Q.transpose();
    Eigen::Map<Matrix>(out.a) = product;
    return out;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace limber {

/// What conjugate gradients learn of the spectrum of P⁻¹A on their way: the step lengths are the
/// entries of the tridiagonal matrix of Lanczos (Golub & Van Loan, Matrix Computations, 11.3). Its
/// eigenvalues lie between the least and the largest of P⁻¹A. Only the first iterations count, so
/// that nothing is allocated.
class RitzValues {
  public:
    void clear();
    /// An iteration: alpha = r·z / p·Ap, beta = r·z after it / r·z before.
    void add(double alpha, double beta);

    bool empty() const { return n_ == 0; }
    double least() const;
    double largest() const;

  private:
    /// By bisection on the signs of the pivots: the end of the spectrum on the side of `sign`.
    double end(double sign) const;

    static constexpr std::size_t room = 128;
    std::array<double, room> diagonal_{}, off_{};
    std::size_t n_ = 0;
    double carried_ = 0;  // beta / alpha of the iteration before
};

}  // namespace limber

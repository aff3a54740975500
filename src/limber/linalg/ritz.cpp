// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/ritz.h"

#include <algorithm>
#include <cmath>

namespace limber {

void RitzValues::clear() {
    n_ = 0;
    carried_ = 0;
}

void RitzValues::add(double alpha, double beta) {
    if (n_ == room) return;
    diagonal_[n_] = 1 / alpha + carried_;
    off_[n_++] = std::sqrt(std::max(beta, 0.0)) / alpha;
    carried_ = beta / alpha;
}

double RitzValues::least() const {
    return end(-1);
}
double RitzValues::largest() const {
    return end(1);
}

double RitzValues::end(double sign) const {
    const std::size_t n = n_;
    double inner = sign * diagonal_[0], outer = inner;  // of sign * T: Gershgorin's circles
    for (std::size_t k = 0; k < n; ++k) {
        const double radius = (k > 0 ? off_[k - 1] : 0) + (k + 1 < n ? off_[k] : 0);
        inner = std::max(inner, sign * diagonal_[k]);
        outer = std::max(outer, sign * diagonal_[k] + radius);
    }
    if (sign < 0) outer = std::min(outer, 0.0);  // A is positive definite
    const auto all_below = [&](double x) {
        double pivot = 1;
        for (std::size_t k = 0; k < n; ++k) {
            pivot = sign * diagonal_[k] - x - (k > 0 ? off_[k - 1] * off_[k - 1] / pivot : 0);
            if (!(pivot < 0)) return false;
        }
        return true;
    };
    for (int k = 0; k < 30; ++k) {
        const double middle = 0.5 * (inner + outer);
        (all_below(middle) ? outer : inner) = middle;
    }
    return sign * outer;
}

}  // namespace limber

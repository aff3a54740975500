// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace limber {

enum class SolveStatus {
    converged,       // residual below tolerance
    iteration_cap,   // stopped by max_iterations
    energy_settled,  // kinetic energy changed less than energy_tolerance between two iterations
    deadline,        // stopped by the clock
    direct,          // factorised and solved
    indefinite,      // pᵀAp <= 0, or a pivot that is not positive
    not_finite,      // the residual is NaN or infinite
};

constexpr std::string_view to_string(SolveStatus status) {
    switch (status) {
        case SolveStatus::converged:
            return "converged";
        case SolveStatus::iteration_cap:
            return "iteration_cap";
        case SolveStatus::energy_settled:
            return "energy_settled";
        case SolveStatus::deadline:
            return "deadline";
        case SolveStatus::direct:
            return "direct";
        case SolveStatus::indefinite:
            return "indefinite";
        case SolveStatus::not_finite:
            return "not_finite";
    }
    return "unknown";
}

/// What a linear solve did: data, never an exception.
struct SolveStats {
    SolveStatus status = SolveStatus::converged;
    int iterations = 0;
    double residual = 0;           // |r| / |b|
    double absolute_residual = 0;  // |r| [N s]
    bool failed() const {
        return status == SolveStatus::indefinite || status == SolveStatus::not_finite;
    }
};

}  // namespace limber

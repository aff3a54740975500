// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace limber {

/// Phases of Chebyshev's method: solver options rho and phases.
struct ChebyshevPhases {
    std::vector<double> rho;
    std::vector<int> length;  // [iterations]
};

struct TuneOptions {
    double change = 0.05;  // ε of Eq. (9)
    int shift = 8;         // of the border of two phases [iterations]
    int max_cycles = 60;
};

struct TuneResult {
    ChebyshevPhases phases;  // the best found: those of the start where nothing was
    double first_error = 0, error = 0;
    int cycles = 0, trials = 0;
    bool improved() const {
        return error < first_error || (error == error && first_error != first_error);
    }
    /// "rho = [0.93, 0.97]\nphases = [40, 56]\n# ...": lines for the [solver] of a scene; says so
    /// where nothing better was found.
    std::string toml() const;
};

/// Wang & Yang 2016, section 4.3: in each cycle ρ of every phase is changed a little, Eq. (9),
/// ρ → 1 − (1 ± ε)(1 − ρ), and every border of phases moved; the change that brings `error` down
/// most is kept; until none does. Deviation: 1 − ρ is halved and doubled as well, so that a start
/// far away needs fewer cycles. `error` is that of a pre-simulation; the same function gives the
/// same result.
TuneResult tune_chebyshev(const ChebyshevPhases& start,
                          const std::function<double(const ChebyshevPhases&)>& error,
                          const TuneOptions& options = {});

}  // namespace limber

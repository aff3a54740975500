// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/tuner.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace limber {

namespace {

/// Everything one cycle tries.
std::vector<ChebyshevPhases> neighbours(const ChebyshevPhases& at, const TuneOptions& options) {
    std::vector<ChebyshevPhases> out;
    for (std::size_t p = 0; p < at.rho.size(); ++p) {
        for (const double factor : {1 - options.change, 1 + options.change, 0.5, 2.0}) {
            ChebyshevPhases other = at;
            other.rho[p] = 1 - factor * (1 - at.rho[p]);  // Eq. (9)
            if (other.rho[p] > 0 && other.rho[p] < 1) out.push_back(std::move(other));
        }
        if (p + 1 == at.rho.size()) continue;
        for (const int shift : {-options.shift, options.shift}) {
            ChebyshevPhases other = at;
            other.length[p] += shift;
            other.length[p + 1] -= shift;
            if (other.length[p] > 0 && other.length[p + 1] > 0) out.push_back(std::move(other));
        }
    }
    return out;
}

}  // namespace

TuneResult tune_chebyshev(const ChebyshevPhases& start,
                          const std::function<double(const ChebyshevPhases&)>& error,
                          const TuneOptions& options) {
    TuneResult out;
    out.phases = start;
    out.first_error = out.error = error(start);
    out.trials = 1;
    for (; out.cycles < options.max_cycles; ++out.cycles) {
        ChebyshevPhases best = out.phases;
        double least = out.error;
        for (const ChebyshevPhases& other : neighbours(out.phases, options)) {
            const double e = error(other);
            ++out.trials;
            if (e < least || (std::isfinite(e) && !std::isfinite(least))) {
                least = e;
                best = other;
            }
        }
        if (!(least < out.error) && std::isfinite(out.error)) break;
        if (!std::isfinite(least)) break;
        out.phases = best;
        out.error = least;
    }
    return out;
}

std::string TuneResult::toml() const {
    const std::string found =
        improved() ? fmt::format("error {:.3g}, {:.3g} before", error, first_error)
                   : fmt::format("nothing better than the start was found, error {:.3g}", error);
    return fmt::format("rho = [{:.6g}]\nphases = [{}]\n# {} trials in {} cycles: {}\n",
                       fmt::join(phases.rho, ", "), fmt::join(phases.length, ", "), trials, cycles,
                       found);
}

}  // namespace limber

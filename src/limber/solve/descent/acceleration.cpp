// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/acceleration.h"

namespace limber {

std::vector<int> phase_ends(const DescentOptions& options) {
    std::vector<int> out;
    int end = 0;
    for (std::size_t p = 0; p + 1 < options.rho.size(); ++p) {
        end += p < options.phases.size()
                   ? options.phases[p]
                   : options.iterations / static_cast<int>(options.rho.size());
        out.push_back(end);
    }
    return out;
}

Chebyshev::Chebyshev(const DescentOptions& options) : rho_(options.rho), end_(phase_ends(options)) {
    if (rho_.empty()) rho_ = {0.0};
    rule_.rho = rho_.data();
    rule_.end = end_.data();
    rule_.n_ends = static_cast<int>(end_.size());
    rule_.warm_up = options.warm_up;
}

AccelerationKind acceleration_kind(const DescentOptions& options) {
    if (options.acceleration != AccelerationKind::automatic) return options.acceleration;
    const bool none =
        !is_stationary(options.direction) || options.step_length == StepLengthKind::line_search;
    return none ? AccelerationKind::none : AccelerationKind::chebyshev;
}

std::unique_ptr<Acceleration> make_acceleration(const DescentOptions& options) {
    switch (acceleration_kind(options)) {
        case AccelerationKind::chebyshev:
            return std::make_unique<Chebyshev>(options);
        case AccelerationKind::nesterov:
            return std::make_unique<Nesterov>();
        default:
            return std::make_unique<Acceleration>();
    }
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/descent/acceleration.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {

namespace {

constexpr double more_caution = 4;

}  // namespace

Chebyshev::Chebyshev(const DescentOptions& options) : rho_(options.rho), warm_up_(options.warm_up) {
    if (rho_.empty()) rho_ = {0.0};
    int end = 0;
    for (std::size_t p = 0; p + 1 < rho_.size(); ++p) {
        end += p < options.phases.size() ? options.phases[p]
                                         : options.iterations / static_cast<int>(rho_.size());
        end_.push_back(end);
    }
}

void Chebyshev::begin() {
    k_ = 0;
    phase_ = 0;
    stage_ = 0;
    caution_ = std::max(1.0, 0.5 * caution_);
}

bool Chebyshev::take_blame() {
    const bool had_momentum = stage_ > 1;
    stage_ = 0;
    if (had_momentum) caution_ = std::min(1e6, caution_ * more_caution);
    return had_momentum;
}

void Chebyshev::acquit() {
    caution_ = std::max(1.0, caution_ / more_caution);
}

double Chebyshev::next_weight() {
    while (phase_ < end_.size() && k_ >= end_[phase_]) {
        ++phase_;
        stage_ = 0;
    }
    const double rho = std::max(0.0, 1 - caution_ * (1 - rho_[phase_]));
    const double rho2 = rho * rho;
    if (k_++ < warm_up_ || stage_ == 0) {
        omega_ = 1;
        stage_ = 1;
    } else if (stage_ == 1) {
        omega_ = 2 / (2 - rho2);
        stage_ = 2;
    } else {
        omega_ = 4 / (4 - rho2 * omega_);
    }
    return omega_ - 1;
}

bool Nesterov::take_blame() {
    return std::exchange(theta_, 1.0) > 1;
}

double Nesterov::next_weight() {
    const double before = theta_;
    theta_ = 0.5 * (1 + std::sqrt(1 + 4 * before * before));
    return (before - 1) / theta_;
}

std::unique_ptr<Acceleration> make_acceleration(const DescentOptions& options) {
    switch (options.acceleration) {
        case AccelerationKind::automatic:
            if (!is_stationary(options.direction) ||
                options.step_length == StepLengthKind::line_search)
                return std::make_unique<Acceleration>();
            return std::make_unique<Chebyshev>(options);
        case AccelerationKind::none:
            return std::make_unique<Acceleration>();
        case AccelerationKind::chebyshev:
            return std::make_unique<Chebyshev>(options);
        case AccelerationKind::nesterov:
            return std::make_unique<Nesterov>();
    }
    return std::make_unique<Acceleration>();
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "limber/solve/descent/descent.h"

namespace limber {

std::string descent_conflict(const DescentOptions& options) {
    const auto name_of = [](auto value) {
        return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
    };
    const bool accelerated = options.acceleration == AccelerationKind::chebyshev ||
                             options.acceleration == AccelerationKind::nesterov;
    if (accelerated && !is_stationary(options.direction))
        return "acceleration = \"" + name_of(options.acceleration) +
               "\" cannot go with direction = \"" + name_of(options.direction) +
               "\", which has a memory or a step of its own; allowed: gradient, jacobi, "
               "block_jacobi, projective, projective_diagonal";
    if (accelerated && options.step_length == StepLengthKind::line_search)
        return "step_length = \"line_search\" cannot go with acceleration = \"" +
               name_of(options.acceleration) +
               "\": momentum may raise the energy of single iterations; allowed: adjusted, fixed";
    if (options.direction == DirectionKind::newton_cg &&
        (options.step_length == StepLengthKind::adjusted ||
         options.step_length == StepLengthKind::fixed))
        return "step_length = \"" + name_of(options.step_length) +
               "\" cannot go with direction = \"newton_cg\", which finds its own; allowed: auto, "
               "line_search";
    if (options.initial_matrix == InitialMatrix::constant &&
        options.direction != DirectionKind::lbfgs)
        return "initial_matrix = \"constant\" cannot go with direction = \"" +
               name_of(options.direction) + "\"; allowed: direction = \"lbfgs\"";
    const DescentOptions defaults;
    const char* unused = options.rho != defaults.rho || !options.phases.empty() ? "rho and phases"
                         : options.step != 0 || options.max_step != 0 ? "step and max_step"
                                                                      : nullptr;
    if (unused && options.direction == DirectionKind::newton_cg)
        return std::string(unused) +
               " cannot go with direction = \"newton_cg\", the default, which has no use for them; "
               "allowed: direction = \"jacobi\" (Wang & Yang 2016), gradient, block_jacobi, "
               "projective, projective_diagonal";
    const bool may_tune =
        is_stationary(options.direction) && (options.acceleration == AccelerationKind::chebyshev ||
                                             options.acceleration == AccelerationKind::automatic);
    if (options.tune && !may_tune)
        return "tune = true looks for phases of acceleration = \"chebyshev\"; allowed: that, with "
               "direction = \"gradient\", \"jacobi\", \"block_jacobi\", \"projective\" or "
               "\"projective_diagonal\"";
    if (!options.phases.empty() && options.phases.size() + 1 != options.rho.size() &&
        options.phases.size() != options.rho.size())
        return "phases has " + std::to_string(options.phases.size()) + " entries and rho " +
               std::to_string(options.rho.size()) + "; allowed: as many, or one less";
    return {};
}

}  // namespace limber

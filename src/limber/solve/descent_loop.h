// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/solve/descent.h"

namespace limber {

/// How DescentStepper minimises, in either precision.
struct DescentStepper::Loop {
    virtual ~Loop() = default;
    virtual SolveStats run(const StepInput& in, State& state, NodeForces& forces,
                           StepReport& report) = 0;
    virtual void integrate(State& state) const = 0;
    virtual void save(ByteWriter& out) const = 0;
    virtual void load(ByteReader& in) = 0;
    virtual void reset() = 0;
    virtual void describe_cells(CellFields& fields) const = 0;
    DescentWatcher watcher;
};

/// direction = "newton_cg" (descent_newton_cg.cpp).
template <class Real>
std::unique_ptr<DescentStepper::Loop> make_newton_cg(const Model& model,
                                                     const DescentOptions& options);

}  // namespace limber

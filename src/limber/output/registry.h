// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "limber/output/run_output_options.h"
#include "limber/sim/world.h"

namespace limber {

/// One kind of output. `format` ones are made when [output] formats names them, the others always.
struct ObserverEntry {
    std::string_view name;
    bool format;
    std::unique_ptr<Observer> (*make)(const RunOutputOptions&);
    std::string_view help;
};

std::span<const ObserverEntry> observer_entries();

/// Prepares the run folder (a new run removes what an earlier one left) and adds every observer the
/// options ask for. Call it when the world has its first state: state().step > 0 continues a run.
void add_observers(World& world, const RunOutputOptions& options);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../../bench/registry.h"

namespace limber::app {

/// The benches. `limber` is linked without them: it becomes `limber-bench`, the program beside it,
/// with the same arguments, and does not return. InputError where that was not built.
std::span<const bench::BenchEntry> require_benches();

/// InputError with the list and the nearest name where there is none.
const bench::BenchEntry& find_bench(const std::string& name);

}  // namespace limber::app

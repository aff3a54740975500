// SPDX-License-Identifier: Apache-2.0
// In place of bench/*.cpp: those are a fifth of what there is to compile, and who simulates needs
// none. `limber-bench` is the same program with them.

#include "../../bench/registry.h"

namespace limber::bench {

std::span<const BenchEntry> benches() {
    return {};
}

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry.h"

namespace limber::bench {

BenchResult view_rate(const BenchOptions& options);

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace limber {

/// Bytes a second at which the threads in use read `bytes` of memory again and again: that of the
/// caches where it fits there. The best of several passes.
double read_bandwidth(std::size_t bytes);

}  // namespace limber

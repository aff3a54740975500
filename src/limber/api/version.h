// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/core/export.h"

namespace limber::api {

LIMBER_API std::string version();      // "0.2.0"
LIMBER_API std::string description();  // with commit, compiler and vector instructions

/// Threads that parallel work may use from now on, in all worlds; 0: as LIMBER_THREADS says, else
/// all cores. Results do not depend on it.
LIMBER_API void set_threads(int n);
LIMBER_API int threads();

}  // namespace limber::api

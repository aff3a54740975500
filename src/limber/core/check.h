// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Our own mistakes. LIMBER_CHECK is always on and guards module entry points; LIMBER_ASSERT is for
/// hot code and is compiled in only with LIMBER_ASSERTIONS. Both throw limber::Bug (exit code 3).
#define LIMBER_CHECK(condition, what) \
    ((condition) ? void(0) : ::limber::report_bug(__FILE__, __LINE__, #condition, what))

#if defined(LIMBER_ASSERTIONS)
#define LIMBER_ASSERT(condition) LIMBER_CHECK(condition, "")
#else
#define LIMBER_ASSERT(condition) void(0)
#endif

namespace limber {

[[noreturn]] void report_bug(const char* file, int line, const char* condition, const char* what);

}  // namespace limber

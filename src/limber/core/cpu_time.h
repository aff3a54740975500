// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

namespace limber {

inline double clock_ms(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}
/// CPU time of this thread, and of all threads of the program [ms]: what something costs however
/// busy the machine is.
inline double thread_cpu_ms() {
    return clock_ms(CLOCK_THREAD_CPUTIME_ID);
}
inline double process_cpu_ms() {
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace limber::gpu {

/// The graphics card as this process sees it: the first one of the driver.
struct Device {
    bool found = false;
    std::string missing;  // what is missing, in words; empty: nothing
    std::string name;
    std::string driver;        // version that the driver supports, "13.0"
    std::string runtime;       // that this program was built with
    std::string architecture;  // "sm_90"
    int processors = 0;
    std::int64_t memory = 0, free = 0;  // [bytes]
    int shared_memory = 0;              // of a block, at most [bytes]
};

/// Whether this program has kernels: it was built where nvcc was found.
bool has_kernels();
/// Looked for at the first call, and then kept but for `free`.
Device device();
/// Of a copy within the device's memory, read and written bytes together [byte/s]; 0 where there is
/// no device. Takes a few milliseconds and 512 MiB of its memory, or what is there.
double copy_bandwidth();
/// InputError where there is no device, SystemError where it has less memory left [bytes].
void require_memory(std::int64_t bytes);

}  // namespace limber::gpu

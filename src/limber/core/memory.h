// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace limber {

/// Bytes that can be used without swapping, where the system tells; LIMBER_MEMORY_LIMIT [bytes]
/// where it is set.
double available_memory();

/// "3.4 GB"
std::string bytes_text(double bytes);

/// InputError with both numbers when `what` ("50000000 tets") needs more than there is: before
/// anything is allocated.
void require_memory(double bytes, const std::string& what);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Functions marked LIMBER_HD compile for the CPU and, under nvcc, for the GPU.
#if defined(__CUDACC__)
#define LIMBER_HD __host__ __device__
#else
#define LIMBER_HD
#endif

namespace limber {

/// Nodes, elements and matrix blocks of one process: 2^31 is far above what fits in memory.
using Index = std::int32_t;

/// Ids of a mesh file: any whole number the file chose.
using FileId = std::int64_t;

}  // namespace limber

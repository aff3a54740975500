// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "limber/gpu/errors.h"

namespace limber::gpu {

/// What the CUDA runtime says where it refuses something.
inline void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    const std::string text = std::string(what) + ": " + cudaGetErrorString(error);
    cudaGetLastError();
    if (error == cudaErrorMemoryAllocation)
        throw SystemError("the device's memory is used up (" + text + ")");
    throw DeviceLost(text);
}

}  // namespace limber::gpu

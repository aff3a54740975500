// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/device.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>

namespace limber::gpu {

namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

__global__ void copy(const float4* from, float4* to, std::size_t n) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride)
        to[i] = from[i];
}
__global__ void nothing() {}

Device look() {
    Device out;
    int driver = 0, runtime = 0, count = 0;
    cudaRuntimeGetVersion(&runtime);
    out.runtime = version(runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        out.missing = "no NVIDIA driver is installed (libcuda.so.1 was not found)";
        return out;
    }
    out.driver = version(driver);
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        out.missing = "the driver supports CUDA " + out.driver + ", this program needs " +
                      out.runtime.substr(0, out.runtime.find('.'));
        return out;
    }
    if (error != cudaSuccess || count == 0) {
        out.missing =
            "no CUDA device is visible" +
            (error == cudaSuccess ? std::string() : std::string(": ") + cudaGetErrorString(error));
        return out;
    }
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
        out.missing = "the device does not answer";
        return out;
    }
    out.name = properties.name;
    out.architecture = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
    out.processors = properties.multiProcessorCount;
    out.memory = static_cast<std::int64_t>(properties.totalGlobalMem);
    out.shared_memory = static_cast<int>(properties.sharedMemPerBlockOptin);
    nothing<<<1, 1>>>();
    if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        out.missing = out.name + " is of architecture " + out.architecture +
                      ", which this program's kernels were not compiled for";
        return out;
    }
    out.found = true;
    return out;
}

}  // namespace

bool has_kernels() {
    return true;
}

Device device() {
    static const Device first = look();
    Device out = first;
    std::size_t free = 0, total = 0;
    if (out.found && cudaMemGetInfo(&free, &total) == cudaSuccess)
        out.free = static_cast<std::int64_t>(free);
    return out;
}

double copy_bandwidth() {
    const Device card = device();
    if (!card.found) return 0;
    const std::size_t bytes = static_cast<std::size_t>(
        std::min<std::int64_t>(std::int64_t(256) << 20, card.free / 4 / 4096 * 4096));
    float4 *from = nullptr, *to = nullptr;
    double best = 0;
    cudaEvent_t begin = nullptr, end = nullptr;
    if (bytes > 0 && cudaMalloc(&from, bytes) == cudaSuccess &&
        cudaMalloc(&to, bytes) == cudaSuccess && cudaMemset(from, 0, bytes) == cudaSuccess &&
        cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess) {
        for (int round = 0; round < 6; ++round) {  // the first one warms up
            cudaEventRecord(begin);
            copy<<<8 * card.processors, 512>>>(from, to, bytes / sizeof(float4));
            cudaEventRecord(end);
            float ms = 0;
            if (cudaEventSynchronize(end) != cudaSuccess ||
                cudaEventElapsedTime(&ms, begin, end) != cudaSuccess || !(ms > 0))
                break;
            if (round > 0) best = std::max(best, 2e3 * static_cast<double>(bytes) / ms);
        }
    }
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    cudaFree(from);
    cudaFree(to);
    return best;
}

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What gpu/factor/tile_factor_on.h asks of a queue of the device.

#include "limber/gpu/cuda_queue.cuh"
#include "limber/gpu/factor/factor_kernel.cuh"
#include "limber/gpu/factor/solve_kernel.cuh"
#include "limber/gpu/factor/tile_factor_on.h"

namespace limber::gpu {

/// As many blocks as the device holds at once. What they compute does not depend on it.
template <class Kernel>
int resident_blocks(Kernel kernel, std::size_t shared) {
    int processors = 0, blocks = 0;
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "the device");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, tile_threads, shared),
          "a kernel of the factor");
    LIMBER_CHECK(blocks > 0, "a processor of the device holds a block of the factor");
    return processors * blocks;
}

/// Before a graph is captured, which is no time to load kernels.
template <class T>
void prepare_factor(CudaQueue&, T) {
    for (const auto kernel : {factor_tiles<T, false>, factor_tiles<T, true>})
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sizeof(TileShared<T>))),
              "shared memory of the factor");
    resident_blocks(substitute_tiles<T>, 0);
}
template <class T>
void run_factor(CudaQueue& queue, const FactorView<T>& view) {
    constexpr std::size_t shared = sizeof(TileShared<T>);
    const auto kernel = view.times ? factor_tiles<T, true> : factor_tiles<T, false>;
    kernel<<<resident_blocks(kernel, shared), tile_threads, shared, queue.stream()>>>(view);
}
template <class T>
void run_substitution(CudaQueue& queue, const SubstitutionView<T>& view) {
    substitute_tiles<T>
        <<<resident_blocks(substitute_tiles<T>, 0), tile_threads, 0, queue.stream()>>>(view);
}

/// Between two events of the device.
template <class Steps>
double elapsed_ms(CudaQueue& queue, const Steps& steps) {
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin), "an event of the device");
    check(cudaEventCreate(&end), "an event of the device");
    queue.wait();
    check(cudaEventRecord(begin, queue.stream()), "an event of the device");
    steps();
    check(cudaEventRecord(end, queue.stream()), "an event of the device");
    check(cudaEventSynchronize(end), "a run on the device");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "an event of the device");
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return ms;
}

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/cuda_queue.cuh"
#include "limber/gpu/descent/program.h"

namespace limber::gpu {

std::unique_ptr<DescentRun> start_on_cuda(DescentData<float> data, const DescentSetup& setup) {
    return std::make_unique<OnCuda<DescentProgram, float>>(setup, std::move(data));
}

}  // namespace limber::gpu

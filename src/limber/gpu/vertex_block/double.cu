// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/cuda_queue.cuh"
#include "limber/gpu/vertex_block/program.h"
#include "limber/gpu/vertex_block/run.h"

namespace limber::gpu {

std::unique_ptr<DescentRun> start_on_cuda(DescentData<double> data, VertexBlockData<double> blocks,
                                          const DescentSetup& setup) {
    return std::make_unique<OnCuda<VertexBlockProgram, double>>(setup, std::move(data),
                                                                std::move(blocks));
}

}  // namespace limber::gpu

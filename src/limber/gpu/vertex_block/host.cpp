// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/device.h"
#include "limber/gpu/vertex_block/program.h"
#include "limber/gpu/vertex_block/run.h"

namespace limber::gpu {

std::unique_ptr<DescentRun> make_host_vertex_blocks(const Model& model, const DescentSetup& setup) {
    static HostQueue queue;  // without a state
    auto data = make_descent_data<double>(model);
    auto blocks = make_vertex_block_data(model, data);
    return std::make_unique<VertexBlockProgram<HostQueue, double>>(queue, std::move(data),
                                                                   std::move(blocks), setup);
}

std::unique_ptr<DescentRun> make_cuda_vertex_blocks(const Model& model, const DescentSetup& setup) {
    auto data = make_descent_data<double>(model);
    auto blocks = make_vertex_block_data(model, data);
    CountingQueue queue;
    DescentArrays<CountingQueue, double>().make(queue, data, setup);
    VertexBlockArrays<CountingQueue, double>().make(queue, blocks, data);
    require_memory(queue.bytes());
    return start_on_cuda(std::move(data), std::move(blocks), setup);
}

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/gpu/descent/run.h"
#include "limber/gpu/vertex_block/data.h"

namespace limber::gpu {

/// As those of descent/run.h, in double precision.
std::unique_ptr<DescentRun> make_host_vertex_blocks(const Model& model, const DescentSetup& setup);
std::unique_ptr<DescentRun> make_cuda_vertex_blocks(const Model& model, const DescentSetup& setup);
std::unique_ptr<DescentRun> start_on_cuda(DescentData<double> data, VertexBlockData<double> blocks,
                                          const DescentSetup& setup);

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
// In place of the .cu files where they were not built in: says what is missing.
#include "limber/gpu/descent/data.h"
#include "limber/gpu/descent/run.h"
#include "limber/gpu/device.h"
#include "limber/gpu/errors.h"
#include "limber/gpu/factor/tile_factor.h"
#include "limber/gpu/vertex_block/run.h"

namespace limber::gpu {

namespace {

const char* const missing =
    "this program was built without CUDA (where nvcc is, -DLIMBER_CUDA=ON builds it in)";

}  // namespace

bool has_kernels() {
    return false;
}
Device device() {
    Device out;
    out.missing = missing;
    return out;
}
double copy_bandwidth() {
    return 0;
}
std::unique_ptr<DescentRun> start_on_cuda(DescentData<float>, const DescentSetup&) {
    throw InputError(missing);
}
std::unique_ptr<DescentRun> start_on_cuda(DescentData<double>, const DescentSetup&) {
    throw InputError(missing);
}
std::unique_ptr<DescentRun> start_on_cuda(DescentData<double>, VertexBlockData<double>,
                                          const DescentSetup&) {
    throw InputError(missing);
}
std::unique_ptr<TileFactor<double>> start_double_factor(const TilePlan&, const BlockCsr&) {
    throw InputError(missing);
}
std::unique_ptr<TileFactor<float>> start_float_factor(const TilePlan&, const BlockCsr&) {
    throw InputError(missing);
}

}  // namespace limber::gpu

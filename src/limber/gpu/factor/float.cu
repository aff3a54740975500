// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/factor/cuda_factor.cuh"

namespace limber::gpu {

std::unique_ptr<TileFactor<float>> start_float_factor(const TilePlan& plan,
                                                      const BlockCsr& pattern) {
    return std::make_unique<TileFactorOn<CudaQueue, float>>(plan, pattern);
}

}  // namespace limber::gpu

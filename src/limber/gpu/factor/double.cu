// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/factor/cuda_factor.cuh"

namespace limber::gpu {

std::unique_ptr<TileFactor<double>> start_double_factor(const TilePlan& plan,
                                                        const BlockCsr& pattern) {
    return std::make_unique<TileFactorOn<CudaQueue, double>>(plan, pattern);
}

}  // namespace limber::gpu

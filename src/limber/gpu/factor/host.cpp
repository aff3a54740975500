// SPDX-License-Identifier: Apache-2.0
#include "limber/core/timer.h"
#include "limber/gpu/device.h"
#include "limber/gpu/factor/host_factor.h"
#include "limber/gpu/factor/tile_factor_on.h"

namespace limber::gpu {

template <class Steps>
double elapsed_ms(HostQueue&, const Steps& steps) {
    const Timer timer;
    steps();
    return timer.ms();
}

template <class T>
std::unique_ptr<TileFactor<T>> make_host_factor(const TilePlan& plan, const BlockCsr& pattern) {
    return std::make_unique<TileFactorOn<HostQueue, T>>(plan, pattern);
}
template <class T>
std::int64_t tile_factor_bytes(const TilePlan& plan, const BlockCsr& pattern) {
    CountingQueue queue;
    const FactorArrays<CountingQueue, T> arrays(queue, plan, pattern);
    return queue.bytes();
}

template <>
std::unique_ptr<TileFactor<double>> make_cuda_factor<double>(const TilePlan& plan,
                                                             const BlockCsr& pattern) {
    require_memory(tile_factor_bytes<double>(plan, pattern));
    return start_double_factor(plan, pattern);
}
template <>
std::unique_ptr<TileFactor<float>> make_cuda_factor<float>(const TilePlan& plan,
                                                           const BlockCsr& pattern) {
    require_memory(tile_factor_bytes<float>(plan, pattern));
    return start_float_factor(plan, pattern);
}

template std::unique_ptr<TileFactor<double>> make_host_factor(const TilePlan&, const BlockCsr&);
template std::unique_ptr<TileFactor<float>> make_host_factor(const TilePlan&, const BlockCsr&);
template std::int64_t tile_factor_bytes<double>(const TilePlan&, const BlockCsr&);
template std::int64_t tile_factor_bytes<float>(const TilePlan&, const BlockCsr&);

}  // namespace limber::gpu

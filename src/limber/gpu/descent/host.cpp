// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/descent/program.h"
#include "limber/gpu/descent/run.h"
#include "limber/gpu/device.h"

namespace limber::gpu {

namespace {

template <class Real>
std::unique_ptr<DescentRun> on_host(const Model& model, const DescentSetup& setup) {
    static HostQueue queue;  // without a state
    return std::make_unique<DescentProgram<HostQueue, Real>>(queue, make_descent_data<Real>(model),
                                                             setup);
}

}  // namespace

std::unique_ptr<DescentRun> make_host_descent(const Model& model, const DescentSetup& setup,
                                              Precision precision) {
    return precision == Precision::single ? on_host<float>(model, setup)
                                          : on_host<double>(model, setup);
}

std::unique_ptr<DescentRun> make_cuda_descent(const Model& model, const DescentSetup& setup,
                                              Precision precision) {
    require_memory(descent_bytes(model, setup, precision));
    if (precision == Precision::single)
        return start_on_cuda(make_descent_data<float>(model), setup);
    return start_on_cuda(make_descent_data<double>(model), setup);
}

std::int64_t descent_bytes(const Model& model, const DescentSetup& setup, Precision precision) {
    const auto count = [&]<class Real>(Real) {
        CountingQueue queue;
        DescentArrays<CountingQueue, Real> arrays;
        arrays.make(queue, make_descent_data<Real>(model), setup);
        return queue.bytes();
    };
    return precision == Precision::single ? count(float()) : count(double());
}

}  // namespace limber::gpu

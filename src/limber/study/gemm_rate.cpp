// SPDX-License-Identifier: Apache-2.0
#include "limber/study/gemm_rate.h"

#include <algorithm>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/core/timer.h"
#include "limber/linalg/supernodal/kernels.h"

namespace limber {

namespace {

constexpr Index depth = 256;

/// Operands of one tile of the factor's kernel, as large as registers allow.
template <class T>
struct Panels {
    static constexpr Index S = strip_lanes<T>;
    std::vector<T> a = std::vector<T>(static_cast<std::size_t>(tile_strips) * S * depth, T(1));
    std::vector<T> b = std::vector<T>(static_cast<std::size_t>(S) * depth, T(1) / depth);
    std::vector<T> c = std::vector<T>(static_cast<std::size_t>(tile_strips) * S * S);

    /// One tile of A Bᵀ; returns a number that depends on it.
    T multiply() {
        StripPointers<const T> A;
        StripPointers<T> C;
        for (Index m = 0; m < tile_strips; ++m) {
            A[m] = a.data() + m * S * depth;
            C[m] = c.data() + m * S * S;
        }
        multiply_tile<T, TileMode::assign>(tile_strips, A, b.data(), depth, C);
        return c[0];
    }
};

template <class T>
double rate() {
    constexpr int tiles = 2000, rounds = 8;
    const int threads = thread_count();
    std::vector<Panels<T>> panels(static_cast<std::size_t>(threads));
    std::vector<T> sink(static_cast<std::size_t>(threads));
    double best_ms = 1e300;
    for (int round = 0; round < rounds; ++round) {
        const Timer clock;
        parallel_chunks(threads, [&](Index k) {
            T sum = 0;
            for (int tile = 0; tile < tiles; ++tile)
                sum += panels[static_cast<std::size_t>(k)].multiply();
            sink[static_cast<std::size_t>(k)] += sum;
        });
        if (round > 0) best_ms = std::min(best_ms, clock.ms());
    }
    const double operations =
        2.0 * tile_strips * Panels<T>::S * tile_columns * depth * tiles * threads;
    return sink[0] > 0 ? 1e3 * operations / best_ms : 0;
}

}  // namespace

double gemm_rate(bool single_precision) {
    return single_precision ? rate<float>() : rate<double>();
}

}  // namespace limber

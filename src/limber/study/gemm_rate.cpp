// SPDX-License-Identifier: Apache-2.0
#include "limber/study/gemm_rate.h"

#include <algorithm>
#include <vector>

#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/core/timer.h"

namespace limber {

namespace {

constexpr int depth = 256, columns = 8, registers = 3;  // 24 sums and 3 operands in registers

template <class T>
struct Panels {
    using Wide = Packet<T, 64 / static_cast<int>(sizeof(T))>;
    static constexpr int rows = registers * Wide::width;
    std::vector<T> a = std::vector<T>(static_cast<std::size_t>(rows) * depth, T(1));
    std::vector<T> b = std::vector<T>(static_cast<std::size_t>(columns) * depth, T(1) / depth);

    /// One tile of A B, a column of A and a row of B at a time; returns a number that depends on
    /// it.
    T multiply() const {
        Wide sum[registers][columns];
        const T *p = a.data(), *q = b.data();
        asm volatile("" : : "r"(p), "r"(q) : "memory");  // each call must do the work
        for (int k = 0; k < depth; ++k, p += rows, q += columns) {
            const Wide a0 = Wide::load(p), a1 = Wide::load(p + Wide::width),
                       a2 = Wide::load(p + 2 * Wide::width);
#pragma GCC unroll 8
            for (int j = 0; j < columns; ++j) {
                const Wide b_kj(q[j]);
                sum[0][j] += a0 * b_kj;
                sum[1][j] += a1 * b_kj;
                sum[2][j] += a2 * b_kj;
            }
        }
        T out = 0;
        for (const auto& row : sum)
            for (const Wide& s : row) out += s[0];
        return out;
    }
};

template <class T>
double rate() {
    constexpr int tiles = 2000, rounds = 8;
    const Panels<T> panels;
    const int threads = thread_count();
    std::vector<T> sink(static_cast<std::size_t>(threads));
    double best_ms = 1e300;
    for (int round = 0; round < rounds; ++round) {
        const Timer clock;
        parallel_chunks(threads, [&](Index k) {
            T sum = 0;
            for (int tile = 0; tile < tiles; ++tile) sum += panels.multiply();
            sink[static_cast<std::size_t>(k)] += sum;
        });
        if (round > 0) best_ms = std::min(best_ms, clock.ms());
    }
    const double operations = 2.0 * Panels<T>::rows * columns * depth * tiles * threads;
    return sink[0] > 0 ? 1e3 * operations / best_ms : 0;
}

}  // namespace

double gemm_rate(bool single_precision) {
    return single_precision ? rate<float>() : rate<double>();
}

}  // namespace limber

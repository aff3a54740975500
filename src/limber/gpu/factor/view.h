// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run of the tasks reads and writes: plain pointers, on the host or on the device.

#include <cstring>
#include <type_traits>

#include "limber/core/math.h"
#include "limber/gpu/factor/plan.h"

namespace limber::gpu {

/// What runs leave behind; a run begins with BeginFactor or BeginSubstitution.
struct TileControl {
    unsigned factor_epoch = 0, solve_epoch = 0;  // of the last run
    unsigned factor_ticket = 0, solve_ticket = 0;
    unsigned stuck = 0;  // 1: a wait took longer than patience, and all that follows is void
    unsigned unused = 0;
    unsigned long long bad = ~0ull;  // 2 position + (1: not finite) of the first bad pivot
    unsigned long long patience = 4'000'000'000ull;  // [ns], of a wait on the device
};
inline constexpr unsigned long long no_bad_pivot = ~0ull;

/// Pivots from which a factor can go on: not so small that their inverse is none.
template <class T>
LIMBER_HD constexpr bool usable_pivot(T pivot) {
    constexpr T least = sizeof(T) == 8 ? T(1e-290) : T(1e-37);
    return pivot > least && pivot < 1 / least;
}
/// What a bad one is noted as: the first in the order of elimination is the least.
template <class T>
LIMBER_HD unsigned long long bad_pivot(Index position, T pivot) {
    const bool finite = pivot - pivot == 0;
    return 2ull * static_cast<unsigned long long>(position) + (finite ? 0 : 1);
}

struct BeginFactor {
    TileControl* control;
    LIMBER_HD void operator()() const {
        ++control->factor_epoch;
        control->factor_ticket = 0;
        control->bad = no_bad_pivot;
        control->stuck = 0;
    }
};
struct BeginSubstitution {
    TileControl* control;
    LIMBER_HD void operator()() const {
        ++control->solve_epoch;
        control->solve_ticket = 0;
    }
};

/// When a task was at work, for a profile.
struct TileTime {
    unsigned long long begin = 0;     // [ns], of the device's clock
    unsigned cycles = 0, waited = 0;  // of its processor's clock; waited: for other tasks
};

template <class T>
struct FactorView {
    const TileTask* tasks = nullptr;
    Index n_tasks = 0;
    const TileEntry* entries = nullptr;
    const TilePull* pulls = nullptr;
    const std::uint8_t* relative = nullptr;
    // Per padded tile row: bit r is 1 where row r is a free unknown. The others are rows and
    // columns of the identity: padding, and prescribed degrees of freedom.
    const std::uint64_t* free_bits = nullptr;
    const double* A = nullptr;  // blocks of three columns each
    T* tiles = nullptr;         // those of nothing but padding stay as they are: zero
    unsigned* made = nullptr;   // per tile: epoch of the run that made it
    TileControl* control = nullptr;
    TileTime* times = nullptr;  // per task; of a profiled run alone
};

/// A number of a vector and the run that it is from, which travel together: who reads the one knows
/// of the other, without a fence between.
template <class T>
struct TileWord;
template <>
struct alignas(16) TileWord<double> {
    double value = 0;
    std::uint64_t epoch = 0;
};
template <>
struct alignas(8) TileWord<float> {
    float value = 0;
    std::uint32_t epoch = 0;
};

template <class T>
struct SubstitutionView {
    const RowTask *forward = nullptr, *backward = nullptr;
    Index n_forward = 0, n_backward = 0;
    const Index *gather_begin = nullptr, *gather = nullptr;
    const Index *unknown = nullptr, *above = nullptr;
    const std::uint64_t* free_bits = nullptr;
    const T* tiles = nullptr;
    TileWord<T>*up = nullptr, *down = nullptr;  // per padded row: y and what parents take, x
    const double* b = nullptr;                  // per unknown
    double* x = nullptr;                        // 0 on prescribed ones
    TileControl* control = nullptr;
};

/// Of the bits of a column of a tile: the sum over all columns tells two factors apart.
template <class T>
struct TileChecksum {
    const T* tiles;
    LIMBER_HD std::uint64_t operator()(Index column) const {
        std::uint64_t sum = 0;
        for (Index r = 0; r < tile_side; ++r) {
            const std::uint64_t place = static_cast<std::uint64_t>(column) * tile_side + r;
            const T value = tiles[place];
            std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> own = 0;
            memcpy(&own, &value, sizeof own);
            std::uint64_t bits = own;
            bits = (bits ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
            sum += bits ^ bits >> 29;
        }
        return sum;
    }
};
struct PutChecksum {
    std::uint64_t* to;
    LIMBER_HD void operator()(std::uint64_t sum) const { *to = sum; }
};

/// r = b - A x, a node at an index.
struct TileResidual {
    const Index *row_begin, *column;
    const Mat3d* block;
    const Vec3d *b, *x;
    Vec3d* r;
    LIMBER_HD void operator()(Index i) const {
        Vec3d sum = b[i];
        for (Index k = row_begin[i]; k < row_begin[i + 1]; ++k) sum -= block[k] * x[column[k]];
        r[i] = sum;
    }
};
struct TileCorrection {
    const Vec3d* dx;
    Vec3d* x;
    LIMBER_HD void operator()(Index i) const { x[i] += dx[i]; }
};

}  // namespace limber::gpu

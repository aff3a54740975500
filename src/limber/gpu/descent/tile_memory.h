// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a block of the device keeps of the tiles it works on (gpu/descent/tiles.h).

#include "limber/gpu/descent/decisions.h"
#include "limber/gpu/descent/nodes.h"
#include "limber/gpu/descent/tiles.h"

namespace limber::gpu {

/// How many vertices of a tile a thread keeps in registers, where a block keeps a tile; 0: too
/// many. Of block_jacobi two would not fit.
inline int kept_vertices(Index most_vertices, int threads, bool blocks) {
    if (most_vertices <= threads) return 1;
    return most_vertices <= 2 * threads && !blocks ? 2 : 0;
}

/// A vector and a number beside it: a word that the device moves at once.
template <class Real>
struct alignas(4 * sizeof(Real)) Quad {
    Real x, y, z, w;
    LIMBER_HD Vec3<Real> vector() const { return {x, y, z}; }
    LIMBER_HD static Quad of(const Vec3<Real>& a, Real w = Real(0)) { return {a.x, a.y, a.z, w}; }
};

/// Sums of a value over the tets and vertices of a tile.
struct alignas(16) TileValue {
    ElasticSum elastic;
    ValueSum rest;
    LIMBER_HD TileValue& operator+=(const TileValue& b) {
        elastic += b.elastic;
        rest += b.rest;
        return *this;
    }
};

/// How many sums of a vertex are kept apart: resident tiles have one for each sweep between two
/// looks, and for the three rows of a new P⁻¹; others two in turn.
LIMBER_HD inline int tile_places(const DescentRules& rules, bool resident) {
    return resident ? rules.check_every + 3 : 2;
}

/// TileLayout and what blocks keep of it, in the memory of a queue.
template <class Real>
struct TileView {
    Index n_tiles = 0, most_tets = 0, most_vertices = 0, most_slots = 0;
    const TileRange* tile = nullptr;
    const Index* node = nullptr;
    const unsigned char* owner = nullptr;
    const TileSlots* slots = nullptr;
    const TileExchange* exchange = nullptr;
    const TileCorners *corner = nullptr, *slot = nullptr;
    Quad<Real>* sums = nullptr;  // of several sweeps, one after the other
    Index n_sums = 0;
    unsigned* epoch = nullptr;   // the last sweep that resident tiles have numbered
    TileValue* value = nullptr;  // of each tile, for two sums
    // what copies know, where blocks have more than one tile; a target with its weight
    Quad<Real>*x = nullptr, *reference = nullptr, *target = nullptr;
};

/// P⁻¹ g of jacobi, and of block_jacobi.
template <class Real>
LIMBER_HD Vec3<Real> times(const Vec3<Real>& P, const Vec3<Real>& g) {
    return {P.x * g.x, P.y * g.y, P.z * g.z};
}
template <class Real>
LIMBER_HD Vec3<Real> times(const Mat3<Real>& P, const Vec3<Real>& g) {
    return P * g;
}

/// What a block keeps of its tile while it has no other, and what passes through otherwise.
template <class Real>
struct TileMemory {
    DescentControl* control;
    int* totals;                        // taken so far
    Real *x, *slot;                     // planes of most_vertices, most_slots
    Real *rest, *interpolant;           // 10 planes of most_tets, and one; resident alone
    TileCorners *corner, *corner_slot;  // resident alone
    TileValue* scratch;                 // for sums of a block

    static constexpr std::size_t warps = 32;  // of a block, at most
    static constexpr std::size_t room(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
    /// How much of a block's memory is taken [bytes]; `base` null: only that.
    LIMBER_HD std::size_t lay(char* base, const TileView<Real>& tiles, bool resident,
                              bool converts) {
        std::size_t at = 0;
        const auto take = [&](std::size_t bytes) {
            char* const out = base + at;
            at += room(bytes);
            return out;
        };
        const std::size_t n_tets = static_cast<std::size_t>(tiles.most_tets);
        control = reinterpret_cast<DescentControl*>(take(sizeof(DescentControl)));
        totals = reinterpret_cast<int*>(take(sizeof(int)));
        x = reinterpret_cast<Real*>(
            take(3 * static_cast<std::size_t>(tiles.most_vertices) * sizeof(Real)));
        slot = reinterpret_cast<Real*>(
            take(3 * static_cast<std::size_t>(tiles.most_slots) * sizeof(Real)));
        scratch = reinterpret_cast<TileValue*>(take(warps * sizeof(TileValue)));
        if (!resident) return at;
        rest = reinterpret_cast<Real*>(take(10 * n_tets * sizeof(Real)));
        corner = reinterpret_cast<TileCorners*>(take(n_tets * sizeof(TileCorners)));
        corner_slot = reinterpret_cast<TileCorners*>(take(n_tets * sizeof(TileCorners)));
        if (converts) interpolant = reinterpret_cast<Real*>(take(n_tets * sizeof(Real)));
        return at;
    }
};

}  // namespace limber::gpu

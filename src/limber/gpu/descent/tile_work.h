// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the blocks of a grid do with tiles (gpu/descent/tiles.h): vertices in and out of a block's
// memory, sums over tets, and their exchange between tiles.

#include "limber/gpu/descent/elements.h"
#include "limber/gpu/descent/tile_memory.h"

namespace limber::gpu {

/// `kept`: every block has one tile at most and keeps it as long as a body runs, so many of its
/// vertices in the registers of each thread; 0: blocks go through several tiles. Inverse: Vec3 of
/// jacobi or Mat3 of block_jacobi.
template <class Law, class Real, class Inverse, int kept>
struct TileWork {
    static constexpr bool resident = kept > 0;
    static constexpr int per_thread = kept > 0 ? kept : 1;
    PointLaw<Law> law;
    TetGroupView<Real> group;
    NodeView<Real> nodes;
    TileView<Real> tiles;
    Inverse* inverse;  // of copies, where blocks have more than one tile

    /// What a sweep needs of a vertex, beside x.
    struct Vertex {
        Vec3<Real> reference, target;
        Real weight;
        Inverse inverse;
        TileExchange exchange;
        TileSlots slots;
    };
    using Tile = TileRange;

    template <class Grid, class F>
    LIMBER_HD void each_tile(Grid& grid, const Tile& own, F&& f) const {
        if constexpr (resident) {
            if (grid.block < tiles.n_tiles) f(own);
        } else {
            for (Index t = grid.block; t < tiles.n_tiles; t += grid.blocks) f(tiles.tile[t]);
        }
    }
    /// f(v, its Vertex) for the vertices of this thread from `first` to `end`. What is kept has no
    /// index, so that it stays in registers.
    template <class Grid, class F>
    LIMBER_HD void each_vertex(Grid& grid, int first, int end, Vertex (&vertex)[per_thread],
                               F&& f) const {
        if constexpr (resident) {
            static_assert(per_thread <= 2);
            if (const int v = grid.rank; v >= first && v < end) f(v, vertex[0]);
            if constexpr (per_thread == 2)
                if (const int v = grid.rank + grid.size; v >= first && v < end) f(v, vertex[1]);
        } else {
            for (int v = first + grid.rank; v < end; v += grid.size) f(v, vertex[0]);
        }
    }

    template <class Grid>
    LIMBER_HD void load_rest(Grid& grid, TileMemory<Real>& memory, const Tile& tile) const {
        const Index most = tiles.most_tets;
        for (int t = grid.rank; t < tile.n_tets; t += grid.size) {
            const Index k = tile.first_tet + t;
            const Mat3<Real> Dm_inv = group.tets.rest(k);
            for (int e = 0; e < 9; ++e) memory.rest[e * most + t] = Dm_inv.a[e];
            memory.rest[9 * most + t] = group.tets.volume[k];
            memory.corner[t] = tiles.corner[k];
            memory.corner_slot[t] = tiles.slot[k];
            if (group.interpolant) memory.interpolant[t] = group.interpolant[k];
        }
    }
    LIMBER_HD TileExchange exchange_of(const Tile& tile, int v) const {
        return v < tile.n_own ? TileExchange{} : tiles.exchange[tile.first_shared + v - tile.n_own];
    }
    LIMBER_HD static Vec3<Real> get(const Real* plane, Index stride, Index i) {
        return {plane[i], plane[stride + i], plane[2 * stride + i]};
    }
    LIMBER_HD static void put(const Vec3<Real>& a, Real* plane, Index stride, Index i) {
        plane[i] = a.x;
        plane[stride + i] = a.y;
        plane[2 * stride + i] = a.z;
    }

    /// Copies of vertices get what nodes have.
    template <class Grid>
    LIMBER_HD void open(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                        Vertex (&vertex)[per_thread]) const {
        each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex& own) {
            const Index copy = tile.first_vertex + v, i = tiles.node[copy];
            const Real weight = nodes.weight[i];
            // Where inertia and loads alone would bring it: the gradient of both is w (x − target).
            const Vec3<Real> target = nodes.start[i] + (Real(1) / weight) * nodes.linear[i];
            if constexpr (resident) {
                own = {nodes.x[i],           target,           weight, Inverse{},
                       exchange_of(tile, v), tiles.slots[copy]};
                put(nodes.x[i], memory.x, tiles.most_vertices, v);
            } else {
                tiles.x[copy] = Quad<Real>::of(nodes.x[i]);
                tiles.reference[copy] = Quad<Real>::of(nodes.x[i]);
                tiles.target[copy] = Quad<Real>::of(target, weight);
            }
        });
    }
    template <class Grid>
    LIMBER_HD void close(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                         Vertex (&vertex)[per_thread]) const {
        each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex& own) {
            const Index copy = tile.first_vertex + v;
            if (!tiles.owner[copy]) return;
            const Index i = tiles.node[copy];
            if constexpr (resident) {
                nodes.x[i] = get(memory.x, tiles.most_vertices, v);
                nodes.reference[i] = own.reference;
            } else {
                nodes.x[i] = tiles.x[copy].vector();
                nodes.reference[i] = tiles.reference[copy].vector();
            }
        });
        if constexpr (resident)
            if (group.interpolant)
                for (int t = grid.rank; t < tile.n_tets; t += grid.size)
                    group.interpolant[tile.first_tet + t] = memory.interpolant[t];
    }

    LIMBER_HD Quad<Real>* sums(int place) const {
        return tiles.sums + static_cast<std::int64_t>(place) * tiles.n_sums;
    }
    /// What all tiles have sent for a shared vertex, in their order. There are two at least: both
    /// are asked for before either is waited for. `epoch`: of words that tell when they have come;
    /// 0: a barrier has told.
    template <class Grid>
    LIMBER_HD static Vec3<Real> sum_of(Grid& grid, const Quad<Real>* sums, const TileExchange& e,
                                       unsigned epoch) {
        const Quad<Real>* const own = sums + e.begin;
        Quad<Real> first = grid.fresh(own[0]), second = grid.fresh(own[1]);
        if (epoch != 0) {
            first = grid.receive(own[0], epoch, first);
            second = grid.receive(own[1], epoch, second);
        }
        Vec3<Real> f = first.vector() + second.vector();
        for (int k = 2; k < e.n; k += 2) {
            const bool two = k + 1 < e.n;
            Quad<Real> third = grid.fresh(own[k]), fourth = grid.fresh(own[two ? k + 1 : k]);
            if (epoch != 0) {
                third = grid.receive(own[k], epoch, third);
                fourth = grid.receive(own[two ? k + 1 : k], epoch, fourth);
            }
            f += third.vector();
            if (two) f += fourth.vector();
        }
        return f;
    }

    /// Steps 1, 3 and 4 of Algorithm 1, as Sweep has them: x and its reference move on.
    LIMBER_HD static void move(const Vec3<Real>& f, const Vec3<Real>& target, Real weight,
                               const Inverse& P, Real alpha, Real momentum, Vec3<Real>& x,
                               Vec3<Real>& reference) {
        const Vec3<Real> bar = x - alpha * times(P, f + weight * (x - target));
        const Vec3<Real> before = x;
        x = bar + momentum * (bar - reference);
        reference = before;
    }

    /// The sweep before the one that comes: where shared vertices find its sums.
    struct Pending {
        bool any;
        Real alpha, momentum;
        int place;
        unsigned epoch;
    };
    /// x of all vertices into the block's memory; shared ones first take the sums that are pending.
    template <class Grid>
    LIMBER_HD void bring(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                         Vertex (&vertex)[per_thread], const Pending& before) const {
        if constexpr (resident) {
            if (before.any)
                each_vertex(grid, tile.n_own, tile.n_vertices, vertex, [&](int v, Vertex& own) {
                    const Vec3<Real> f =
                        sum_of(grid, sums(before.place), own.exchange, before.epoch);
                    Vec3<Real> x = get(memory.x, tiles.most_vertices, v);
                    move(f, own.target, own.weight, own.inverse, before.alpha, before.momentum, x,
                         own.reference);
                    put(x, memory.x, tiles.most_vertices, v);
                });
        } else {
            each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex&) {
                const Index copy = tile.first_vertex + v;
                Vec3<Real> x = tiles.x[copy].vector();
                if (before.any && v >= tile.n_own) {
                    const Vec3<Real> f =
                        sum_of(grid, sums(before.place), exchange_of(tile, v), before.epoch);
                    move_copy(f, copy, before.alpha, before.momentum, x);
                }
                put(x, memory.x, tiles.most_vertices, v);
            });
        }
        grid.sync();
    }
    /// A copy moves on where it is kept in the memory of the device.
    LIMBER_HD void move_copy(const Vec3<Real>& f, Index copy, Real alpha, Real momentum,
                             Vec3<Real>& x) const {
        const Quad<Real> target = tiles.target[copy];
        Vec3<Real> reference = tiles.reference[copy].vector();
        move(f, target.vector(), target.w, inverse[copy], alpha, momentum, x, reference);
        tiles.x[copy] = Quad<Real>::of(x);
        tiles.reference[copy] = Quad<Real>::of(reference);
    }

    /// F and Dm⁻¹ of tet t of the tile.
    struct TetState {
        Mat3<Real> F, Dm_inv;
        Real volume;
        TileCorners slot;
    };
    LIMBER_HD TetState tet_state(const TileMemory<Real>& memory, const Tile& tile, int t) const {
        const Index k = tile.first_tet + t;
        TetState out;
        TileCorners corner;
        if constexpr (resident) {
            for (int e = 0; e < 9; ++e) out.Dm_inv.a[e] = memory.rest[e * tiles.most_tets + t];
            out.volume = memory.rest[9 * tiles.most_tets + t];
            corner = memory.corner[t];
            out.slot = memory.corner_slot[t];
        } else {
            out.Dm_inv = group.tets.rest(k);
            out.volume = group.tets.volume[k];
            corner = tiles.corner[k];
            out.slot = tiles.slot[k];
        }
        const Index stride = tiles.most_vertices;
        const Vec3<Real> o = get(memory.x, stride, corner.at[0]);
        out.F = Mat3<Real>::from_columns(get(memory.x, stride, corner.at[1]) - o,
                                         get(memory.x, stride, corner.at[2]) - o,
                                         get(memory.x, stride, corner.at[3]) - o) *
                out.Dm_inv;
        return out;
    }
    LIMBER_HD Real& interpolant(const TileMemory<Real>& memory, const Tile& tile, int t) const {
        if constexpr (resident)
            return memory.interpolant[t];
        else
            return group.interpolant[tile.first_tet + t];
    }
    /// The conversion's memory, which moves on where `holds`. What is kept is 1 from the start.
    LIMBER_HD Real held(const TileMemory<Real>& memory, const Tile& tile, int t,
                        const Mat3<Real>& F, bool holds) const {
        if (!group.interpolant) return Real(0);
        Real& own = interpolant(memory, tile, t);
        if (!holds) return own;
        const Real least = own > Real(0) ? group.kept[tile.first_tet + t] : Real(0);
        const Real l = law.interpolant(F, own);
        own = least > l ? least : l;
        return own;
    }
    /// Whether the conversion has no part in tet t: nothing is remembered of it then.
    LIMBER_HD bool is_plain(const TileMemory<Real>& memory, const Tile& tile, int t,
                            const Mat3<Real>& F) const {
        return !group.interpolant || law.stays_itself(F, interpolant(memory, tile, t));
    }
    /// ∂E/∂x with stress P into the slots of the corners.
    LIMBER_HD void put_force(const TileMemory<Real>& memory, const TetState& state,
                             const Mat3<Real>& P) const {
        const Index stride = tiles.most_slots;
        const Mat3<Real> g = (state.volume * P) * transpose(state.Dm_inv);
        put(-(g.col(0) + g.col(1) + g.col(2)), memory.slot, stride, state.slot.at[0]);
        for (int c = 0; c < 3; ++c) put(g.col(c), memory.slot, stride, state.slot.at[c + 1]);
    }
    /// ∂E/∂x of tets `first` to `end`. Those that the conversion may hold come in a second round:
    /// what it needs would cost the others their registers.
    template <class Grid>
    LIMBER_HD void forces(Grid& grid, TileMemory<Real>& memory, const Tile& tile, int first,
                          int end, bool holds = true) const {
        unsigned left = 0;  // a bit a round
        int round = 0;
        for (int t = first + grid.rank; t < end; t += grid.size, ++round) {
            const TetState state = tet_state(memory, tile, t);
            if (is_plain(memory, tile, t, state.F)) {
                const auto& own = law_of_tet(law, group.tets, tile.first_tet + t);
                put_force(memory, state, own.plain_stress(state.F));
            } else {
                left |= 1u << (round & 31);
            }
        }
        if (left != 0) {
            const TileMemory<Real> of_block = memory;
            const Tile of_tets = tile;
            forces_with_conversion(of_block, of_tets, first + grid.rank, end, grid.size, left,
                                   holds);
        }
    }
    [[gnu::noinline]] LIMBER_HD void forces_with_conversion(const TileMemory<Real>& memory,
                                                            const Tile& tile, int first, int end,
                                                            int stride, unsigned left,
                                                            bool holds) const {
        int round = 0;
        for (int t = first; t < end; t += stride, ++round) {
            if (!(left >> (round & 31) & 1)) continue;
            const TetState state = tet_state(memory, tile, t);
            // Beyond 32 rounds bits stand for several: what is plain is found so again.
            const auto& own = law_of_tet(law, group.tets, tile.first_tet + t);
            if (is_plain(memory, tile, t, state.F))
                put_force(memory, state, own.plain_stress(state.F));
            else
                put_force(memory, state,
                          own.stress(state.F, held(memory, tile, t, state.F, holds)));
        }
    }
    /// The sum of the slots of a vertex, in their order.
    LIMBER_HD Vec3<Real> slots_of(const TileMemory<Real>& memory, const TileSlots& slots) const {
        const Index stride = tiles.most_slots;
        Vec3<Real> f{};
        int k = 0, at = slots.first;
        for (; k + 4 <= slots.n; k += 4, at += 4 * slot_lanes) {
            const Vec3<Real> a = get(memory.slot, stride, at),
                             b = get(memory.slot, stride, at + slot_lanes),
                             c = get(memory.slot, stride, at + 2 * slot_lanes),
                             d = get(memory.slot, stride, at + 3 * slot_lanes);
            f += a;
            f += b;
            f += c;
            f += d;
        }
        for (; k < slots.n; ++k, at += slot_lanes) f += get(memory.slot, stride, at);
        return f;
    }
    LIMBER_HD Vec3<Real> slots_of(const TileMemory<Real>& memory, const Tile& tile, int v,
                                  const Vertex& own) const {
        return slots_of(memory, resident ? own.slots : tiles.slots[tile.first_vertex + v]);
    }
    /// Shared vertices send the sums of their slots.
    template <class Grid>
    LIMBER_HD void send(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                        Vertex (&vertex)[per_thread], int place, unsigned epoch) const {
        each_vertex(grid, tile.n_own, tile.n_vertices, vertex, [&](int v, Vertex& own) {
            const Vec3<Real> f = slots_of(memory, tile, v, own);
            const TileExchange e = resident ? own.exchange : exchange_of(tile, v);
            grid.send(sums(place)[e.begin + e.own], Quad<Real>::of(f), epoch);
        });
    }
    /// Vertices of this tile alone move on.
    template <class Grid>
    LIMBER_HD void move_own(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                            Vertex (&vertex)[per_thread], Real alpha, Real momentum) const {
        each_vertex(grid, 0, tile.n_own, vertex, [&](int v, Vertex& own) {
            const Vec3<Real> f = slots_of(memory, tile, v, own);
            Vec3<Real> x = get(memory.x, tiles.most_vertices, v);
            if constexpr (resident) {
                move(f, own.target, own.weight, own.inverse, alpha, momentum, x, own.reference);
                put(x, memory.x, tiles.most_vertices, v);
            } else {
                move_copy(f, tile.first_vertex + v, alpha, momentum, x);
            }
        });
    }
    /// One sweep. What resident tiles share is on its way while they finish what they do not; words
    /// tell themselves when they have come. Others meet at a barrier of the grid.
    template <class Grid>
    LIMBER_HD void sweep(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                         Vertex (&vertex)[per_thread], const Pending& before, Real alpha, Real now,
                         int place, unsigned epoch) const {
        if constexpr (resident) {
            if (grid.block >= tiles.n_tiles) return;
            bring(grid, memory, own, vertex, before);
            forces(grid, memory, own, 0, own.n_border);
            grid.sync();
            send(grid, memory, own, vertex, place, epoch);
            forces(grid, memory, own, own.n_border, own.n_tets);
            grid.sync();
            move_own(grid, memory, own, vertex, alpha, now);
            grid.sync();
        } else {
            each_tile(grid, own, [&](const Tile& tile) {
                bring(grid, memory, tile, vertex, before);
                forces(grid, memory, tile, 0, tile.n_tets);
                grid.sync();
                send(grid, memory, tile, vertex, place, epoch);
                move_own(grid, memory, tile, vertex, alpha, now);
                grid.sync();
            });
            grid.sync_all();
        }
    }
};

}  // namespace limber::gpu

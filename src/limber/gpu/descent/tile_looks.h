// SPDX-License-Identifier: Apache-2.0
#pragma once

// What few iterations of tiles do: a new P⁻¹, and looks at the energy.

#include "limber/gpu/descent/tile_work.h"

namespace limber::gpu {

template <class Law, class Real, class Inverse, int kept>
struct TileLooks {
    using Work = TileWork<Law, Real, Inverse, kept>;
    using Vertex = typename Work::Vertex;
    using Tile = typename Work::Tile;
    using Pending = typename Work::Pending;
    static constexpr bool resident = Work::resident;
    static constexpr int per_thread = Work::per_thread;
    Work work;
    DescentControl* control;
    DescentRules rules;
    double least_share;

    /// P⁻¹ at x, a row of its blocks after the other. `first`: of a step. `place`: for the
    /// exchange.
    template <class Grid>
    LIMBER_HD void renew(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                         Vertex (&vertex)[per_thread], bool first, int first_place) const {
        constexpr bool blocks = !std::is_same_v<Inverse, Vec3<Real>>;
        const auto row_of = [](Inverse& P, int row, const Vec3<Real>& sum) {
            if constexpr (blocks)
                for (int c = 0; c < 3; ++c) P(row, c) = sum[c];
            else
                P = sum;
        };
        const auto inverse_of = [&](const Tile& tile, int v, Vertex& of) -> Inverse& {
            return resident ? of.inverse : work.inverse[tile.first_vertex + v];
        };
        for (int row = 0; row < (blocks ? 3 : 1); ++row) {
            const int place = resident ? rules.check_every + row : (first_place + row) & 1;
            work.each_tile(grid, own, [&](const Tile& tile) {
                work.bring(grid, memory, tile, vertex, {});
                stiffness(grid, memory, tile, row, first && row == 0);
                grid.sync();
                work.send(grid, memory, tile, vertex, place, 0);
                work.each_vertex(grid, 0, tile.n_own, vertex, [&](int v, Vertex& of) {
                    row_of(inverse_of(tile, v, of), row, work.slots_of(memory, tile, v, of));
                });
                grid.sync();
            });
            grid.sync_all();
            work.each_tile(grid, own, [&](const Tile& tile) {
                work.each_vertex(grid, tile.n_own, tile.n_vertices, vertex, [&](int v, Vertex& of) {
                    const TileExchange e = resident ? of.exchange : work.exchange_of(tile, v);
                    row_of(inverse_of(tile, v, of), row, work.sum_of(grid, work.sums(place), e, 0));
                });
            });
        }
        grid.sync();
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex& of) {
                Inverse& P = inverse_of(tile, v, of);
                const Index i = work.tiles.node[tile.first_vertex + v];
                if constexpr (blocks)
                    P = InvertBlocks<Real>::inverse_of(work.nodes, i, P, least_share);
                else
                    P = InvertDiagonal<Real>::inverse_of(work.nodes, i, P, least_share);
            });
        });
        grid.sync();
    }
    /// The diagonals of the tets' Hessians, or row `row` of their blocks, into the slots.
    template <class Grid>
    LIMBER_HD void stiffness(Grid& grid, TileMemory<Real>& memory, const Tile& tile, int row,
                             bool holds) const {
        const Index stride = work.tiles.most_slots;
        for (int t = grid.rank; t < tile.n_tets; t += grid.size) {
            const auto state = work.tet_state(memory, tile, t);
            const auto& own = law_of_tet(work.law, work.group.tets, tile.first_tet + t);
            const Real l = work.held(memory, tile, t, state.F, holds);
            if constexpr (std::is_same_v<Inverse, Vec3<Real>>) {
                Vec3<Real> at[4];
                TetDiagonal<Law, Real>::of(own, state.F, state.Dm_inv, l, state.volume, at);
                for (int c = 0; c < 4; ++c) work.put(at[c], memory.slot, stride, state.slot.at[c]);
            } else if constexpr (has_device_blocks<Law>) {
                Mat3<Real> at[4];
                TetBlocks<Law, Real>::of(own, state.F, state.Dm_inv, l, state.volume, at);
                for (int c = 0; c < 4; ++c)
                    work.put(at[c].row(row), memory.slot, stride, state.slot.at[c]);
            }
        }
    }

    /// The energy is looked at: the iterate is kept, or goes back to the last one that was. `next`:
    /// sweeps that come then.
    template <class Grid>
    LIMBER_HD void look(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                        Vertex (&vertex)[per_thread], const Pending& before, int next) const {
        const TileView<Real>& tiles = work.tiles;
        const NodeView<Real>& nodes = work.nodes;
        DescentControl& c = *memory.control;
        const bool converts = work.group.interpolant != nullptr;
        const auto judge = [&] {
            Judge{&c, rules, converts, false}();
            PlanSweeps{&c, rules, next}();
        };
        const auto compares = [&] { return converts && (c.now_converted || c.look.converted); };
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.bring(grid, memory, tile, vertex, before);
            add_up(grid, memory, tile, true);
        });
        total(grid, memory, [&] {
            KeepNow{&c}();
            c.look_compares = compares();
            if (!c.look_compares) judge();
        });
        const bool compared = c.look_compares;
        if (compared) {
            // What the checkpoint has under the interpolants of the iterate.
            work.each_tile(grid, own, [&](const Tile& tile) {
                bring_checkpoint(grid, memory, tile, vertex);
                add_up(grid, memory, tile, false);
            });
            total(grid, memory, judge);
        }
        const bool accepted = c.verdict == LookVerdict::accepted;
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex& of) {
                const Index copy = tile.first_vertex + v, i = tiles.node[copy];
                if (accepted) {
                    if constexpr (resident)
                        if (compared) work.put(nodes.x[i], memory.x, tiles.most_vertices, v);
                    if (!tiles.owner[copy]) return;
                    if constexpr (resident)
                        nodes.checkpoint[i] = work.get(memory.x, tiles.most_vertices, v);
                    else
                        nodes.checkpoint[i] = tiles.x[copy].vector();
                } else {
                    const Vec3<Real> back = nodes.checkpoint[i];
                    if constexpr (resident) {
                        work.put(back, memory.x, tiles.most_vertices, v);
                        of.reference = back;
                    } else {
                        tiles.x[copy] = tiles.reference[copy] = Quad<Real>::of(back);
                    }
                }
            });
        });
        grid.sync();
    }
    /// The iterate becomes the checkpoint.
    template <class Grid>
    LIMBER_HD void keep(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                        Vertex (&vertex)[per_thread]) const {
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex&) {
                const Index copy = tile.first_vertex + v;
                if (!work.tiles.owner[copy]) return;
                if constexpr (resident)
                    work.nodes.checkpoint[work.tiles.node[copy]] =
                        work.get(memory.x, work.tiles.most_vertices, v);
                else
                    work.nodes.checkpoint[work.tiles.node[copy]] = work.tiles.x[copy].vector();
            });
        });
    }
    /// The checkpoint takes the place of x in the block's memory. What is resident there alone
    /// waits in the arrays of the nodes.
    template <class Grid>
    LIMBER_HD void bring_checkpoint(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                                    Vertex (&vertex)[per_thread]) const {
        work.each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex&) {
            const Index copy = tile.first_vertex + v, i = work.tiles.node[copy];
            if constexpr (resident)
                if (work.tiles.owner[copy])
                    work.nodes.x[i] = work.get(memory.x, work.tiles.most_vertices, v);
            work.put(work.nodes.checkpoint[i], memory.x, work.tiles.most_vertices, v);
        });
        grid.sync();
    }

    /// The value of a tile at the x in the block's memory into its sum.
    template <class Grid>
    LIMBER_HD void add_up(Grid& grid, TileMemory<Real>& memory, const Tile& tile,
                          bool holds) const {
        TileValue sum;
        unsigned left = 0;  // as in TileWork::forces
        int round = 0;
        for (int t = grid.rank; t < tile.n_tets; t += grid.size, ++round) {
            const auto state = work.tet_state(memory, tile, t);
            if (work.is_plain(memory, tile, t, state.F)) {
                const auto& own = law_of_tet(work.law, work.group.tets, tile.first_tet + t);
                sum.elastic.energy += static_cast<double>(state.volume * own.plain_energy(state.F));
            } else {
                left |= 1u << (round & 31);
            }
        }
        if (left != 0) {
            const TileMemory<Real> of_block = memory;
            const Tile of_tets = tile;
            sum.elastic +=
                energy_with_conversion(of_block, of_tets, grid.rank, grid.size, left, holds);
        }
        for (int v = grid.rank; v < tile.n_vertices; v += grid.size) {
            const Index copy = tile.first_vertex + v;
            if (work.tiles.owner[copy])
                sum.rest +=
                    NodeValue<Real>::of(work.nodes, work.get(memory.x, work.tiles.most_vertices, v),
                                        work.tiles.node[copy]);
        }
        sum = grid.sum(sum, memory.scratch);
        if (grid.rank == 0) values(memory)[tile.number] = sum;
    }
    [[gnu::noinline]] LIMBER_HD ElasticSum energy_with_conversion(const TileMemory<Real>& memory,
                                                                  const Tile& tile, int first,
                                                                  int stride, unsigned left,
                                                                  bool holds) const {
        ElasticSum sum;
        int round = 0;
        for (int t = first; t < tile.n_tets; t += stride, ++round) {
            if (!(left >> (round & 31) & 1)) continue;
            const auto state = work.tet_state(memory, tile, t);
            if (work.is_plain(memory, tile, t, state.F)) continue;  // bits stand for several rounds
            const auto& own = law_of_tet(work.law, work.group.tets, tile.first_tet + t);
            const Real l = work.held(memory, tile, t, state.F, holds);
            sum += {static_cast<double>(state.volume * own.energy(state.F, l)),
                    l > Real(0) ? 1.0 : 0.0};
        }
        return sum;
    }
    /// Two sums of the tiles take turns: between two that are written in one place there is the
    /// barrier of another.
    LIMBER_HD TileValue* values(const TileMemory<Real>& memory) const {
        return work.tiles.value + (*memory.totals & 1) * work.tiles.n_tiles;
    }
    /// Of all tiles, in their order, by every block.
    template <class Grid>
    LIMBER_HD TileValue sum_of_tiles(Grid& grid, TileMemory<Real>& memory) const {
        grid.sync_all();
        const TileValue* const value = values(memory);
        TileValue sum;
        for (Index t = grid.rank; t < work.tiles.n_tiles; t += grid.size)
            sum += grid.fresh(value[t]);
        sum = grid.sum(sum, memory.scratch);
        if (grid.rank == 0) ++*memory.totals;
        return sum;
    }
    /// `then`: what a thread of each block decides with it, the same in all of them.
    template <class Grid, class Then>
    LIMBER_HD void total(Grid& grid, TileMemory<Real>& memory, Then&& then) const {
        const TileValue sum = sum_of_tiles(grid, memory);
        if (grid.rank == 0) {
            memory.control->elastic = sum.elastic;
            memory.control->rest = sum.rest;
            then();
        }
        grid.sync();
    }

    /// The value at other positions of the nodes than the iterate's, which it takes the place of in
    /// the block's memory.
    template <class Grid, class Then>
    LIMBER_HD void value_at(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                            const Vec3<Real>* x, Then&& then) const {
        work.each_tile(grid, own, [&](const Tile& tile) {
            for (int v = grid.rank; v < tile.n_vertices; v += grid.size)
                work.put(x[work.tiles.node[tile.first_vertex + v]], memory.x,
                         work.tiles.most_vertices, v);
            grid.sync();
            add_up(grid, memory, tile, false);
        });
        total(grid, memory, then);
    }
};

}  // namespace limber::gpu

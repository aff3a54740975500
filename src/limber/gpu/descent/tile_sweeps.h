// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step of jacobi or block_jacobi from its guesses to its last iterate in one body for a grid of
// blocks that stay on the device: what DescentProgram lists one after the other, tile by tile
// (gpu/descent/tiles.h). Decisions are taken by every block from the same sums, so nothing waits
// for a host or for another kernel.

#include "limber/gpu/descent/tile_looks.h"

namespace limber::gpu {

/// `n` sweeps, a new P⁻¹ every `refresh` of them, and the looks at the energy among them and after
/// them. The guess is in nodes.x, q_t in nodes.trial.
template <class Law, class Real, class Inverse, int kept>
struct TileSweeps {
    using Looks = TileLooks<Law, Real, Inverse, kept>;
    using Vertex = typename Looks::Vertex;
    using Tile = typename Looks::Tile;
    using Pending = typename Looks::Pending;
    static constexpr bool resident = Looks::resident;
    static constexpr int per_thread = Looks::per_thread;
    Looks looks;
    int n, refresh;
    bool at_start;    // the guess is q_t
    bool any_pinned;  // gradients there are part of the scale

    template <class Grid>
    LIMBER_HD void operator()(Grid& grid) const {
        const auto& work = looks.work;
        TileMemory<Real> memory{};
        memory.lay(grid.shared, work.tiles, resident, work.group.interpolant != nullptr);
        if (grid.rank == 0) {
            *memory.control = *looks.control;
            BeginRules{memory.control}();
            *memory.totals = 0;
        }
        Vertex vertex[per_thread];
        Tile own{};
        if constexpr (resident) {
            if (grid.block < work.tiles.n_tiles) {
                own = work.tiles.tile[grid.block];
                work.load_rest(grid, memory, own);
            }
        }
        work.each_tile(grid, own, [&](const Tile& tile) { work.open(grid, memory, tile, vertex); });
        grid.sync();
        const DescentControl& c = *memory.control;
        const unsigned epoch = resident ? *work.tiles.epoch : 0;
        apart(grid, memory, own, vertex, {Task::begin, false, 0, {}});
        int swaps = 1;  // exchanges by barriers so far: they take two places in turn
        for (int done = 0; done < n && c.live;) {
            if (done % refresh == 0) {
                apart(grid, memory, own, vertex, {Task::renew, done == 0, swaps & 1, {}});
                ++swaps;  // one, or three
            }
            const Real alpha = static_cast<Real>(c.plan.alpha);
            const int until_look = sweeps_from(done);
            Pending before{};
            for (int j = 0; j < until_look; ++j, ++swaps) {
                const Real now = static_cast<Real>(c.plan.weight[j]);
                // Until the barriers of the look each sweep of resident tiles has words of its own:
                // none is written while somebody may still wait for it.
                const int place = resident ? j : swaps & 1;
                const unsigned number = resident ? epoch + static_cast<unsigned>(done + j) + 1 : 0;
                work.sweep(grid, memory, own, vertex, before, alpha, now, place, number);
                before = {true, alpha, now, place, number};
            }
            done += until_look;
            apart(grid, memory, own, vertex, {Task::look, false, sweeps_from(done), before});
        }
        apart(grid, memory, own, vertex, {Task::end, false, 0, {}});
        if (grid.block == 0 && grid.rank == 0) {
            if constexpr (resident) *work.tiles.epoch = epoch + static_cast<unsigned>(n);
            *looks.control = *memory.control;
            Revive{looks.control}();
        }
    }

  private:
    struct Task {
        enum { begin, renew, look, end } kind;
        bool first;      // P⁻¹ of the step
        int number;      // of a place for its exchange; of the sweeps after a look
        Pending before;  // the last sweep
    };
    /// How many come between sweep `done` and the next look.
    LIMBER_HD int sweeps_from(int done) const {
        int out = n - done;
        if (refresh - done % refresh < out) out = refresh - done % refresh;
        return looks.rules.check_every < out ? looks.rules.check_every : out;
    }
    /// What few iterations need would take registers from the sweeps: it is called, with copies, so
    /// that what sweeps have keeps its place.
    template <class Grid>
    LIMBER_HD void apart(const Grid& grid, const TileMemory<Real>& memory, const Tile& own,
                         Vertex (&vertex)[per_thread], const Task& task) const {
        Grid there = grid;
        TileMemory<Real> of_block = memory;
        const Tile tile = own;
        Vertex copy[per_thread];
        for (int k = 0; k < per_thread; ++k) copy[k] = vertex[k];
        work_apart(there, of_block, tile, copy, task);
        for (int k = 0; k < per_thread; ++k) vertex[k] = copy[k];
    }
    template <class Grid>
    [[gnu::noinline]] LIMBER_HD void work_apart(Grid& grid, TileMemory<Real>& memory,
                                                const Tile& own, Vertex (&vertex)[per_thread],
                                                const Task& task) const {
        if (task.kind == Task::look)
            looks.look(grid, memory, own, vertex, task.before, task.number);
        else if (task.kind == Task::renew)
            looks.renew(grid, memory, own, vertex, task.first, task.number);
        else if (task.kind == Task::begin)
            begin(grid, memory, own, vertex);
        else
            end(grid, memory, own, vertex);
    }

    /// The better of the guess and q_t, its value, and the scale of gradients
    /// (DescentCore::guess).
    template <class Grid>
    LIMBER_HD void begin(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                         Vertex (&vertex)[per_thread]) const {
        const auto& work = looks.work;
        DescentControl& c = *memory.control;
        const auto value = [&](auto&& then) {
            work.each_tile(grid, own, [&](const Tile& tile) {
                work.bring(grid, memory, tile, vertex, {});
                looks.add_up(grid, memory, tile, true);
            });
            looks.total(grid, memory, then);
        };
        ElasticSum elastic;  // of the guess, in the thread that decides
        ValueSum rest;
        value([&] {
            elastic = c.elastic;
            rest = c.rest;
            KeepGuess{&c}();
        });
        if (!at_start) {
            looks.value_at(grid, memory, own, work.nodes.trial, CompareGuess{&c});
            const Vec3<Real>* const chosen = c.from_guess ? work.nodes.x : work.nodes.trial;
            work.each_tile(grid, own, [&](const Tile& tile) {
                work.each_vertex(grid, 0, tile.n_vertices, vertex, [&](int v, Vertex& of) {
                    const Vec3<Real> x = chosen[work.tiles.node[tile.first_vertex + v]];
                    if constexpr (resident) {
                        work.put(x, memory.x, work.tiles.most_vertices, v);
                        of.reference = x;
                    } else {
                        const Index copy = tile.first_vertex + v;
                        work.tiles.x[copy] = work.tiles.reference[copy] = Quad<Real>::of(x);
                    }
                });
            });
            grid.sync();
            if (!c.from_guess) value([] {});
        }
        if (grid.rank == 0 && c.from_guess) {
            c.elastic = elastic;
            c.rest = rest;
        }
        if (grid.rank == 0) {
            StartLooks{&c}();
            PlanSweeps{&c, looks.rules, sweeps_from(0)}();
        }
        looks.keep(grid, memory, own, vertex);
        grid.sync();
        if (any_pinned) measure_held(grid, memory, own, vertex);
    }
    /// What holds the pins at q⁽⁰⁾ is part of the scale of gradients.
    template <class Grid>
    LIMBER_HD void measure_held(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                                Vertex (&vertex)[per_thread]) const {
        const auto& work = looks.work;
        const NodeView<Real>& nodes = work.nodes;
        double pinned = 0;
        const auto add = [&](const Tile& tile, int v, const Vec3<Real>& f) {
            const Index copy = tile.first_vertex + v, i = work.tiles.node[copy];
            if (!work.tiles.owner[copy] || nodes.pinned[i] == 0) return;
            const Vec3<Real> x = resident ? work.get(memory.x, work.tiles.most_vertices, v)
                                          : work.tiles.x[copy].vector();
            const Vec3<Real> g = f + (nodes.weight[i] * (x - nodes.start[i]) - nodes.linear[i]);
            for (int k = 0; k < 3; ++k)
                if (!is_free(nodes.pinned[i], k))
                    pinned += static_cast<double>(g[k]) * static_cast<double>(g[k]);
        };
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.bring(grid, memory, tile, vertex, {});
            work.forces(grid, memory, tile, 0, tile.n_tets, false);
            grid.sync();
            work.send(grid, memory, tile, vertex, 0, 0);
            work.each_vertex(grid, 0, tile.n_own, vertex, [&](int v, Vertex& of) {
                add(tile, v, work.slots_of(memory, tile, v, of));
            });
            grid.sync();
        });
        grid.sync_all();
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.each_vertex(grid, tile.n_own, tile.n_vertices, vertex, [&](int v, Vertex& of) {
                const TileExchange e = resident ? of.exchange : work.exchange_of(tile, v);
                add(tile, v, work.sum_of(grid, work.sums(0), e, 0));
            });
        });
        // A block's share stands where that of its first tile would.
        TileValue sum;
        sum.rest.value = pinned;
        sum = grid.sum(sum, memory.scratch);
        TileValue* const value = looks.values(memory);
        work.each_tile(grid, own, [&](const Tile& tile) {
            if (grid.rank == 0) value[tile.number] = tile.number == grid.block ? sum : TileValue{};
        });
        sum = looks.sum_of_tiles(grid, memory);
        if (grid.rank == 0) SetScale{memory.control}({0, 0, 0, sum.rest.value});
        grid.sync();
    }
    /// x and its interpolants go back to the nodes; the energies that a knot is told by.
    template <class Grid>
    LIMBER_HD void end(Grid& grid, TileMemory<Real>& memory, const Tile& own,
                       Vertex (&vertex)[per_thread]) const {
        const auto& work = looks.work;
        work.each_tile(grid, own,
                       [&](const Tile& tile) { work.close(grid, memory, tile, vertex); });
        if (!work.group.interpolant) return;
        work.each_tile(grid, own, [&](const Tile& tile) {
            work.bring(grid, memory, tile, vertex, {});
            looks.add_up(grid, memory, tile, false);
        });
        looks.total(grid, memory, KeepEndElastic{memory.control});
        looks.value_at(grid, memory, own, work.nodes.start, KeepBeginElastic{memory.control});
    }
};

}  // namespace limber::gpu

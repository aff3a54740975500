// SPDX-License-Identifier: Apache-2.0
// Tets cut into tiles: what the bodies of gpu/descent/tile_work.h take for granted.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/gpu/descent/tiles.h"
#include "limber/gpu/slots.h"
#include "limber/mesh/shapes.h"

namespace limber {

namespace {

using gpu::TileLayout;
using gpu::TileRange;

struct Case {
    TetMesh mesh;
    Index n_tiles;
};
std::vector<Case> cases() {
    std::vector<Case> out;
    out.push_back({make_box({1, 1, 1}, {5, 5, 5}), 1});
    out.push_back({make_box({1, 1, 1}, {9, 7, 5}), 13});
    out.push_back({make_sphere(0.5, 10), 40});
    out.push_back({make_box({1, 1, 1}, {1, 1, 1}), 6});  // a tet each
    return out;
}

TEST(Tiles, own_every_tet_once_in_their_order) {
    for (const Case& c : cases()) {
        const TileLayout layout = gpu::make_tiles(c.mesh.nodes, c.mesh.tets, c.n_tiles);
        ASSERT_EQ(layout.n_tiles(), c.n_tiles);
        std::vector<Index> order = layout.tet_order;
        std::sort(order.begin(), order.end());
        for (Index t = 0; t < c.mesh.n_tets(); ++t) ASSERT_EQ(order[t], t);
        Index next = 0, least = c.mesh.n_tets(), most = 0;
        for (const TileRange& tile : layout.tile) {
            EXPECT_EQ(tile.first_tet, next);
            next += tile.n_tets;
            least = std::min(least, tile.n_tets);
            most = std::max(most, tile.n_tets);
        }
        EXPECT_EQ(next, c.mesh.n_tets());
        EXPECT_LE(most, least + 1);
        EXPECT_EQ(most, layout.most_tets);
    }
}

TEST(Tiles, number_their_vertices_and_tell_which_are_shared) {
    for (const Case& c : cases()) {
        const TileLayout layout = gpu::make_tiles(c.mesh.nodes, c.mesh.tets, c.n_tiles);
        std::map<Index, std::set<Index>> tiles_of;  // a node's
        for (const TileRange& tile : layout.tile)
            for (Index t = tile.first_tet; t < tile.first_tet + tile.n_tets; ++t)
                for (int k = 0; k < 4; ++k) {
                    const Index v = layout.corner[t].at[k];
                    ASSERT_LT(v, tile.n_vertices);
                    const Index node = layout.node[tile.first_vertex + v];
                    EXPECT_EQ(node, c.mesh.tets[layout.tet_order[t]][k]);
                    tiles_of[node].insert(tile.number);
                }
        std::set<Index> owned;
        std::set<Index> places;
        for (const TileRange& tile : layout.tile) {
            for (Index v = 0; v < tile.n_vertices; ++v) {
                const Index copy = tile.first_vertex + v, node = layout.node[copy];
                EXPECT_EQ(v >= tile.n_own, tiles_of[node].size() > 1);
                if (layout.owner[copy]) {
                    EXPECT_TRUE(owned.insert(node).second) << "two copies own node " << node;
                    EXPECT_EQ(*tiles_of[node].begin(), tile.number);
                }
                if (v < tile.n_own) continue;
                const auto& e = layout.exchange[tile.first_shared + v - tile.n_own];
                EXPECT_EQ(e.n, tiles_of[node].size());
                EXPECT_LT(e.own, e.n);
                EXPECT_LE(e.begin + e.n, layout.n_sums);
                EXPECT_TRUE(places.insert(e.begin + e.own).second) << "a place for two copies";
            }
            for (Index t = tile.first_tet; t < tile.first_tet + tile.n_tets; ++t) {
                const auto& corner = layout.corner[t].at;
                const bool at_border =
                    std::any_of(corner, corner + 4, [&](Index v) { return v >= tile.n_own; });
                EXPECT_EQ(at_border, t < tile.first_tet + tile.n_border);
            }
        }
        EXPECT_EQ(owned.size(), c.mesh.nodes.size());
        EXPECT_EQ(static_cast<Index>(places.size()), layout.n_sums);
    }
}

TEST(Tiles, give_every_corner_a_slot_of_its_vertex) {
    for (const Case& c : cases()) {
        const TileLayout layout = gpu::make_tiles(c.mesh.nodes, c.mesh.tets, c.n_tiles);
        for (const TileRange& tile : layout.tile) {
            std::map<Index, Index> vertex_of;  // a slot's
            for (Index v = 0; v < tile.n_vertices; ++v) {
                const auto& slots = layout.slots[tile.first_vertex + v];
                for (int k = 0; k < slots.n; ++k) {
                    const Index slot = slots.first + k * gpu::slot_lanes;
                    EXPECT_LT(slot, layout.most_slots);
                    EXPECT_EQ(slot % gpu::slot_lanes, v % gpu::slot_lanes);  // its bank
                    EXPECT_TRUE(vertex_of.insert({slot, v}).second);
                }
            }
            for (Index t = tile.first_tet; t < tile.first_tet + tile.n_tets; ++t)
                for (int k = 0; k < 4; ++k) {
                    const auto found = vertex_of.find(layout.slot[t].at[k]);
                    ASSERT_NE(found, vertex_of.end());
                    EXPECT_EQ(found->second, layout.corner[t].at[k]);
                    vertex_of.erase(found);  // of one corner alone
                }
            EXPECT_TRUE(vertex_of.empty());
        }
    }
}

/// How many of the 32 that go to memory together want the same bank, at most: what a warp waits.
double waits_of(const TileLayout& layout, const TileRange& tile, std::span<const Index> tets) {
    double waits = 0;
    int warps = 0;
    for (Index w = 0; w + gpu::slot_lanes <= tile.n_border; w += gpu::slot_lanes)
        for (int k = 0; k < 4; ++k, ++warps) {
            int wanted[gpu::slot_lanes] = {}, most = 0;
            for (Index lane = 0; lane < gpu::slot_lanes; ++lane)
                most =
                    std::max(most, ++wanted[layout.corner[tets[w + lane]].at[k] % gpu::slot_lanes]);
            waits += most;
        }
    return waits / std::max(warps, 1);
}

TEST(Tiles, spread_corners_over_banks) {
    const TetMesh mesh = make_box({1, 1, 1}, {12, 12, 12});
    const TileLayout layout = gpu::make_tiles(mesh.nodes, mesh.tets, 8);
    for (const TileRange& tile : layout.tile) {
        std::vector<Index> tets;
        for (Index k = 0; k < tile.n_tets; ++k) tets.push_back(tile.first_tet + k);
        const double spread = waits_of(layout, tile, tets);
        std::sort(tets.begin(), tets.end(),
                  [&](Index a, Index b) { return layout.tet_order[a] < layout.tet_order[b]; });
        EXPECT_LT(spread, 2.5);
        EXPECT_LT(spread, 0.6 * waits_of(layout, tile, tets));  // of the mesh's own order
    }
}

}  // namespace

}  // namespace limber

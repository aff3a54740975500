// SPDX-License-Identifier: Apache-2.0
#include "limber/gpu/descent/tiles.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "limber/gpu/slots.h"

namespace limber::gpu {

namespace {

// Processors of an H200, and tets of a tile with what they need in 227 KiB of shared memory, or in
// half of it: three rounds of the threads that work on one.
constexpr Index processors = 132, most_resident = 1900, streamed = 1150;

/// Puts tets into equal parts, `begin` and on being the first of each.
class Bisection {
  public:
    Bisection(const std::vector<Vec3d>& centre, std::vector<Index>& order,
              std::vector<Index>& begin)
        : centre_(centre), order_(order), begin_(begin) {}

    void cut(Index first, Index end, Index part, Index n_parts) {
        if (n_parts == 1) {
            begin_[static_cast<std::size_t>(part)] = first;
            return;
        }
        Vec3d low = centre_[order_[first]], high = low;
        for (Index k = first; k < end; ++k)
            for (int a = 0; a < 3; ++a) {
                low[a] = std::min(low[a], centre_[order_[k]][a]);
                high[a] = std::max(high[a], centre_[order_[k]][a]);
            }
        const Vec3d size = high - low;
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const Index left = n_parts / 2;
        const Index middle =
            first + static_cast<Index>(static_cast<std::int64_t>(end - first) * left / n_parts);
        std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + end,
                         [&](Index a, Index b) {
                             const double p = centre_[a][axis], q = centre_[b][axis];
                             return p != q ? p < q : a < b;
                         });
        cut(first, middle, part, left);
        cut(middle, end, part + left, n_parts - left);
    }

  private:
    const std::vector<Vec3d>& centre_;
    std::vector<Index>&order_, &begin_;
};

/// The tiles of each node, ascending, as rows.
struct TilesOfNodes {
    std::vector<Index> begin, tile;

    /// `first`: of each tile its first tet in `order`, and the end.
    TilesOfNodes(Index n_nodes, std::span<const std::array<Index, 4>> tets,
                 std::span<const Index> order, std::span<const Index> first) {
        // In the order of tiles, so that the last one noted tells whether this one is known.
        std::vector<Index> last(static_cast<std::size_t>(n_nodes), -1);
        begin.assign(static_cast<std::size_t>(n_nodes) + 1, 0);
        const auto each_pair = [&](auto&& f) {
            std::fill(last.begin(), last.end(), -1);
            for (std::size_t own = 0; own + 1 < first.size(); ++own)
                for (Index k = first[own]; k < first[own + 1]; ++k)
                    for (const Index i : tets[static_cast<std::size_t>(order[k])])
                        if (last[i] != static_cast<Index>(own)) {
                            last[i] = static_cast<Index>(own);
                            f(i, static_cast<Index>(own));
                        }
        };
        each_pair([&](Index i, Index) { ++begin[i + 1]; });
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        tile.resize(static_cast<std::size_t>(begin.back()));
        std::vector<Index> next(begin.begin(), begin.end() - 1);
        each_pair([&](Index i, Index own) { tile[next[i]++] = own; });
    }
    Index count(Index i) const { return begin[i + 1] - begin[i]; }
    std::span<const Index> of(Index i) const {
        return {tile.data() + begin[i], static_cast<std::size_t>(count(i))};
    }
};

/// Puts tets into an order in which the 32 that a warp works on together find their corners in 32
/// different banks of shared memory, as far as a look at a few of those that are left can do it.
void spread_over_banks(std::span<Index> order, std::span<const std::array<Index, 4>> tets,
                       const std::vector<Index>& local) {
    constexpr std::size_t looked_at = 128;
    unsigned char wanted[4][slot_lanes] = {};  // how often each bank is, by the corners so far
    const auto bank = [&](Index t, int c) {
        return local[tets[static_cast<std::size_t>(t)][c]] % slot_lanes;
    };
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k % slot_lanes == 0) std::memset(wanted, 0, sizeof wanted);
        std::size_t best = k;
        int least = 1 << 30;
        for (std::size_t m = k; m < std::min(k + looked_at, order.size()) && least > 0; ++m) {
            int waits = 0;  // twice as many are worse than twice
            for (int c = 0; c < 4; ++c) {
                const int others = wanted[c][bank(order[m], c)];
                waits += others * others * others;
            }
            if (waits < least) least = waits, best = m;
        }
        std::swap(order[k], order[best]);
        for (int c = 0; c < 4; ++c) ++wanted[c][bank(order[k], c)];
    }
}

}  // namespace

Index suitable_tiles(Index n_tets, std::size_t bytes_of_real) {
    const Index scale = static_cast<Index>(bytes_of_real / sizeof(float));
    if (n_tets <= processors * (most_resident / scale))
        return std::clamp<Index>(n_tets / 64, 1, processors);
    const Index round = 2 * processors;
    return (n_tets / (streamed / scale) / round + 1) * round;
}

TileLayout make_tiles(std::span<const Vec3d> node, std::span<const std::array<Index, 4>> tets,
                      Index n_tiles) {
    const Index n_tets = static_cast<Index>(tets.size());
    const Index n_nodes = static_cast<Index>(node.size());
    TileLayout out;
    std::vector<Vec3d> centre;
    centre.reserve(tets.size());
    for (const auto& tet : tets)
        centre.push_back(0.25 * (node[tet[0]] + node[tet[1]] + node[tet[2]] + node[tet[3]]));
    out.tet_order.resize(tets.size());
    std::iota(out.tet_order.begin(), out.tet_order.end(), 0);
    std::vector<Index> begin(static_cast<std::size_t>(n_tiles) + 1, n_tets);
    Bisection(centre, out.tet_order, begin).cut(0, n_tets, 0, n_tiles);

    const TilesOfNodes tiles(n_nodes, tets, out.tet_order, begin);
    // The exchanged sums of a vertex lie together.
    std::vector<Index> first_sum(static_cast<std::size_t>(n_nodes), -1);
    for (Index i = 0; i < n_nodes; ++i)
        if (tiles.count(i) > 1) {
            first_sum[i] = out.n_sums;
            out.n_sums += tiles.count(i);
        }

    out.corner.resize(tets.size());
    out.slot.resize(tets.size());
    std::vector<Index> local(static_cast<std::size_t>(n_nodes), -1), count(local.size());
    std::vector<Index> own, group;  // nodes of the tile; the first slots of 32 of them
    for (Index number = 0; number < n_tiles; ++number) {
        const std::span<Index> order =
            std::span(out.tet_order).subspan(begin[number], begin[number + 1] - begin[number]);
        const auto corners = [&](Index t) { return tets[static_cast<std::size_t>(t)]; };
        std::sort(order.begin(), order.end());  // whatever the bisection left
        own.clear();
        for (const Index t : order)
            for (const Index i : corners(t))
                if (count[i]++ == 0) own.push_back(i);
        std::sort(own.begin(), own.end(), [&](Index a, Index b) {
            const bool a_shared = first_sum[a] >= 0, b_shared = first_sum[b] >= 0;
            if (a_shared != b_shared) return b_shared;
            return count[a] != count[b] ? count[a] > count[b] : a < b;
        });
        const Index n = static_cast<Index>(own.size());
        TileRange range{begin[number],
                        0,
                        static_cast<Index>(order.size()),
                        out.n_copies(),
                        n,
                        n,
                        static_cast<Index>(out.exchange.size()),
                        number};
        Index slots = 0;
        group.clear();
        for (Index v = 0; v < n; ++v) {
            const Index i = own[v];
            if (v % slot_lanes == 0) {
                Index most = 0;  // shared vertices start anew within a group
                for (Index w = v; w < std::min(v + slot_lanes, n); ++w)
                    most = std::max(most, count[own[w]]);
                group.push_back(slots);
                slots += slot_lanes * most;
            }
            local[i] = v;
            out.node.push_back(i);
            out.slots.push_back({static_cast<std::uint16_t>(group.back() + v % slot_lanes),
                                 static_cast<std::uint16_t>(count[i])});
            const std::span<const Index> of = tiles.of(i);
            out.owner.push_back(of[0] == number);
            if (first_sum[i] < 0) continue;
            if (range.n_own == n) range.n_own = v;
            const auto place = std::find(of.begin(), of.end(), number) - of.begin();
            out.exchange.push_back({first_sum[i], static_cast<std::uint16_t>(place),
                                    static_cast<std::uint16_t>(of.size())});
        }
        if (n > 0xffff || slots > 0x10000) return {};
        // Tets at the border come first.
        const auto inner = std::stable_partition(order.begin(), order.end(), [&](Index t) {
            const auto tet = corners(t);
            return std::any_of(tet.begin(), tet.end(), [&](Index i) { return first_sum[i] >= 0; });
        });
        range.n_border = static_cast<Index>(inner - order.begin());
        spread_over_banks(order.first(range.n_border), tets, local);
        spread_over_banks(order.subspan(range.n_border), tets, local);
        for (const Index i : own) count[i] = 0;
        for (std::size_t k = 0; k < order.size(); ++k)
            for (int c = 0; c < 4; ++c) {
                const Index i = corners(order[k])[c], v = local[i];
                const std::size_t t = static_cast<std::size_t>(range.first_tet) + k;
                out.corner[t].at[c] = static_cast<std::uint16_t>(v);
                out.slot[t].at[c] = static_cast<std::uint16_t>(
                    group[v / slot_lanes] + slot_lanes * count[i]++ + v % slot_lanes);
            }
        for (const Index i : own) count[i] = 0;
        out.tile.push_back(range);
        out.most_tets = std::max(out.most_tets, range.n_tets);
        out.most_vertices = std::max(out.most_vertices, n);
        out.most_slots = std::max(out.most_slots, slots);
    }
    return out;
}

}  // namespace limber::gpu

// SPDX-License-Identifier: Apache-2.0
// The graded variant (Labelle & Shewchuk 2007, section 4): an octree whose leaves are single
// octants near the surface and larger inside.

#include <algorithm>
#include <utility>

#include "limber/core/check.h"
#include "limber/core/stop.h"
#include "limber/mesh/stuffing/fill.h"

namespace limber {

namespace {

/// Cells of side 2^level octants; one flag each.
class CellFlags {
  public:
    CellFlags(const std::array<Index, 3>& octants, int level)
        : n_{octants[0] >> level, octants[1] >> level, octants[2] >> level},
          flag_(std::size_t(n_[0]) * n_[1] * n_[2], 0) {}
    const std::array<Index, 3>& size() const { return n_; }
    bool contains(const std::array<Index, 3>& c) const {
        for (int a = 0; a < 3; ++a)
            if (c[a] < 0 || c[a] >= n_[a]) return false;
        return true;
    }
    bool get(const std::array<Index, 3>& c) const { return contains(c) && flag_[at(c)]; }
    void set(const std::array<Index, 3>& c) {
        if (contains(c)) flag_[at(c)] = 1;
    }
    template <class Use>
    void for_each(Use use) const {
        for (Index k = 0; k < n_[2]; ++k)
            for (Index j = 0; j < n_[1]; ++j)
                for (Index i = 0; i < n_[0]; ++i) use(std::array<Index, 3>{i, j, k});
    }

  private:
    std::size_t at(const std::array<Index, 3>& c) const {
        return (std::size_t(c[2]) * n_[1] + c[1]) * n_[0] + c[0];
    }
    std::array<Index, 3> n_;
    std::vector<char> flag_;
};

using Cell = std::array<Index, 3>;

Cell parent(const Cell& c) {
    return {c[0] >> 1, c[1] >> 1, c[2] >> 1};
}
Cell stepped(Cell c, int axis, Index by) {
    c[axis] += by;
    return c;
}

/// refined(l, c): cell c of level l is cut into eight of level l - 1.
class Octree {
  public:
    Octree(const WarpedLattice& lattice, int levels) {
        const auto& n = lattice.lattice().octants();
        for (int level = 0; level <= levels; ++level) refined_.emplace_back(n, level);
        for (LatticeId id : lattice.active())
            require(lattice.lattice().point(id));  // refines cells of level 1
        for (int level = 1; level < levels; ++level) balance(level);
    }
    int levels() const { return static_cast<int>(refined_.size()) - 1; }
    bool refined(int level, const Cell& c) const { return refined_[level].get(c); }
    bool exists(int level, const Cell& c) const {
        if (!refined_[level].contains(c)) return false;
        return level == levels() || refined_[level + 1].get(parent(c));
    }
    const CellFlags& level(int l) const { return refined_[l]; }

  private:
    /// All tets around an active point have to be plain lattice tets: the 8 octants around a
    /// corner, or an octant and the 6 beside it, stay single.
    void require(const LatticePoint& p) {
        if (refined_.size() < 2) return;
        const auto keep = [&](Index x, Index y, Index z) {  // the octant with centre x, y, z
            refined_[1].set(parent({x >> 1, y >> 1, z >> 1}));
        };
        if (p[0] & 1) {
            keep(p[0], p[1], p[2]);
            for (int d = 0; d < n_directions; ++d)
                if (is_long(d)) {
                    const LatticePoint& s = lattice_directions[d];
                    keep(p[0] + s[0], p[1] + s[1], p[2] + s[2]);
                }
        } else {
            for (int k = 0; k < 8; ++k)
                keep(p[0] + (k & 1 ? 1 : -1), p[1] + (k & 2 ? 1 : -1), p[2] + (k & 4 ? 1 : -1));
        }
    }

    /// All 26 neighbours of a refined cell must exist at its level.
    void balance(int level) {
        refined_[level].for_each([&](const Cell& c) {
            if (!refined_[level].get(c)) return;
            for (Index dz = -1; dz <= 1; ++dz)
                for (Index dy = -1; dy <= 1; ++dy)
                    for (Index dx = -1; dx <= 1; ++dx) {
                        const Cell near{c[0] + dx, c[1] + dy, c[2] + dz};
                        if (refined_[level].contains(near)) refined_[level + 1].set(parent(near));
                    }
        });
    }

    std::vector<CellFlags> refined_;  // index 0 stays empty: single octants are never cut
};

class GradedFill {
  public:
    GradedFill(const WarpedLattice& lattice, const Octree& tree)
        : lattice_(lattice), tree_(tree), fill_(lattice) {}

    /// Depth first, so that nodes that are near in space are near in number.
    void visit(int level, const Cell& c) {
        if (!tree_.refined(level, c)) {
            fill_leaf(level, c);
            return;
        }
        for (int k = 0; k < 8; ++k)
            visit(level - 1, {2 * c[0] + (k & 1), 2 * c[1] + (k >> 1 & 1), 2 * c[2] + (k >> 2)});
    }
    TetMesh take() { return fill_.take(); }

  private:
    static LatticePoint centre(int level, const Cell& c) {
        LatticePoint p;
        for (int a = 0; a < 3; ++a) p[a] = (2 * c[a] + 1) << level;
        return p;
    }

    void fill_leaf(int level, const Cell& c) {
        const LatticePoint middle = centre(level, c);
        const bool inside = lattice_.side(lattice_.lattice().id(middle)) == Side::inside;
        for (int axis = 0; axis < 3; ++axis)
            for (int sign : {1, -1}) {
                const Cell next = stepped(c, axis, sign);
                if (!tree_.level(level).contains(next)) continue;
                if (!tree_.exists(level, next)) {
                    if (inside) fill_half_pyramids(level, c, axis, sign);
                } else if (tree_.refined(level, next)) {
                    if (inside) fill_quarters(level, c, axis, sign);
                } else if (sign > 0) {
                    if (level == 0)
                        fill_.fill_face(middle, axis);
                    else if (inside)
                        fill_equal(level, c, axis);
                }
            }
    }

    /// Corner k of the face of cell c across `axis`: su, sv = ±1 pick it, 0 the middle.
    static LatticePoint on_face(int level, const Cell& c, int axis, int sign, int su, int sv) {
        LatticePoint p = centre(level, c);
        const Index half = Index{1} << level;
        p[axis] += sign * half;
        p[(axis + 1) % 3] += su * half;
        p[(axis + 2) % 3] += sv * half;
        return p;
    }

    /// A neighbour of the same size: a lattice tet per edge of the common face, halved where a
    /// smaller cell beside has put a node on the edge.
    void fill_equal(int level, const Cell& c, int axis) {
        const Cell next = stepped(c, axis, 1);
        const LatticePoint a = centre(level, c), b = centre(level, next);
        static constexpr int edge[4][3] = {{0, 0, -1}, {1, 1, 0}, {0, 0, 1}, {1, -1, 0}};
        for (const auto& [across, su, sv] : edge) {
            // The edge runs along the first face direction when across == 0, else the second.
            const int beside = (axis + 1 + (across == 0 ? 1 : 0)) % 3;
            const Index by = across == 0 ? sv : su;
            const LatticePoint p =
                on_face(level, c, axis, 1, across == 0 ? -1 : su, across == 0 ? sv : -1);
            const LatticePoint q =
                on_face(level, c, axis, 1, across == 0 ? 1 : su, across == 0 ? sv : 1);
            if (tree_.refined(level, stepped(c, beside, by)) ||
                tree_.refined(level, stepped(next, beside, by))) {
                const LatticePoint m = on_face(level, c, axis, 1, su, sv);
                fill_.add_whole({a, b, p, m});
                fill_.add_whole({a, b, m, q});
            } else {
                fill_.add_whole({a, b, p, q});
            }
        }
    }

    /// Four smaller neighbours: eight tets around the middle of the face.
    void fill_quarters(int level, const Cell& c, int axis, int sign) {
        const LatticePoint a = centre(level, c);
        const LatticePoint m = on_face(level, c, axis, sign, 0, 0);
        for (int su : {-1, 1})
            for (int sv : {-1, 1}) {
                const LatticePoint corner = on_face(level, c, axis, sign, su, sv);
                fill_.add_whole({a, m, corner, on_face(level, c, axis, sign, su, 0)});
                fill_.add_whole({a, m, corner, on_face(level, c, axis, sign, 0, sv)});
            }
    }

    /// A neighbour of twice the size: a pyramid over the face, cut along the diagonal that ends in
    /// the middle of the neighbour's face, as fill_quarters has it on the other side.
    void fill_half_pyramids(int level, const Cell& c, int axis, int sign) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const int su = c[u] % 2 == 0 ? 1 : -1, sv = c[v] % 2 == 0 ? 1 : -1;  // towards the middle
        const LatticePoint a = centre(level, c);
        const LatticePoint m = on_face(level, c, axis, sign, su, sv);
        const LatticePoint far = on_face(level, c, axis, sign, -su, -sv);
        fill_.add_whole({a, m, far, on_face(level, c, axis, sign, su, -sv)});
        fill_.add_whole({a, m, far, on_face(level, c, axis, sign, -su, sv)});
    }

    const WarpedLattice& lattice_;
    const Octree& tree_;
    StuffingFill fill_;
};

}  // namespace

TetMesh fill_graded(const WarpedLattice& lattice, int levels, const StuffingProgress& progress) {
    const auto& n = lattice.lattice().octants();
    for (int a = 0; a < 3; ++a)
        LIMBER_CHECK(n[a] % (Index{1} << levels) == 0, "whole cells of the top level");
    const Octree tree(lattice, levels);
    GradedFill fill(lattice, tree);
    const auto& top = tree.level(levels).size();
    for (Index k = 0; k < top[2]; ++k) {
        stop_if_requested();
        for (Index j = 0; j < top[1]; ++j)
            for (Index i = 0; i < top[0]; ++i) fill.visit(levels, {i, j, k});
        if (progress) progress("filling", double(k + 1) / top[2]);
    }
    return fill.take();
}

}  // namespace limber

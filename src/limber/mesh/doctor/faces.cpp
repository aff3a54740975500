// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/faces.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>

#include "limber/core/parallel.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

namespace {

constexpr int face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
constexpr Index face_grain = 1024;  // nodes a chunk

/// Disjoint sets with path halving.
class Sets {
  public:
    explicit Sets(Index n) : parent_(static_cast<std::size_t>(n)) {
        std::iota(parent_.begin(), parent_.end(), Index{0});
    }
    Index root(Index i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(Index a, Index b) { parent_[root(a)] = root(b); }

  private:
    std::vector<Index> parent_;
};

/// A face in the bucket of its lowest node.
struct Entry {
    Index middle, highest;
    FaceSide side;
    bool same_face(const Entry& b) const { return middle == b.middle && highest == b.highest; }
};

/// Faces sorted by their nodes: by counting for the lowest one, by comparison inside its few.
struct Buckets {
    std::vector<Index> begin;  // one per node, and one more
    std::vector<Entry> entry;
};

Buckets sorted_faces(const TetMesh& mesh) {
    Buckets b;
    b.begin.assign(mesh.nodes.size() + 1, 0);
    const Index n_sides = 4 * mesh.n_tets();
    for (FaceSide side = 0; side < n_sides; ++side) ++b.begin[sorted_face(mesh, side)[0] + 1];
    std::partial_sum(b.begin.begin(), b.begin.end(), b.begin.begin());
    b.entry.resize(static_cast<std::size_t>(n_sides));
    std::vector<Index> next(b.begin.begin(), b.begin.end() - 1);
    for (FaceSide side = 0; side < n_sides; ++side) {
        const Triangle t = sorted_face(mesh, side);
        b.entry[next[t[0]]++] = {t[1], t[2], side};
    }
    parallel_for(mesh.n_nodes(), face_grain, [&](Index node) {
        std::sort(b.entry.begin() + b.begin[node], b.entry.begin() + b.begin[node + 1],
                  [](const Entry& p, const Entry& q) {
                      return std::tie(p.middle, p.highest, p.side) <
                             std::tie(q.middle, q.highest, q.side);
                  });
    });
    return b;
}

Index opposite_node(const TetMesh& mesh, FaceSide side) {
    return mesh.tets[side / 4][side % 4];
}

/// All sides of one face.
void add_face(FaceTable& table, const TetMesh& mesh, std::span<const Entry> sides) {
    if (sides.size() == 1) {
        table.boundary.push_back(sides[0].side);
        return;
    }
    bool duplicate = false;
    for (std::size_t i = 1; i < sides.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Index apex = opposite_node(mesh, sides[i].side);
            if (apex != opposite_node(mesh, sides[j].side)) continue;
            duplicate = true;
            // The same pair meets in four faces: the one opposite its highest node counts.
            if (apex > sides[i].highest)
                table.duplicates.push_back({sides[j].side / 4, sides[i].side / 4});
        }
    if (duplicate) return;
    if (sides.size() > 2) {
        std::vector<FaceSide>& crowd = table.crowded.emplace_back();
        for (const Entry& e : sides) crowd.push_back(e.side);
        return;
    }
    const FaceSide a = sides[0].side, b = sides[1].side;
    table.across[a] = b;
    table.across[b] = a;
    const Triangle t = sorted_face(mesh, a);
    const auto positive = [&](FaceSide side) {
        return tet_volume(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]],
                          mesh.nodes[opposite_node(mesh, side)]) > 0;
    };
    if (positive(a) == positive(b)) table.folded.push_back({a / 4, b / 4});
}

}  // namespace

Triangle sorted_face(const TetMesh& mesh, FaceSide side) {
    Triangle t = outward_face(mesh, side);
    if (t[0] > t[1]) std::swap(t[0], t[1]);
    if (t[1] > t[2]) std::swap(t[1], t[2]);
    if (t[0] > t[1]) std::swap(t[0], t[1]);
    return t;
}

Triangle outward_face(const TetMesh& mesh, FaceSide side) {
    const Tet& tet = mesh.tets[side / 4];
    const auto& corner = face_corner[side % 4];
    return {tet[corner[0]], tet[corner[1]], tet[corner[2]]};
}

FaceTable make_face_table(const TetMesh& mesh) {
    const Buckets faces = sorted_faces(mesh);
    FaceTable table;
    table.across.assign(faces.entry.size(), FaceTable::none);
    for (Index node = 0; node < mesh.n_nodes(); ++node) {
        const Index end = faces.begin[node + 1];
        for (Index i = faces.begin[node]; i < end;) {
            Index j = i + 1;
            while (j < end && faces.entry[j].same_face(faces.entry[i])) ++j;
            add_face(table, mesh, std::span(faces.entry).subspan(i, j - i));
            i = j;
        }
    }
    for (auto* found : {&table.duplicates, &table.folded}) std::sort(found->begin(), found->end());
    std::sort(table.crowded.begin(), table.crowded.end());
    std::sort(table.boundary.begin(), table.boundary.end());
    return table;
}

namespace {

/// Whether the tets around a node reach one another over faces that hold it. Entries are those of
/// NodeTets; `open` and `todo` are scratch.
bool is_pinched(std::span<const Index> around, const FaceTable& faces, std::vector<Index>& open,
                std::vector<Index>& todo) {
    open.clear();
    for (const Index entry : around) open.push_back(entry / 4);  // ascending
    std::size_t reached = 1;
    std::vector<Index>& left = open;
    todo.assign(1, around[0]);
    left[0] = -1 - left[0];  // seen: stored as -1 - tet, the order of |.| is kept
    const auto place_of = [&](Index tet) {
        return std::lower_bound(left.begin(), left.end(), tet,
                                [](Index a, Index b) { return (a < 0 ? -1 - a : a) < b; });
    };
    while (!todo.empty()) {
        const Index entry = todo.back(), tet = entry / 4, corner = entry % 4;
        todo.pop_back();
        for (int k = 0; k < 4; ++k) {
            const FaceSide across = k == corner ? FaceTable::none : faces.across[4 * tet + k];
            if (across == FaceTable::none) continue;
            const auto place = place_of(across / 4);
            if (place == left.end() || *place != across / 4) continue;  // seen before
            *place = -1 - *place;
            ++reached;
            todo.push_back(around[static_cast<std::size_t>(place - left.begin())]);
        }
    }
    return reached < around.size();
}

/// Edges of the boundary with other than two boundary faces: two wedges of tets meet there.
std::vector<std::array<Index, 2>> hinge_edges(const TetMesh& mesh, const FaceTable& faces) {
    std::vector<Triangle> triangles;
    for (const FaceSide side : faces.boundary) triangles.push_back(outward_face(mesh, side));
    const std::vector<EdgeUse> uses = edge_uses(triangles);
    std::vector<std::array<Index, 2>> edges;
    for (std::size_t i = 0; i < uses.size();) {
        std::size_t j = i + 1;
        while (j < uses.size() && uses[j].lo == uses[i].lo && uses[j].hi == uses[i].hi) ++j;
        if (j - i != 2) edges.push_back({uses[i].lo, uses[i].hi});
        i = j;
    }
    return edges;
}

}  // namespace

Hinges find_hinges(const TetMesh& mesh, const FaceTable& faces) {
    const NodeTets around = node_tets(mesh.n_nodes(), mesh.tets);
    std::vector<char> on_boundary(mesh.nodes.size(), 0), pinched(mesh.nodes.size(), 0);
    for (const FaceSide side : faces.boundary)
        for (const Index node : outward_face(mesh, side)) on_boundary[node] = 1;
    // Around a node without boundary faces every tet has all its neighbours; two shells of them
    // could only meet in a mesh that overlaps itself.
    parallel_ranges(mesh.n_nodes(), face_grain, [&](Index begin, Index end) {
        std::vector<Index> open, todo;
        for (Index node = begin; node < end; ++node)
            if (on_boundary[node]) pinched[node] = is_pinched(around.of(node), faces, open, todo);
    });
    Hinges h;
    h.edges = hinge_edges(mesh, faces);
    std::vector<char> on_edge(mesh.nodes.size(), 0);
    for (const auto& [a, b] : h.edges) on_edge[a] = on_edge[b] = 1;
    for (Index node = 0; node < mesh.n_nodes(); ++node) {
        if (pinched[node]) h.nodes.push_back(node);
        if (pinched[node] && !on_edge[node]) h.vertex_only.push_back(node);
    }
    return h;
}

Parts find_parts(const TetMesh& mesh, const FaceTable& faces) {
    Sets by_node(mesh.n_nodes()), by_face(mesh.n_tets());
    for (const Tet& tet : mesh.tets)
        for (int k = 1; k < 4; ++k) by_node.join(tet[0], tet[k]);
    for (FaceSide side = 0; side < static_cast<FaceSide>(faces.across.size()); ++side)
        if (faces.across[side] > side) by_face.join(side / 4, faces.across[side] / 4);
    Parts found;
    std::vector<Index> part_of(mesh.nodes.size(), -1);
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        found.n_solid += by_face.root(t) == t;
        const Tet& n = mesh.tets[t];
        Index& part = part_of[by_node.root(n[0])];
        if (part < 0) {
            part = static_cast<Index>(found.parts.size());
            found.parts.push_back({0, 0, mesh.tet_ids[t]});
        }
        ++found.parts[part].n_tets;
        found.parts[part].volume +=
            tet_volume(mesh.nodes[n[0]], mesh.nodes[n[1]], mesh.nodes[n[2]], mesh.nodes[n[3]]);
    }
    std::stable_sort(found.parts.begin(), found.parts.end(),
                     [](const MeshPart& a, const MeshPart& b) { return a.volume > b.volume; });
    return found;
}

namespace {

/// A grid of 2^20 cells across the mesh, set off so that no round coordinate lies on its lines.
struct PlaceGrid {
    Vec3d lo;
    double cell, tolerance;

    explicit PlaceGrid(const Box3& box) {
        const double size = norm(box.size());
        cell = size / (1 << 20);
        tolerance = 1e-9 * size;
        lo = box.lo - Vec3d{0.3819660, 0.6180340, 0.7639320} * cell * 2.0;
    }
    std::array<std::int64_t, 3> cell_of(const Vec3d& p) const {
        std::array<std::int64_t, 3> c;
        for (int i = 0; i < 3; ++i)
            c[i] = static_cast<std::int64_t>(std::floor((p[i] - lo[i]) / cell));
        return c;
    }
    static std::uint64_t key(const std::array<std::int64_t, 3>& c) {
        return static_cast<std::uint64_t>(c[0]) << 42 | static_cast<std::uint64_t>(c[1]) << 21 |
               static_cast<std::uint64_t>(c[2]);
    }
};

}  // namespace

std::vector<std::array<Index, 2>> nodes_at_one_place(const TetMesh& mesh) {
    const PlaceGrid grid(bounding_box(mesh.nodes));
    std::vector<std::pair<std::uint64_t, Index>> sorted;
    sorted.reserve(mesh.nodes.size());
    for (Index i = 0; i < mesh.n_nodes(); ++i)
        sorted.emplace_back(PlaceGrid::key(grid.cell_of(mesh.nodes[i])), i);
    std::sort(sorted.begin(), sorted.end());

    std::vector<std::array<Index, 2>> pairs;
    const auto near = [&](Index a, Index b) {
        return squared_norm(mesh.nodes[a] - mesh.nodes[b]) <= grid.tolerance * grid.tolerance;
    };
    // Pairs in a cell come from its own list; across a cell border, from the lower corner's side.
    // A cell full of nodes (a mesh far finer at one place) is compared with a few places on only.
    constexpr std::size_t window = 64;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& [key, a] = sorted[i];
        const std::size_t end = std::min(sorted.size(), i + window);
        for (std::size_t j = i + 1; j < end && sorted[j].first == key; ++j)
            if (near(a, sorted[j].second)) pairs.push_back({a, sorted[j].second});
        const Vec3d t{grid.tolerance, grid.tolerance, grid.tolerance};
        const auto lo = grid.cell_of(mesh.nodes[a] - t), hi = grid.cell_of(mesh.nodes[a] + t);
        if (lo == hi) continue;
        for (auto x = lo[0]; x <= hi[0]; ++x)
            for (auto y = lo[1]; y <= hi[1]; ++y)
                for (auto z = lo[2]; z <= hi[2]; ++z) {
                    const std::uint64_t other = PlaceGrid::key({x, y, z});
                    if (other <= key) continue;
                    auto found =
                        std::lower_bound(sorted.begin(), sorted.end(), std::pair(other, Index{0}));
                    for (; found != sorted.end() && found->first == other; ++found)
                        if (near(a, found->second)) pairs.push_back({a, found->second});
                }
    }
    for (auto& [a, b] : pairs)
        if (a > b) std::swap(a, b);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace limber

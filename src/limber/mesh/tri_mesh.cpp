// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/tri_mesh.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "limber/core/check.h"

namespace limber {

namespace {

bool repeats_a_node(const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

double twice_area(const TriMesh& mesh, const Triangle& t) {
    const Vec3d& a = mesh.nodes[t[0]];
    return norm(cross(mesh.nodes[t[1]] - a, mesh.nodes[t[2]] - a));
}

/// Calls use(begin, end) for the uses of each undirected edge.
template <class Use>
void for_each_edge(std::span<const EdgeUse> uses, Use use) {
    for (std::size_t begin = 0; begin < uses.size();) {
        std::size_t end = begin + 1;
        while (end < uses.size() && uses[end].lo == uses[begin].lo &&
               uses[end].hi == uses[begin].hi)
            ++end;
        use(begin, end);
        begin = end;
    }
}

class DisjointSets {
  public:
    explicit DisjointSets(std::size_t n) : parent_(n) {
        std::iota(parent_.begin(), parent_.end(), Index{0});
    }
    Index find(Index i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }
    /// The smaller root stays, so that roots do not depend on the order of the calls.
    void join(Index a, Index b) {
        a = find(a);
        b = find(b);
        if (a != b) parent_[std::max(a, b)] = std::min(a, b);
    }

  private:
    std::vector<Index> parent_;
};

/// Nodes around which the triangles, joined over shared edges, form more than one fan.
Index count_pinched(const TriMesh& mesh, std::span<const EdgeUse> uses) {
    // Corner 3 t + k stands for triangle t seen from its node k.
    DisjointSets fans(mesh.triangles.size() * 3);
    const auto corner_at = [&](Index triangle, Index node) {
        const Triangle& t = mesh.triangles[triangle];
        return 3 * triangle + static_cast<Index>(t[0] == node ? 0 : (t[1] == node ? 1 : 2));
    };
    for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin + 1; i < end; ++i)
            for (Index node : {uses[i].lo, uses[i].hi})
                fans.join(corner_at(uses[begin].triangle, node), corner_at(uses[i].triangle, node));
    });
    std::vector<Index> n_fans(mesh.nodes.size(), 0);
    for (Index t = 0; t < mesh.n_triangles(); ++t)
        for (int k = 0; k < 3; ++k)
            if (!repeats_a_node(mesh.triangles[t]) && fans.find(3 * t + k) == 3 * t + k)
                ++n_fans[mesh.triangles[t][k]];
    return static_cast<Index>(
        std::count_if(n_fans.begin(), n_fans.end(), [](Index n) { return n > 1; }));
}

Index count_duplicates(const TriMesh& mesh) {
    std::vector<Triangle> sorted(mesh.triangles);
    for (Triangle& t : sorted) std::sort(t.begin(), t.end());
    std::sort(sorted.begin(), sorted.end());
    Index n = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) n += sorted[i] == sorted[i - 1];
    return n;
}

}  // namespace

double surface_area(const TriMesh& mesh) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles) sum += twice_area(mesh, t);
    return sum / 2;
}

double signed_volume(const TriMesh& mesh) {
    if (mesh.triangles.empty()) return 0;
    const Vec3d& o = mesh.nodes[mesh.triangles[0][0]];
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles)
        sum += tet_volume(o, mesh.nodes[a], mesh.nodes[b], mesh.nodes[c]);
    return sum;
}

TriMesh turned(TriMesh mesh) {
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

TriMesh welded(const TriMesh& mesh) {
    // Adding zero makes -0 and +0 equal in the order too.
    const auto key = [&](Index i) {
        const Vec3d& p = mesh.nodes[i];
        return std::tuple(p.x + 0.0, p.y + 0.0, p.z + 0.0);
    };
    std::vector<Index> order(mesh.nodes.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return std::tuple(key(a), a) < std::tuple(key(b), b); });
    std::vector<Index> first(mesh.nodes.size());  // the first node at the same place
    for (std::size_t i = 0; i < order.size(); ++i)
        first[order[i]] =
            i > 0 && key(order[i]) == key(order[i - 1]) ? first[order[i - 1]] : order[i];

    TriMesh result;
    std::vector<Index> renumbered(mesh.nodes.size(), -1);
    for (Triangle t : mesh.triangles) {
        for (Index& node : t) node = first[node];
        if (repeats_a_node(t)) continue;
        for (Index& node : t) {
            if (renumbered[node] < 0) {
                renumbered[node] = result.n_nodes();
                result.nodes.push_back(mesh.nodes[node]);
            }
            node = renumbered[node];
        }
        result.triangles.push_back(t);
    }
    return result;
}

std::vector<EdgeUse> edge_uses(std::span<const Triangle> triangles) {
    std::vector<EdgeUse> uses;
    uses.reserve(triangles.size() * 3);
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Triangle& t = triangles[i];
        if (repeats_a_node(t)) continue;
        for (int k = 0; k < 3; ++k) {
            const Index a = t[k], b = t[(k + 1) % 3];
            uses.push_back({std::min(a, b), std::max(a, b), static_cast<Index>(i), a < b});
        }
    }
    std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
        return std::tie(a.lo, a.hi, a.triangle, a.forward) <
               std::tie(b.lo, b.hi, b.triangle, b.forward);
    });
    return uses;
}

std::vector<Index> triangle_parts(const TriMesh& mesh) {
    const std::vector<EdgeUse> uses = edge_uses(mesh.triangles);
    DisjointSets sets(mesh.triangles.size());
    for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin + 1; i < end; ++i)
            sets.join(uses[begin].triangle, uses[i].triangle);
    });
    std::vector<Index> part(mesh.triangles.size(), -1);
    Index n = 0;
    for (Index t = 0; t < mesh.n_triangles(); ++t) {
        const Index root = sets.find(t);  // root <= t, so it has its number already
        part[t] = root == t ? n++ : part[root];
    }
    return part;
}

TriMeshReport inspect(const TriMesh& mesh) {
    TriMeshReport report;
    std::vector<char> used(mesh.nodes.size(), 0);
    for (const Triangle& t : mesh.triangles) {
        for (Index node : t) {
            LIMBER_CHECK(node >= 0 && node < mesh.n_nodes(), "triangle node out of range");
            used[node] = 1;
        }
        if (repeats_a_node(t) || !(twice_area(mesh, t) > 0)) ++report.degenerate;
    }
    report.unused_nodes = static_cast<Index>(std::count(used.begin(), used.end(), 0));

    const std::vector<EdgeUse> uses = edge_uses(mesh.triangles);
    for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin;
        report.open_edges += n == 1;
        report.nonmanifold_edges += n > 2;
        report.misoriented_edges += n == 2 && uses[begin].forward == uses[begin + 1].forward;
    });
    report.pinched_nodes = count_pinched(mesh, uses);
    report.duplicates = count_duplicates(mesh);
    const std::vector<Index> part = triangle_parts(mesh);
    report.parts = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
    report.area = surface_area(mesh);
    report.volume = signed_volume(mesh);
    return report;
}

TriMesh boundary_surface(const TetMesh& mesh) {
    TriMesh surface;
    surface.triangles = boundary_triangles(mesh.tets);
    const std::vector<Index> nodes = nodes_of(surface.triangles);
    std::vector<Index> renumbered(mesh.nodes.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        renumbered[nodes[i]] = static_cast<Index>(i);
        surface.nodes.push_back(mesh.nodes[nodes[i]]);
    }
    for (Triangle& t : surface.triangles)
        for (Index& node : t) node = renumbered[node];
    return surface;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/surface_distance_repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "limber/core/errors.h"

namespace limber {

namespace {

/// Even permutations of the sorted nodes count +1, odd ones -1.
int orientation(const Triangle& t) {
    return (t[0] < t[1]) == ((t[1] < t[2]) == (t[0] < t[2])) ? 1 : -1;
}

/// Of triangles with the same three nodes one stays, or none where they cancel. Returns how many
/// went.
Index drop_duplicates(TriMesh& mesh) {
    std::vector<std::pair<Triangle, Index>> sorted;
    for (Index i = 0; i < mesh.n_triangles(); ++i) {
        Triangle key = mesh.triangles[i];
        std::sort(key.begin(), key.end());
        sorted.emplace_back(key, i);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> keep(mesh.triangles.size(), 0);
    for (std::size_t begin = 0; begin < sorted.size();) {
        std::size_t end = begin;
        int net = 0;
        for (; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end)
            net += orientation(mesh.triangles[sorted[end].second]);
        for (std::size_t i = begin; i < end; ++i)
            if (net != 0 && orientation(mesh.triangles[sorted[i].second]) == (net > 0 ? 1 : -1)) {
                keep[sorted[i].second] = 1;
                break;
            }
        begin = end;
    }
    const std::size_t before = mesh.triangles.size();
    std::size_t n = 0;
    for (std::size_t i = 0; i < before; ++i)
        if (keep[i]) mesh.triangles[n++] = mesh.triangles[i];
    mesh.triangles.resize(n);
    return static_cast<Index>(before - n);
}

/// Triangles joined over edges with exactly two uses, turned so that neighbours agree. Of each such
/// patch the smaller share is turned. Returns how many were.
Index agree_on_orientation(TriMesh& mesh) {
    const std::vector<EdgeUse> uses = edge_uses(mesh.triangles);
    struct Link {
        Index from, to;
        bool agrees;
    };
    std::vector<Link> links;
    for (std::size_t i = 0; i + 1 < uses.size(); ++i) {
        const auto same = [&](std::size_t j) {
            return j < uses.size() && uses[j].lo == uses[i].lo && uses[j].hi == uses[i].hi;
        };
        if ((i > 0 && same(i - 1)) || !same(i + 1) || same(i + 2)) continue;
        const bool agrees = uses[i].forward != uses[i + 1].forward;
        links.push_back({uses[i].triangle, uses[i + 1].triangle, agrees});
        links.push_back({uses[i + 1].triangle, uses[i].triangle, agrees});
    }
    std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
        return std::tie(a.from, a.to) < std::tie(b.from, b.to);
    });
    std::vector<std::size_t> begin(mesh.triangles.size() + 1, 0);
    for (const Link& link : links) ++begin[link.from + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());

    std::vector<signed char> turn(mesh.triangles.size(), -1);  // -1: not reached
    Index n_turned = 0;
    for (Index seed = 0; seed < mesh.n_triangles(); ++seed) {
        if (turn[seed] >= 0) continue;
        std::vector<Index> patch{seed};
        turn[seed] = 0;
        Index n = 0;
        for (std::size_t i = 0; i < patch.size(); ++i) {
            n += turn[patch[i]];
            for (std::size_t l = begin[patch[i]]; l < begin[patch[i] + 1]; ++l)
                if (turn[links[l].to] < 0) {
                    turn[links[l].to] = links[l].agrees ? turn[patch[i]] : 1 - turn[patch[i]];
                    patch.push_back(links[l].to);
                }
        }
        const bool other_way = 2 * n > static_cast<Index>(patch.size());
        for (Index t : patch)
            if ((turn[t] == 1) != other_way) {
                std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
                ++n_turned;
            }
    }
    return n_turned;
}

/// Adds to each connected set of edges that do not cancel the cone to its middle: the boundary of a
/// surface has no boundary itself, so the cone closes it, whatever the edges look like.
void close_holes(ClosedSurface& s) {
    TriMesh& mesh = s.mesh;
    const std::vector<EdgeUse> uses = edge_uses(mesh.triangles);
    struct Open {
        Index from, to;  // as the missing triangle runs along it
    };
    std::vector<Open> open;
    for (std::size_t i = 0; i < uses.size();) {
        int net = 0;
        std::size_t end = i;
        for (; end < uses.size() && uses[end].lo == uses[i].lo && uses[end].hi == uses[i].hi; ++end)
            net += uses[end].forward ? 1 : -1;
        for (int k = 0; k < std::abs(net); ++k)
            open.push_back(net > 0 ? Open{uses[i].hi, uses[i].lo} : Open{uses[i].lo, uses[i].hi});
        i = end;
    }
    std::vector<Index> root(mesh.nodes.size());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (const Open& e : open) {
        const Index a = find(e.from), b = find(e.to);
        root[std::max(a, b)] = std::min(a, b);
    }
    std::sort(open.begin(), open.end(), [&](const Open& a, const Open& b) {
        return std::tuple(find(a.from), a.from, a.to) < std::tuple(find(b.from), b.from, b.to);
    });
    for (std::size_t begin = 0; begin < open.size();) {
        std::size_t end = begin;
        Vec3d sum{};
        double length = 0;
        for (; end < open.size() && find(open[end].from) == find(open[begin].from); ++end) {
            const Vec3d &a = mesh.nodes[open[end].from], &b = mesh.nodes[open[end].to];
            const double l = norm(b - a);
            sum += (0.5 * l) * (a + b);
            length += l;
        }
        const Vec3d middle = (1 / length) * sum;
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3d &a = mesh.nodes[open[i].from], &b = mesh.nodes[open[i].to];
            s.hole_area += norm(cross(a - middle, b - middle)) / 2;
            mesh.triangles.push_back({open[i].from, open[i].to, mesh.n_nodes()});
        }
        mesh.nodes.push_back(middle);
        ++s.n_holes;
        begin = end;
    }
}

void refuse_hopeless(const ClosedSurface& s) {
    if (s.hole_area > s.found.area)
        throw InputError(fmt::format(
            "the surface is more open than closed: {} of its edges belong to one triangle only, "
            "and closing its {} holes would take {:.0f} % more surface than there is",
            s.found.open_edges, s.n_holes, 100 * s.hole_area / s.found.area));
    // A closed surface of this area encloses at most area^1.5 / (6 √π): the ball.
    if (!(std::fabs(s.volume) > 1e-9 * std::pow(s.found.area, 1.5)))
        throw InputError(
            fmt::format("the surface encloses no volume ({} triangles, {} open edges); a solid "
                        "needs a closed surface",
                        s.found.duplicates + s.mesh.n_triangles(), s.found.open_edges));
}

}  // namespace

ClosedSurface close_surface(const TriMesh& surface) {
    if (surface.triangles.empty()) throw InputError("the surface has no triangles");
    for (const Vec3d& p : surface.nodes)
        if (!is_finite(p)) throw InputError("the surface has a node that is not finite");
    ClosedSurface s;
    s.mesh = welded(surface);
    s.found = inspect(s.mesh);
    if (!(s.found.area > 0))
        throw InputError(fmt::format("none of the surface's {} triangles has an area",
                                     surface.triangles.size()));

    if (const Index n = s.found.duplicates > 0 ? drop_duplicates(s.mesh) : 0; n > 0)
        s.remarks.push_back(fmt::format("{} repeated triangles were left out", n));
    if (const Index n = s.found.misoriented_edges > 0 ? agree_on_orientation(s.mesh) : 0; n > 0)
        s.remarks.push_back(
            fmt::format("{} triangles were turned to agree with their neighbours", n));
    if (s.found.nonmanifold_edges > 0)
        s.remarks.push_back(
            fmt::format("{} edges are shared by more than two triangles; the winding number "
                        "decides what is inside there",
                        s.found.nonmanifold_edges));
    close_holes(s);
    s.volume = signed_volume(s.mesh);
    refuse_hopeless(s);
    if (s.n_holes > 0)
        s.remarks.push_back(
            fmt::format("{} hole{} with {} open edges {} closed by fans of triangles, {:.2g} % of "
                        "the area",
                        s.n_holes, s.n_holes == 1 ? "" : "s", s.found.open_edges,
                        s.n_holes == 1 ? "was" : "were", 100 * s.hole_area / s.found.area));
    if (s.volume < 0) {
        s.mesh = turned(std::move(s.mesh));
        s.volume = -s.volume;
        s.remarks.push_back("the surface was inside out and was turned");
    }
    return s;
}

}  // namespace limber

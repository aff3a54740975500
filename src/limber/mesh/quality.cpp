// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include "limber/core/errors.h"

namespace limber {

namespace {

// Rounding alone gives four points of one plane about 1e-16 of the cube of their longest edge.
constexpr double flat_ratio = 1e-14;
constexpr double sliver_ratio = 1e-12;  // of the mean volume
constexpr std::size_t max_listed = 10;  // ids in a message

double volume_of(const TetMesh& mesh, const Tet& t) {
    return tet_volume(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]);
}

double longest_edge(const TetMesh& mesh, const Tet& t) {
    double longest = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            longest = std::max(longest, squared_norm(mesh.nodes[t[i]] - mesh.nodes[t[j]]));
    return std::sqrt(longest);
}

/// "3, 7, 12" or "3, 7, ..., (214 in all)".
std::string listed(const std::vector<Index>& found, const std::vector<FileId>& ids) {
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), max_listed); ++i)
        text += (i ? ", " : "") + std::to_string(ids[found[i]]);
    if (found.size() > max_listed) text += fmt::format(", ... ({} in all)", found.size());
    return text;
}

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
    Index count() {
        Index n = 0;
        for (Index i = 0; i < static_cast<Index>(parent_.size()); ++i) n += root(i) == i;
        return n;
    }

  private:
    std::vector<Index> parent_;
};

class Repair {
  public:
    Repair(TetMesh& mesh, const std::string& file, const MeshCheck& check)
        : mesh_(mesh), file_(file), check_(check) {}

    MeshReport run() {
        if (mesh_.tets.empty()) fail("no tetrahedra in mesh");
        require_distinct_nodes();
        leave_out_unused_nodes();
        require_representable_volumes();
        turn_inverted_tets();
        measure();
        require_single_tets();
        check_faces();
        warn_of_nodes_at_one_place();
        return std::move(report_);
    }

  private:
    [[noreturn]] void fail(const std::string& message) const { throw InputError({file_}, message); }
    void warn(std::string text) { report_.warnings.push_back(std::move(text)); }
    FileId tet_id(Index tet) const { return mesh_.tet_ids[tet]; }

    void require_distinct_nodes() const {
        for (Index i = 0; i < mesh_.n_tets(); ++i) {
            Tet t = mesh_.tets[i];
            std::sort(t.begin(), t.end());
            const auto twice = std::adjacent_find(t.begin(), t.end());
            if (twice != t.end())
                fail(
                    fmt::format("element {} uses node {} twice; a tetrahedron has four different "
                                "nodes",
                                tet_id(i), mesh_.node_ids[*twice]));
        }
    }

    void leave_out_unused_nodes();
    void require_representable_volumes() const;
    void turn_inverted_tets();
    void measure();
    void measure_angles();
    void require_single_tets() const;
    void check_faces();
    void warn_of_nodes_at_one_place();

    TetMesh& mesh_;
    const std::string& file_;
    const MeshCheck& check_;
    MeshReport report_;
};

void Repair::leave_out_unused_nodes() {
    std::vector<Index> new_index(mesh_.nodes.size(), -1);
    for (const Tet& tet : mesh_.tets)
        for (Index node : tet) new_index[node] = 0;
    std::vector<Index> unused;
    Index n = 0;
    for (Index i = 0; i < mesh_.n_nodes(); ++i) {
        if (new_index[i] < 0) {
            unused.push_back(i);
            continue;
        }
        mesh_.nodes[n] = mesh_.nodes[i];
        new_index[i] = n++;
    }
    if (unused.empty()) return;

    report_.n_unused = static_cast<Index>(unused.size());
    warn(fmt::format("{} nodes belong to no tetrahedron and are left out: node {}", unused.size(),
                     listed(unused, mesh_.node_ids)));
    for (std::size_t i = 0; i < new_index.size(); ++i)
        if (new_index[i] >= 0) mesh_.node_ids[new_index[i]] = mesh_.node_ids[i];
    mesh_.nodes.resize(static_cast<std::size_t>(n));
    mesh_.node_ids.resize(static_cast<std::size_t>(n));
    for (Tet& tet : mesh_.tets)
        for (Index& node : tet) node = new_index[node];
    for (auto& [name, nodes] : mesh_.node_groups) {
        std::erase_if(nodes, [&](Index node) { return new_index[node] < 0; });
        for (Index& node : nodes) node = new_index[node];
    }
}

/// A volume is a product of three lengths, so that coordinates far inside the range of a double
/// can still give volumes outside it; and far from the origin the digits are spent on the offset.
void Repair::require_representable_volumes() const {
    const Box3 box = bounding_box(mesh_.nodes);
    const Vec3d size = box.size();
    const double extent = std::max({size.x, size.y, size.z});
    double farthest = 0;
    for (int axis = 0; axis < 3; ++axis)
        farthest = std::max({farthest, std::fabs(box.lo[axis]), std::fabs(box.hi[axis])});
    const double cell = extent / std::cbrt(mesh_.tets.size());
    const double cell_volume = cell * cell * cell;
    const bool in_range = std::isfinite(extent * extent * extent) &&
                          cell_volume * flat_ratio > std::numeric_limits<double>::min();
    const bool resolved = farthest * std::numeric_limits<double>::epsilon() < 1e-3 * cell;
    if (!in_range || !resolved)
        fail(
            fmt::format("coordinates from ({}, {}, {}) to ({}, {}, {}): volume not representable; "
                        "scale the mesh or move it to the origin",
                        box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z));
}

void Repair::turn_inverted_tets() {
    std::vector<Index> turned;
    for (Index i = 0; i < mesh_.n_tets(); ++i) {
        Tet& tet = mesh_.tets[i];
        const double volume = volume_of(mesh_, tet), longest = longest_edge(mesh_, tet);
        if (!(std::fabs(volume) > flat_ratio * longest * longest * longest))
            fail(
                fmt::format("element {} has zero volume ({:.3g}, longest edge {:.3g}); a "
                            "tetrahedron must not be flat",
                            tet_id(i), volume, longest));
        if (volume < 0) {
            std::swap(tet[2], tet[3]);
            turned.push_back(i);
        }
    }
    report_.n_reoriented = static_cast<Index>(turned.size());
    if (turned.empty()) return;
    const bool all = turned.size() == mesh_.tets.size();
    const std::string what =
        fmt::format("{}{} tetrahedra are inside out", all ? "all " : "", turned.size());
    const std::string which = all ? "" : ": element " + listed(turned, mesh_.tet_ids);
    if (check_.strict) fail(what + which + "; allowed: det[b-a, c-a, d-a] > 0");
    warn(what + " and were turned" + which);
}

void Repair::measure() {
    report_.n_nodes = mesh_.n_nodes();
    report_.n_tets = mesh_.n_tets();
    report_.box = bounding_box(mesh_.nodes);
    report_.min_volume = std::numeric_limits<double>::infinity();
    for (const Tet& tet : mesh_.tets) {
        const double volume = volume_of(mesh_, tet);
        report_.volume += volume;
        report_.min_volume = std::min(report_.min_volume, volume);
    }
    report_.mean_volume = report_.volume / report_.n_tets;
    measure_angles();

    std::vector<Index> slivers;
    for (Index i = 0; i < mesh_.n_tets(); ++i)
        if (volume_of(mesh_, mesh_.tets[i]) < sliver_ratio * report_.mean_volume)
            slivers.push_back(i);
    report_.n_slivers = static_cast<Index>(slivers.size());
    if (!slivers.empty())
        warn(
            fmt::format("{} tetrahedra are below 1e-12 of the mean volume, the smallest {:.3g} of "
                        "it: element {}",
                        slivers.size(), report_.min_volume / report_.mean_volume,
                        listed(slivers, mesh_.tet_ids)));
}

void Repair::measure_angles() {
    double largest_cos = -1, smallest_cos = 1;
    for (const auto& [a, b, c, d] : mesh_.tets) {
        const Vec3d &p = mesh_.nodes[a], &q = mesh_.nodes[b], &r = mesh_.nodes[c],
                    &s = mesh_.nodes[d];
        Vec3d normal[4] = {cross(r - q, s - q), cross(s - p, r - p), cross(q - p, s - p),
                           cross(r - p, q - p)};  // outward, face k opposite corner k
        for (Vec3d& n : normal) n *= 1 / norm(n);
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j) {
                const double cosine = -dot(normal[i], normal[j]);
                largest_cos = std::max(largest_cos, cosine);
                smallest_cos = std::min(smallest_cos, cosine);
            }
    }
    const auto degrees = [](double cosine) {
        return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    };
    report_.min_dihedral = degrees(largest_cos);
    report_.max_dihedral = degrees(smallest_cos);
}

void Repair::require_single_tets() const {
    std::vector<std::pair<Tet, Index>> sorted;
    sorted.reserve(mesh_.tets.size());
    for (Index i = 0; i < mesh_.n_tets(); ++i) {
        sorted.emplace_back(mesh_.tets[i], i);
        std::sort(sorted.back().first.begin(), sorted.back().first.end());
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].first == sorted[i - 1].first)
            fail(fmt::format("elements {} and {} are the same tetrahedron; each may be given once",
                             tet_id(sorted[i - 1].second), tet_id(sorted[i].second)));
}

void Repair::check_faces() {
    const std::vector<FaceUse> uses = face_uses(mesh_.tets);
    Sets by_face(mesh_.n_tets()), by_node(mesh_.n_nodes());
    std::vector<Index> folded;
    for (std::size_t i = 1; i < uses.size(); ++i) {
        const FaceUse &a = uses[i - 1], &b = uses[i];
        if (a.nodes != b.nodes) continue;
        const auto& [p, q, r] = a.nodes;
        if (i + 1 < uses.size() && uses[i + 1].nodes == a.nodes)
            fail(
                fmt::format("face ({}, {}, {}) is shared by elements {}, {} and {}; a face has at "
                            "most two tetrahedra",
                            mesh_.node_ids[p], mesh_.node_ids[q], mesh_.node_ids[r], tet_id(a.tet),
                            tet_id(b.tet), tet_id(uses[i + 1].tet)));
        by_face.join(a.tet, b.tet);
        const auto side = [&](const FaceUse& use) {
            return tet_volume(mesh_.nodes[p], mesh_.nodes[q], mesh_.nodes[r],
                              mesh_.nodes[mesh_.tets[use.tet][use.face]]) > 0;
        };
        if (side(a) == side(b)) folded.push_back(b.tet);
    }
    if (!folded.empty())
        warn(
            fmt::format("{} tetrahedra overlap the neighbour behind one of their faces: element "
                        "{}",
                        folded.size(), listed(folded, mesh_.tet_ids)));

    for (const Tet& tet : mesh_.tets)
        for (int k = 1; k < 4; ++k) by_node.join(tet[0], tet[k]);
    report_.n_parts = by_node.count();
    const Index n_solid = by_face.count();
    if (n_solid > report_.n_parts)
        warn(fmt::format("hinge: {} solid pieces touch only in nodes or edges and form {} parts",
                         n_solid, report_.n_parts));
}

void Repair::warn_of_nodes_at_one_place() {
    std::vector<Index> order(mesh_.nodes.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index i) {
        const Vec3d& p = mesh_.nodes[i];
        return std::tuple(p.x, p.y, p.z, i);
    };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
    std::vector<Index> twice;
    for (std::size_t i = 1; i < order.size(); ++i)
        if (mesh_.nodes[order[i]] == mesh_.nodes[order[i - 1]]) {
            if (twice.empty() || twice.back() != order[i - 1]) twice.push_back(order[i - 1]);
            twice.push_back(order[i]);
        }
    if (!twice.empty())
        warn(fmt::format("{} nodes share their place with another: node {}", twice.size(),
                         listed(twice, mesh_.node_ids)));
}

}  // namespace

MeshReport repair_mesh(TetMesh& mesh, const std::string& file, const MeshCheck& check) {
    return Repair(mesh, file, check).run();
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "limber/core/parallel.h"
#include "limber/mesh/stuffing/stuffing.h"

namespace limber {

namespace {

constexpr Index measure_grain = 4096;  // tets a chunk

/// The angle between two faces has the cosine of their outward normals' product with the sign
/// turned; the extremes of the cosine are kept, so that one acos a mesh is enough.
void extend_by_tet(const Vec3d (&x)[4], double& largest_cosine, double& smallest_cosine) {
    const Vec3d a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    const Vec3d normals[4] = {cross(c - a, b - a), cross(b, c), cross(c, a), cross(a, b)};
    double length[4];
    for (int k = 0; k < 4; ++k) length[k] = norm(normals[k]);
    for (int k = 0; k < 4; ++k)
        for (int l = k + 1; l < 4; ++l) {
            const double cosine = -dot(normals[k], normals[l]) / (length[k] * length[l]);
            largest_cosine = std::max(largest_cosine, cosine);
            smallest_cosine = std::min(smallest_cosine, cosine);
        }
}

}  // namespace

DihedralRange dihedral_range(const TetMesh& mesh) {
    const Index n_chunks = (mesh.n_tets() + measure_grain - 1) / measure_grain;
    std::vector<double> largest(n_chunks, -1), smallest(n_chunks, 1);
    parallel_ranges(mesh.n_tets(), measure_grain, [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Tet& tet = mesh.tets[t];
            const Vec3d x[4] = {mesh.nodes[tet[0]], mesh.nodes[tet[1]], mesh.nodes[tet[2]],
                                mesh.nodes[tet[3]]};
            extend_by_tet(x, largest[begin / measure_grain], smallest[begin / measure_grain]);
        }
    });
    if (n_chunks == 0) return {};
    const auto degrees = [](double cosine) {
        return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    };
    return {degrees(*std::max_element(largest.begin(), largest.end())),
            degrees(*std::min_element(smallest.begin(), smallest.end()))};
}

double mesh_volume(const TetMesh& mesh) {
    std::vector<double> partial((mesh.n_tets() + measure_grain - 1) / measure_grain);
    return parallel_sum<double>(mesh.n_tets(), measure_grain, partial, [&](Index begin, Index end) {
        double sum = 0;
        for (Index t = begin; t < end; ++t) {
            const auto& [a, b, c, d] = mesh.tets[t];
            sum += tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
        }
        return sum;
    });
}

std::vector<Index> tet_parts(const TetMesh& mesh) {
    std::vector<Index> parent(mesh.nodes.size());
    std::iota(parent.begin(), parent.end(), Index{0});
    const auto find = [&](Index i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (const Tet& tet : mesh.tets)
        for (int k = 1; k < 4; ++k) {
            const Index a = find(tet[0]), b = find(tet[k]);
            if (a != b) parent[std::max(a, b)] = std::min(a, b);
        }
    std::vector<Index> number(mesh.nodes.size(), -1), part(mesh.tets.size());
    Index n = 0;
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        const Index root = find(mesh.tets[t][0]);
        if (number[root] < 0) number[root] = n++;
        part[t] = number[root];
    }
    return part;
}

Index drop_fragments(TetMesh& mesh, double share) {
    const std::vector<Index> part = tet_parts(mesh);
    if (part.empty()) return 0;
    std::vector<double> volume(*std::max_element(part.begin(), part.end()) + 1, 0);
    for (Index t = 0; t < mesh.n_tets(); ++t) {
        const auto& [a, b, c, d] = mesh.tets[t];
        volume[part[t]] += tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
    }
    // The largest part stays in any case.
    const double least = std::min(share * std::accumulate(volume.begin(), volume.end(), 0.0),
                                  *std::max_element(volume.begin(), volume.end()));
    const auto n_small =
        std::count_if(volume.begin(), volume.end(), [&](double v) { return v < least; });
    if (n_small == 0) return 0;

    std::vector<char> used(mesh.nodes.size(), 0);
    std::size_t n_tets = 0;
    for (Index t = 0; t < static_cast<Index>(part.size()); ++t) {
        if (volume[part[t]] < least) continue;
        for (Index node : mesh.tets[t]) used[node] = 1;
        mesh.tets[n_tets++] = mesh.tets[t];
    }
    mesh.tets.resize(n_tets);
    std::vector<Index> renumbered(mesh.nodes.size(), -1);
    Index n_nodes = 0;
    for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
        if (used[i]) {
            mesh.nodes[n_nodes] = mesh.nodes[i];
            renumbered[i] = n_nodes++;
        }
    mesh.nodes.resize(n_nodes);
    for (Tet& tet : mesh.tets)
        for (Index& node : tet) node = renumbered[node];
    mesh.node_ids.resize(n_nodes);  // both count from 0
    mesh.tet_ids.resize(n_tets);
    return static_cast<Index>(n_small);
}

}  // namespace limber

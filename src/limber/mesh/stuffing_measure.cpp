// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "limber/core/parallel.h"
#include "limber/mesh/stuffing.h"

namespace limber {

namespace {

constexpr Index grain = 4096;  // tets a chunk

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
    const Index n_chunks = (mesh.n_tets() + grain - 1) / grain;
    std::vector<double> largest(n_chunks, -1), smallest(n_chunks, 1);
    parallel_ranges(mesh.n_tets(), grain, [&](Index begin, Index end) {
        for (Index t = begin; t < end; ++t) {
            const Tet& tet = mesh.tets[t];
            const Vec3d x[4] = {mesh.nodes[tet[0]], mesh.nodes[tet[1]], mesh.nodes[tet[2]],
                                mesh.nodes[tet[3]]};
            extend_by_tet(x, largest[begin / grain], smallest[begin / grain]);
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
    std::vector<double> partial((mesh.n_tets() + grain - 1) / grain);
    return parallel_sum<double>(mesh.n_tets(), grain, partial, [&](Index begin, Index end) {
        double sum = 0;
        for (Index t = begin; t < end; ++t) {
            const auto& [a, b, c, d] = mesh.tets[t];
            sum += tet_volume(mesh.nodes[a], mesh.nodes[b], mesh.nodes[c], mesh.nodes[d]);
        }
        return sum;
    });
}

Index count_parts(const TetMesh& mesh) {
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
    Index n = 0;
    for (Index i = 0; i < mesh.n_nodes(); ++i) n += parent[i] == i;
    return n;
}

}  // namespace limber

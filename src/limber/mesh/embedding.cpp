// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/embedding.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/mesh/triangle_bvh.h"

namespace limber {

namespace {

using Weights = std::array<double, 4>;
constexpr Index embedding_grain = 256;

/// Barycentric coordinates of p: volumes of the tets with p in place of a corner, over the whole.
Weights barycentric(const TetMesh& mesh, const Tet& tet, const Vec3d& p) {
    const Vec3d &a = mesh.nodes[tet[0]], &b = mesh.nodes[tet[1]], &c = mesh.nodes[tet[2]],
                &d = mesh.nodes[tet[3]];
    const double volume = tet_volume(a, b, c, d);
    Weights w{0, tet_volume(a, p, c, d) / volume, tet_volume(a, b, p, d) / volume,
              tet_volume(a, b, c, p) / volume};
    w[0] = 1 - w[1] - w[2] - w[3];
    return w;
}

Box3 box_of(const TetMesh& mesh, const Tet& tet) {
    Box3 box{mesh.nodes[tet[0]], mesh.nodes[tet[0]]};
    for (Index node : tet)
        for (int i = 0; i < 3; ++i) {
            box.lo[i] = std::min(box.lo[i], mesh.nodes[node][i]);
            box.hi[i] = std::max(box.hi[i], mesh.nodes[node][i]);
        }
    return box;
}

/// Boxes of equal size, each with the tets whose bounding boxes meet it, in ascending order.
class TetGrid {
  public:
    explicit TetGrid(const TetMesh& mesh) : mesh_(mesh), box_(bounding_box(mesh.nodes)) {
        Vec3d mean{};
        for (const Tet& tet : mesh.tets) mean += (1.0 / mesh.n_tets()) * box_of(mesh, tet).size();
        // As large as a tet, but no more boxes than eight times the tets (thin, slanted shapes).
        double size = std::max({mean.x, mean.y, mean.z});
        const Vec3d extent = box_.size();
        const auto boxes = [&] {
            double n = 1;
            for (int i = 0; i < 3; ++i) n *= std::floor(extent[i] / size) + 1;
            return n;
        };
        while (boxes() > 8.0 * mesh.n_tets() + 64) size *= 1.26;
        size_ = size;
        for (int i = 0; i < 3; ++i) n_[i] = static_cast<Index>(extent[i] / size) + 1;
        fill();
    }

    /// The tet that holds p, the lowest index of several; -1 where there is none.
    Index find(const Vec3d& p, Weights& weights) const {
        // On a shared face rounding may put a point outside of both tets.
        constexpr double slack = 1e-10;
        for (int i = 0; i < 3; ++i)
            if (p[i] < box_.lo[i] - slack * size_ || p[i] > box_.hi[i] + slack * size_) return -1;
        const Index cell = index(at(p.x, 0), at(p.y, 1), at(p.z, 2));
        for (Index k = begin_[cell]; k < begin_[cell + 1]; ++k) {
            const Weights w = barycentric(mesh_, mesh_.tets[tet_[k]], p);
            if (*std::min_element(w.begin(), w.end()) < -slack) continue;
            weights = w;
            return tet_[k];
        }
        return -1;
    }

  private:
    Index at(double x, int axis) const {
        const double k = std::floor((x - box_.lo[axis]) / size_);
        return static_cast<Index>(std::clamp(k, 0.0, double(n_[axis] - 1)));
    }
    Index index(Index i, Index j, Index k) const { return (i * n_[1] + j) * n_[2] + k; }
    template <class F>
    void for_cells(const Tet& tet, F f) const {
        const Box3 b = box_of(mesh_, tet);
        for (Index i = at(b.lo.x, 0); i <= at(b.hi.x, 0); ++i)
            for (Index j = at(b.lo.y, 1); j <= at(b.hi.y, 1); ++j)
                for (Index k = at(b.lo.z, 2); k <= at(b.hi.z, 2); ++k) f(index(i, j, k));
    }
    void fill() {
        begin_.assign(static_cast<std::size_t>(n_[0]) * n_[1] * n_[2] + 1, 0);
        for (const Tet& tet : mesh_.tets) for_cells(tet, [&](Index cell) { ++begin_[cell + 1]; });
        for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
        tet_.resize(begin_.back());
        std::vector<Index> next(begin_.begin(), begin_.end() - 1);
        for (Index t = 0; t < mesh_.n_tets(); ++t)
            for_cells(mesh_.tets[t], [&](Index cell) { tet_[next[cell]++] = t; });
    }

    const TetMesh& mesh_;
    Box3 box_;
    double size_ = 0;
    std::array<Index, 3> n_{};
    std::vector<Index> begin_, tet_;
};

/// Boundary faces and the tets behind them.
struct Boundary {
    TriMesh surface;
    std::vector<Index> tet;
};
Boundary boundary_of(const TetMesh& mesh) {
    const std::vector<FaceUse> uses = face_uses(mesh.tets);
    Boundary out;
    out.surface.nodes = mesh.nodes;
    for (std::size_t i = 0; i < uses.size();) {
        std::size_t end = i + 1;
        while (end < uses.size() && uses[end].nodes == uses[i].nodes) ++end;
        if (end == i + 1) {
            out.surface.triangles.push_back(uses[i].nodes);
            out.tet.push_back(uses[i].tet);
        }
        i = end;
    }
    return out;
}

}  // namespace

Embedding embed(const TetMesh& mesh, std::span<const Vec3d> points) {
    LIMBER_CHECK(mesh.n_tets() > 0, "points need tets to ride on");
    const TetGrid grid(mesh);
    const Boundary boundary = boundary_of(mesh);
    const TriangleBvh tree(boundary.surface);
    const auto n = static_cast<Index>(points.size());
    Embedding out;
    out.corners.resize(points.size());
    out.weights.resize(points.size());
    std::vector<double> away(points.size(), -1);  // < 0: inside
    parallel_for(n, embedding_grain, [&](Index i) {
        Index tet = grid.find(points[i], out.weights[i]);
        if (tet < 0) {
            const TriangleBvh::Closest hit = tree.closest(points[i]);
            tet = boundary.tet[hit.triangle];
            away[i] = hit.distance;
            out.weights[i] = barycentric(mesh, mesh.tets[tet], points[i]);
        }
        out.corners[i] = mesh.tets[tet];
    });
    for (double distance : away) {
        out.n_outside += distance >= 0;
        out.farthest = std::max(out.farthest, distance);
    }
    return out;
}

void carry(const Embedding& embedding, std::span<const Vec3d> nodes, std::span<Vec3d> points) {
    LIMBER_CHECK(points.size() == embedding.corners.size(), "one position a point");
    parallel_for(embedding.n_points(), 1024, [&](Index i) {
        Vec3d x{};
        for (int k = 0; k < 4; ++k) x += embedding.weights[i][k] * nodes[embedding.corners[i][k]];
        points[i] = x;
    });
}

}  // namespace limber

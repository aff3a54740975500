// SPDX-License-Identifier: Apache-2.0
#pragma once

// A closed triangle surface whose nodes live in someone else's array and move: the boundary of a
// body, or a mesh obstacle.

#include <span>
#include <vector>

#include "limber/mesh/box_tree.h"
#include "limber/mesh/proximity.h"

namespace limber {

/// Where nodes are s seconds after the start of a step, in a frame that moves with `frame`.
struct MovingPoints {
    std::span<const Vec3d> x, v;  // [m], [m/s]
    Vec3d frame{0, 0, 0};         // [m/s]

    Vec3d at(Index i, double s) const { return s == 0 ? x[i] : x[i] + s * (v[i] - frame); }
};

class Surface {
  public:
    struct Edge {
        Index a = 0, b = 0;           // nodes, a < b
        Index left = -1, right = -1;  // triangles that run a -> b and b -> a
        bool plain = false;           // exactly these two: a surface may branch where tets meet
    };
    struct Nearest {
        Index triangle = -1;  // -1: nothing within the limit
        TrianglePoint at;
        double distance = 0;  // [m], not signed
    };

    /// `x`: the positions that shape the tree.
    void build(std::span<const Triangle> triangles, std::span<const Vec3d> x);
    /// Boxes that hold the triangles from the start of a step until h later, in the frame of p.
    void refit(const MovingPoints& p, double h);

    /// The nearest point of the surface as it is at time s, among triangles that `accept` takes;
    /// within `limit`, inside or outside.
    template <class Accept>
    Nearest nearest(const MovingPoints& p, const Vec3d& point, double s, double limit,
                    Accept&& accept) const {
        Nearest best;
        double squared = limit * limit;
        tree_.nearest(point, squared, [&](Index k) {
            const Index t = tree_.items()[k];
            if (!accept(t)) return;
            const auto& [a, b, c] = triangles_[t];
            const TrianglePoint q = nearest_on_triangle(point, p.at(a, s), p.at(b, s), p.at(c, s));
            const double d = squared_norm(point - q.point);
            if (!(d < squared)) return;
            squared = d;
            best.triangle = t;
            best.at = q;
        });
        best.distance = std::sqrt(squared);
        return best;
    }
    Nearest nearest(const MovingPoints& p, const Vec3d& point, double s, double limit) const {
        return nearest(p, point, s, limit, [](Index) { return true; });
    }
    template <class F>
    void triangles_near(const Box3& box, F&& f) const {
        tree_.overlapping(box, f);
    }
    /// Calls f(node) or f(edge) once for each that has a triangle near `box` at any time of the
    /// step, in tree order.
    template <class F>
    void nodes_near(const Box3& box, F&& f) const {
        tree_.overlapping(box, [&](Index t) {
            for (Index node : triangles_[t])
                if (triangles_of(node).front() == t) f(node);
        });
    }
    template <class F>
    void edges_near(const Box3& box, F&& f) const {
        tree_.overlapping(box, [&](Index t) {
            for (Index e : triangle_edges_[t])
                if (edges_[e].left == t) f(e);
        });
    }

    /// Whether a ray along an axis leaves the surface an odd number of times, at the start of the
    /// step. Quick, and wrong where the ray meets an edge: a guess to be confirmed.
    bool encloses(const MovingPoints& p, const Vec3d& place) const;
    /// Outward, of length twice the area.  [m²]
    Vec3d area_normal(const MovingPoints& p, Index triangle, double s = 0) const;
    /// Angle-weighted normal of the corner, edge or face on which the point lies, not normalised:
    /// its side tells inside from outside (Bærentzen & Aanæs 2005, Theorem 1).
    Vec3d pseudonormal(const MovingPoints& p, const Nearest& near) const;
    Vec3d node_normal(const MovingPoints& p, Index node) const;
    /// Of the triangles within `limit` of a point, the one whose normal points most along `way`, as
    /// they are at the start of the step.
    Nearest facing(const MovingPoints& p, const Vec3d& point, double limit, const Vec3d& way) const;

    std::span<const Triangle> triangles() const { return triangles_; }
    std::span<const Edge> edges() const { return edges_; }
    std::span<const Index> nodes() const { return nodes_; }  // ascending
    Box3 box() const { return tree_.box(); }                 // as refitted

  private:
    std::span<const Index> triangles_of(Index node) const {
        const Index i = node - first_node_;
        return {incident_.data() + begin_[i], incident_.data() + begin_[i + 1]};
    }

    std::vector<Triangle> triangles_;  // outward
    std::vector<Edge> edges_;
    std::vector<std::array<Index, 3>> triangle_edges_;  // from corner k to corner k + 1
    std::vector<Index> nodes_;
    Index first_node_ = 0;
    std::vector<Index> begin_, incident_;  // triangles of node first_node_ + i
    BoxTree tree_;
};

}  // namespace limber

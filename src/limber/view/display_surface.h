// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/solve/model.h"

namespace limber {

/// A point of a drawn triangle: what the mouse hit.
struct SurfacePick {
    Index triangle = 0;  // of DisplaySurface
    Vec3d weight{1, 0, 0};
};

/// What the page draws of a model: the skin of each body, or else its boundary, in one numbering.
/// Borrows the model.
class DisplaySurface {
  public:
    struct Part {
        std::string name;  // of the body
        Index vertex_begin = 0, vertex_end = 0;
        Index triangle_begin = 0, triangle_end = 0;
        bool skin = false;
    };
    explicit DisplaySurface(const Model& model);

    Index n_vertices() const { return parts_.empty() ? 0 : parts_.back().vertex_end; }
    const std::vector<Part>& parts() const { return parts_; }
    const std::vector<Triangle>& triangles() const { return triangles_; }  // vertex numbers

    /// Positions at the nodes to three floats a vertex.
    void positions(std::span<const Vec3d> x, std::span<float> out) const;
    /// One value a node to one a vertex.
    void values(std::span<const double> at_node, std::span<float> out) const;

    /// The nodes that a force on the picked point acts on: exact on a boundary; on a skin the tet
    /// that carries the nearest of the triangle's corners.
    ContactStencil stencil(const SurfacePick& pick) const;
    /// The node that is nearest to the picked point in weight.
    Index node(const SurfacePick& pick) const;

  private:
    const Model& model_;
    std::vector<Part> parts_;
    std::vector<Triangle> triangles_;
    std::vector<Index> node_;  // of a vertex of a boundary; -1 on a skin
};

}  // namespace limber

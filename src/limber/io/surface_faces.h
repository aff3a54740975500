// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/io/mesh_builder.h"

namespace limber {

/// Adds the faces of a surface file, numbered from 1, whatever their number of corners.
class SurfaceFaces {
  public:
    explicit SurfaceFaces(MeshBuilder& builder) : builder_(builder) {}
    void add(std::span<const FileId> nodes, std::int64_t where) {
        const char* kind = nodes.size() == 3   ? "triangles"
                           : nodes.size() == 4 ? "quadrangles"
                                               : "polygons";
        builder_.add_other_cell(++n_, 2, kind, nodes, {}, where);
        if (nodes.size() > 4) builder_.add_face(n_, nodes, where);
    }

  private:
    MeshBuilder& builder_;
    FileId n_ = 0;
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies that are only surfaces with masses: what detection and the penalty terms need.

#include <gtest/gtest.h>

#include <vector>

#include "limber/contact/methods/penalty.h"
#include "limber/mesh/shapes.h"

namespace limber {

struct Bodies {
    std::vector<Vec3d> x, v, rest;
    std::vector<double> mass;
    std::vector<std::vector<Triangle>> triangles;
    std::vector<std::vector<Index>> nodes;
    std::vector<Index> surface_nodes;
    std::vector<ContactSurface> surfaces;
    std::vector<Obstacle> obstacles;
    double h = 1.0 / 240, time = 0;
    ContactSet set;

    /// The index of its first node.
    Index add(const TetMesh& mesh, const Vec3d& at, const Vec3d& velocity = {}, double m = 0.2,
              const Mat3d& turn = Mat3d::identity()) {
        const Index first = static_cast<Index>(x.size());
        std::vector<Triangle> faces = boundary_triangles(mesh.tets);
        for (Triangle& t : faces)
            for (Index& i : t) i += first;
        for (const Vec3d& p : mesh.nodes) {
            x.push_back(turn * p + at);
            v.push_back(velocity);
            mass.push_back(m);
        }
        triangles.push_back(faces);
        nodes.push_back(nodes_of(faces));
        surface_nodes.insert(surface_nodes.end(), nodes.back().begin(), nodes.back().end());
        surfaces.clear();
        for (std::size_t b = 0; b < nodes.size(); ++b) surfaces.push_back({triangles[b], nodes[b]});
        rest = x;
        return first;
    }
    ContactInput input() const {
        return {x, v, surface_nodes, obstacles, mass, time, h, surfaces, rest};
    }
    const ContactSet& find(const BodyContactOptions& options = {}) {
        BodyContacts finder;
        return find(finder, options);
    }
    const ContactSet& find(BodyContacts& finder, const BodyContactOptions& options = {}) {
        set.contacts.clear();
        set.max_penetration = 0;
        finder.find(input(), options, set);
        return set;
    }
    int count(Index kind) const {
        int n = 0;
        for (const Contact& c : set.contacts) n += c.key.kind == kind;
        return n;
    }
};

/// A box of n cells along each axis, centred at the origin.
inline TetMesh cube(double size = 1, Index n = 1) {
    return make_box({size, size, size}, {n, n, n});
}

}  // namespace limber

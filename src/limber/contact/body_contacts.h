// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/contact/surface.h"

namespace limber {

struct BodyContactOptions {
    double thickness = 1e-3;  // contacts begin at this distance [m]
    double friction = 0.3;    // where a mesh obstacle has none of its own
    bool bodies = true;       // bodies against each other
    bool self = false;        // bodies against themselves
    bool arriving = true;     // also what comes within the thickness only in the course of the step
    bool faces = true;        // faces against obstacles, not their nodes alone
    bool sheets = true;       // sheets against sheets, as `bodies` and `self` say
};

/// Contacts of surfaces with surfaces: bodies with each other, with themselves and with mesh
/// obstacles.
///
/// Vertex against face: the nearest point of the other surface, one contact per vertex and
/// surface. A vertex inside is pushed out the nearest way. One that comes from outside is followed
/// along its path, relative to the moving surface, by steps that cannot miss it (sphere tracing,
/// Hart 1996). Where it hits, normal and face are those of the hit, so that it does not tunnel;
/// where it does not, those at the end of the step, so that a vertex that slides over an edge is
/// not pushed by the side it leaves. The gap is that of the start along this normal.
///
/// Edge against edge: convex edges whose nearest points lie inside both and whose common normal
/// lies between the face normals of both (where that fails, a vertex-face pair is nearer).
/// Edges so flat that no more than a quarter of the thickness stands out between the vertices are
/// left to the vertices, and so are crossings beside a vertex that is in contact itself.
///
/// Same bits for any number of threads; nothing is allocated once the numbers of contacts and of
/// things nearby have been reached before.
class BodyContacts {
  public:
    /// Appends to out.contacts and raises out.max_penetration.
    void find(const ContactInput& in, const BodyContactOptions& options, ContactSet& out);

  private:
    /// A surface that takes part.
    struct Side {
        Index body = -1, obstacle = -1;  // one of them
        MovingPoints points;             // frame: its mean velocity
        double spread = 0;               // largest difference of a node's velocity from it [m/s]
        Box3 box;                        // of the whole step, inflated by half the thickness
        double depth = 0;                // no point inside is deeper [m]
        double cell = 0;                 // mean edge length at rest [m]
        Index first_edge = 0;            // in the count through all surfaces
        Index first_corner = 0;          // of mesh obstacles, likewise
        bool wanted = false;             // near another
        bool open = false;               // a sheet: ContactSurface::open
    };
    struct Pair {
        Index a = 0, b = 0;   // sides, a <= b; equal: with itself
        Box3 region;          // where they can meet
        Index found[2] = {};  // contacts of a's vertices end, of b's vertices end
    };
    struct Query {
        Index pair = 0;
        bool turned = false;  // from b to a
        Index item = 0;       // node or edge of the side it comes from
    };
    struct MeshObstacle {
        std::vector<Vec3d> x, v;  // corners in the world at the start, and their mean velocity
        ObstaclePose start, end;
        bool fitted = false;
    };
    struct SharpEdge {
        Vec3d direction, left, right;  // from a to b; unit normals of its faces
        double length = 0;
    };

    void prepare(const ContactInput& in);
    void move_obstacles(const ContactInput& in);
    void bound(const ContactInput& in, const BodyContactOptions& o, Side& side, Surface& surface);
    void find_pairs(const ContactInput& in, const BodyContactOptions& o);
    void find_vertices(const ContactInput& in, const BodyContactOptions& o, ContactSet& out);
    void find_edges(const ContactInput& in, const BodyContactOptions& o, ContactSet& out);

    bool meet(const ContactInput& in, const BodyContactOptions& o, const Query& query, Contact& c,
              double& depth) const;
    bool follow(const ContactInput& in, Index to, const Vec3d& p, const Vec3d& velocity,
                double touching, Surface::Nearest& near, Vec3d& normal) const;
    bool nearer_its_back(const Side& A, const Side& B, Index node, const Vec3d& pseudo,
                         Surface::Nearest& near) const;
    bool far_at_rest(const ContactInput& in, const BodyContactOptions& o, Index side, Index node,
                     Index triangle) const;

    bool sharp(const Side& side, const Surface& surface, Index edge, double s, double thickness,
               SharpEdge& out) const;
    Index cross_edges(const ContactInput& in, const BodyContactOptions& o, const Query& query,
                      const ContactSet& set, Contact* out) const;
    bool cross(const ContactInput& in, const BodyContactOptions& o, const Pair& pair, Index ea,
               Index eb, const ContactSet& set, Contact& c) const;
    bool covered(const Pair& pair, Index ea, Index eb, const EdgePair& at, double gap,
                 const ContactSet& set) const;
    bool far_at_rest(const ContactInput& in, const BodyContactOptions& o, const Surface::Edge& a,
                     const Surface::Edge& b) const;
    void name(const ContactInput& in, const BodyContactOptions& o, const Side& from, const Side& to,
              Contact& c) const;

    std::vector<Surface> surfaces_;          // bodies, then mesh obstacles
    std::vector<Side> sides_;                // likewise
    std::vector<MeshObstacle> obstacles_;    // of the mesh obstacles
    std::vector<const Triangle*> built_of_;  // what surfaces_ were built from
    std::vector<Index> by_x_;                // sides by the lower end of their boxes
    std::vector<Pair> pairs_;
    Index begin_vertices_ = 0;  // contacts that were there before
    std::vector<Query> queries_;
    std::vector<std::uint8_t> found_;  // per query
    std::vector<Contact> slots_;       // per query
    std::vector<double> depth_;        // per chunk of queries [m]
    std::vector<Index> begin_;         // per edge query
};

}  // namespace limber

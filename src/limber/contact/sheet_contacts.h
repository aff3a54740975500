// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/contact/body_contacts.h"
#include "limber/contact/contact_method.h"
#include "limber/contact/surface.h"

namespace limber {

/// Contacts of sheets with themselves and with each other: nodes against faces, edges against
/// edges.
///
/// A sheet has no inside, so the side on which things are is the one on which they were: every pair
/// that could meet is followed along its path, relative to each other, by steps that cannot miss
/// (additive continuous detection, Li et al. 2021, Codimensional IPC, section 5), until a tenth of
/// its distance is left. Where that happens the normal is that of the place, else that of the end
/// of the step, unless things are on its wrong side at the start. Gaps are between the faces of
/// sheets that have a thickness, half of either from the middle; of pairs that are nearer than that
/// at rest, half of what they are there. Edges are left to the nodes beside them until they have
/// gone half of that into each other.
///
/// A node touches at most one face on either side of its sheet: the first that it meets, else the
/// nearest. Same bits for any number of threads.
class SheetContacts {
  public:
    struct Options {
        double alarm = 1e-3;     // contacts begin at this distance of the faces [m]
        double friction = 0.3;   //
        bool sheets = true;      // sheets against each other
        bool self = false;       // sheets against themselves
        bool every_edge = true;  // edges within the alarm distance; else those alone that
                                 // go into each other
    };
    /// Whether there is anything that find() could find.
    static bool any(const ContactInput& in, const Options& options);
    /// Appends to out.contacts.
    void find(const ContactInput& in, const Options& options, ContactSet& out);

  private:
    struct Sheet {
        Index body = 0;
        double half = 0;       // of its thickness [m]
        Index first_edge = 0;  // in the count through all sheets
        MovingPoints points;   // all in one frame
        Surface surface;
    };
    struct Query {
        Index from = 0, to = 0;  // sheets
        Index item = 0;          // node, or edge
    };
    /// Two things that move: where they are nearest, when they have met or the step ends.
    struct Approach {
        std::array<Index, 4> node{};
        std::array<double, 4> weight{};
        int n = 0;
        Vec3d normal;
        double gap = 0, end_gap = 0;  // at the start and at the end along the normal, less what is
                                      // kept [m]
        double when = 0;              // of the meeting [s]; the step where there is none
        bool meets = false;
    };
    void prepare(const ContactInput& in);
    bool wanted(const ContactInput& in, const Options& options, Index a, Index b) const;
    bool meet(const ContactInput& in, const std::array<Index, 4>& node, bool edges, double kept,
              double alarm, Approach& out) const;
    int meet_faces(const ContactInput& in, const Options& options, const Query& query,
                   Contact* out) const;
    int meet_edges(const ContactInput& in, const Options& options, const Query& query,
                   std::vector<Contact>& out) const;
    Contact contact_of(const Options& options, const Approach& a, Index from, Index to) const;

    std::vector<Sheet> sheets_;
    std::vector<const Triangle*> built_of_;
    std::vector<Query> queries_;
    std::vector<Contact> slots_;                // two a query
    std::vector<std::uint8_t> found_;           // per query
    std::vector<std::vector<Contact>> chunks_;  // of edges
};

}  // namespace limber

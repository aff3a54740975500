// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "limber/core/errors.h"
#include "limber/mesh/doctor/overlap.h"
#include "limber/mesh/doctor/repair.h"
#include "limber/mesh/doctor/text.h"

namespace limber {

namespace {

constexpr double sliver_ratio = 1e-12;  // of the mean volume

class Doctor {
  public:
    Doctor(TetMesh& mesh, const std::string& file, const MeshCheck& check)
        : mesh_(mesh), file_(file), check_(check) {}

    MeshReport run() {
        for (const std::string& text : check_.read_warnings)
            find({Severity::warning, "", text, 1, {}, {}});
        examine();
        finish();
        return std::move(report_);
    }

  private:
    void find(Diagnosis d) {
        if (d.severity == Severity::error && check_.refuse) throw InputError({file_}, d.text);
        report_.findings.push_back(std::move(d));
    }
    void find_elements(Severity severity, const char* code, std::string text,
                       std::span<const Index> tets) {
        find({severity,
              code,
              std::move(text),
              static_cast<std::int64_t>(tets.size()),
              first_ids(tets, mesh_.tet_ids),
              {}});
    }
    void find_nodes(Severity severity, const char* code, std::string text,
                    std::span<const Index> nodes) {
        find({severity,
              code,
              std::move(text),
              static_cast<std::int64_t>(nodes.size()),
              {},
              first_ids(nodes, mesh_.node_ids)});
    }

    void examine();
    void remark_on_ids();
    bool has_repeated_nodes();
    void leave_out_unused_nodes();
    bool has_bad_range();
    void turn_inverted_tets();
    void measure();
    void check_faces();
    void list_parts(const FaceTable& faces);
    void check_hinges(const FaceTable& faces);
    void check_overlaps(const FaceTable& faces);
    void check_places();
    void advise(const FaceTable& faces);
    void finish();

    TetMesh& mesh_;
    const std::string& file_;
    const MeshCheck& check_;
    MeshReport report_;
    std::vector<Index> flat_;  // ascending
    Index n_solid_ = 0;        // pieces connected over faces
};

void Doctor::examine() {
    report_.n_nodes = mesh_.n_nodes();
    report_.n_tets = mesh_.n_tets();
    if (mesh_.tets.empty())
        return find({Severity::error, "M20", "no tetrahedra in mesh", 0, {}, {}});
    remark_on_ids();
    if (has_repeated_nodes()) return;
    leave_out_unused_nodes();
    if (has_bad_range()) return;
    turn_inverted_tets();
    measure();
    check_faces();
    check_places();
}

void Doctor::remark_on_ids() {
    const std::vector<FileId>& ids = mesh_.node_ids;
    const auto [lo, hi] = std::minmax_element(ids.begin(), ids.end());
    // Ids are distinct; unsigned, as their range may exceed 63 bits.
    const bool sparse =
        static_cast<std::uint64_t>(*hi) - static_cast<std::uint64_t>(*lo) != ids.size() - 1;
    const bool sorted = std::is_sorted(ids.begin(), ids.end());
    if (!sparse && sorted) return;
    find({Severity::remark,
          "M06",
          fmt::format(
              "node ids from {} to {} {}: numbered anew inside, results keep the file's", *lo, *hi,
              sparse ? (sorted ? "have gaps" : "have gaps and are unsorted") : "are unsorted"),
          static_cast<std::int64_t>(ids.size()),
          {},
          {}});
}

bool Doctor::has_repeated_nodes() {
    std::vector<Index> found;
    Index node = -1;  // of the first
    for (Index i = 0; i < mesh_.n_tets(); ++i) {
        Tet t = mesh_.tets[i];
        std::sort(t.begin(), t.end());
        const auto twice = std::adjacent_find(t.begin(), t.end());
        if (twice == t.end()) continue;
        if (found.empty()) node = *twice;
        found.push_back(i);
    }
    if (found.empty()) return false;
    find_elements(Severity::error, "M07",
                  fmt::format("element {} uses node {} twice; a tetrahedron has four different "
                              "nodes{}",
                              mesh_.tet_ids[found[0]], mesh_.node_ids[node],
                              and_others(found, mesh_.tet_ids)),
                  found);
    return true;
}

void Doctor::leave_out_unused_nodes() {
    const std::vector<FileId> unused = limber::leave_out_unused_nodes(mesh_);
    if (unused.empty()) return;
    report_.n_unused = static_cast<Index>(unused.size());
    report_.n_nodes = mesh_.n_nodes();
    std::vector<Index> order(unused.size());
    std::iota(order.begin(), order.end(), Index{0});
    const bool one = unused.size() == 1;
    find({check_.strict ? Severity::warning : Severity::fixed,
          "M14",
          fmt::format("{} {} to no tetrahedron and {} left out: node {}",
                      plural(unused.size(), "node"), one ? "belongs" : "belong", one ? "is" : "are",
                      listed(order, unused)),
          report_.n_unused,
          {},
          first_ids(order, unused)});
}

bool Doctor::has_bad_range() {
    const Box3 box = report_.box = bounding_box(mesh_.nodes);
    if (volumes_are_representable(box, mesh_.n_tets())) return false;
    find({Severity::error,
          "M19",
          fmt::format("coordinates from ({}, {}, {}) to ({}, {}, {}): volume not representable; "
                      "scale the mesh or move it to the origin",
                      box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z),
          1,
          {},
          {}});
    return true;
}

void Doctor::turn_inverted_tets() {
    const Orientation found = limber::turn_inverted_tets(mesh_);
    flat_ = found.flat;
    if (!flat_.empty()) {
        const Tet& first = mesh_.tets[flat_[0]];
        find_elements(Severity::error, "M09",
                      fmt::format("element {} has zero volume ({:.3g}, longest edge {:.3g}); a "
                                  "tetrahedron must not be flat{}",
                                  mesh_.tet_ids[flat_[0]], volume_of(mesh_, first),
                                  longest_edge(mesh_, first), and_others(flat_, mesh_.tet_ids)),
                      flat_);
    }
    const std::vector<Index>& turned = found.turned;
    report_.n_reoriented = static_cast<Index>(turned.size());
    if (turned.empty()) return;
    const bool all = turned.size() == mesh_.tets.size(), one = turned.size() == 1;
    std::string what = tetrahedra(turned.size(), "is inside out", "are inside out");
    if (all) what = one ? "the only tetrahedron is inside out" : "all " + what;
    const std::string which = all ? "" : ": element " + listed(turned, mesh_.tet_ids);
    const char* code = all ? "M11" : "M12";
    if (check_.strict)
        find_elements(Severity::error, code, what + which + "; allowed: det[b-a, c-a, d-a] > 0",
                      turned);
    else
        find_elements(Severity::fixed, code,
                      what + (one ? " and was turned" : " and were turned") + which, turned);
}

void Doctor::measure() {
    report_.shapes = measure_shapes(mesh_, flat_, check_.material);
    const ShapeStatistics& s = report_.shapes;
    report_.volume = s.volume;
    report_.min_volume = s.min_volume;
    report_.mean_volume = s.volume / report_.n_tets;
    report_.min_dihedral = s.min_dihedral;
    report_.max_dihedral = s.max_dihedral;
    report_.mass = s.volume * check_.material.density;

    const double limit = sliver_ratio * report_.mean_volume;
    std::vector<Index> slivers;
    for (Index i = 0; s.min_volume < limit && i < mesh_.n_tets(); ++i)
        if (volume_of(mesh_, mesh_.tets[i]) < limit) slivers.push_back(i);
    report_.n_slivers = static_cast<Index>(slivers.size());
    if (!slivers.empty())
        find_elements(
            Severity::warning, "M10",
            fmt::format("{} below 1e-12 of the mean volume, the smallest {:.3g} of it: element {}",
                        tetrahedra(slivers.size(), "is", "are"), s.min_volume / report_.mean_volume,
                        listed(slivers, mesh_.tet_ids)),
            slivers);
}

void Doctor::check_faces() {
    const FaceTable faces = make_face_table(mesh_);
    report_.n_boundary = static_cast<Index>(faces.boundary.size());
    if (!faces.duplicates.empty()) {
        const auto& [a, b] = faces.duplicates[0];
        std::string text =
            fmt::format("elements {} and {} are the same tetrahedron; each may be given once",
                        mesh_.tet_ids[a], mesh_.tet_ids[b]);
        if (faces.duplicates.size() > 1)
            text += fmt::format("; {} such: {}", plural(faces.duplicates.size(), "pair"),
                                listed_pairs(faces.duplicates, mesh_.tet_ids, " and "));
        find({Severity::error,
              "M08",
              text,
              static_cast<std::int64_t>(faces.duplicates.size()),
              pair_ids(faces.duplicates, mesh_.tet_ids),
              {}});
    }
    if (!faces.crowded.empty()) {
        const std::vector<FaceSide>& first = faces.crowded[0];
        const Triangle t = sorted_face(mesh_, first[0]);
        Diagnosis d{Severity::error,
                    "M16",
                    "",
                    static_cast<std::int64_t>(faces.crowded.size()),
                    {},
                    first_ids(t, mesh_.node_ids)};
        for (const FaceSide side : first) d.elements.push_back(mesh_.tet_ids[side / 4]);
        d.text = fmt::format(
            "face ({}) is shared by elements {} and {}; a face has at most two "
            "tetrahedra",
            fmt::join(d.nodes, ", "), fmt::join(d.elements.begin(), d.elements.end() - 1, ", "),
            d.elements.back());
        if (d.count > 1) d.text += fmt::format("; {} such faces", d.count);
        find(std::move(d));
    }
    list_parts(faces);
    // What follows takes a mesh whose tets have volume and whose faces have two sides.
    if (!faces.duplicates.empty() || !faces.crowded.empty() || !flat_.empty()) return;
    check_hinges(faces);
    check_overlaps(faces);
    advise(faces);
}

void Doctor::list_parts(const FaceTable& faces) {
    Parts found = find_parts(mesh_, faces);
    report_.n_parts = static_cast<Index>(found.parts.size());
    n_solid_ = found.n_solid;
    report_.parts = std::move(found.parts);
    if (report_.parts.size() > max_listed) report_.parts.resize(max_listed);
    if (report_.n_parts == 1) return;
    Diagnosis d{Severity::remark, "M15", "", report_.n_parts, {}, {}};
    std::string sizes;
    for (const MeshPart& part : report_.parts) {
        d.elements.push_back(part.first_tet);
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", part.n_tets);
    }
    if (report_.n_parts > static_cast<Index>(max_listed)) sizes += ", ...";
    d.text = fmt::format("{} separate parts, of {} tetrahedra", report_.n_parts, sizes);
    find(std::move(d));
}

void Doctor::check_hinges(const FaceTable& faces) {
    const Hinges h = find_hinges(mesh_, faces);
    if (h.nodes.empty()) return;
    std::string text = "hinge: tetrahedra hang together only at";
    if (!h.edges.empty())
        text += fmt::format(" {} ({})", plural(h.edges.size(), "edge"),
                            listed_pairs(h.edges, mesh_.node_ids, "-"));
    if (!h.edges.empty() && !h.vertex_only.empty()) text += " and at";
    if (!h.vertex_only.empty())
        text += fmt::format(" {} ({})", plural(h.vertex_only.size(), "node"),
                            listed(h.vertex_only, mesh_.node_ids));
    Diagnosis d{Severity::warning,
                "M17",
                text,
                static_cast<std::int64_t>(h.edges.size() + h.vertex_only.size()),
                {},
                pair_ids(h.edges, mesh_.node_ids)};
    const std::vector<FileId> alone = first_ids(h.vertex_only, mesh_.node_ids);
    d.nodes.insert(d.nodes.end(), alone.begin(), alone.end());
    find(std::move(d));
}

void Doctor::check_overlaps(const FaceTable& faces) {
    const Overlaps deep = find_overlaps(mesh_, faces);
    std::vector<std::array<Index, 2>> pairs = faces.folded;
    pairs.insert(pairs.end(), deep.pairs.begin(), deep.pairs.end());
    const Overlaps seams = find_mismatched_faces(mesh_, faces);
    report_.sampled = deep.sampled || seams.sampled;
    const auto report = [&](const char* code, Pairs found, bool more, const char* what) {
        if (!found.empty())
            find({Severity::warning,
                  code,
                  fmt::format("{}{} {}: element {}", more ? "at least " : "",
                              plural(found.size(), "pair"), what,
                              listed_pairs(found, mesh_.tet_ids, " with ")),
                  static_cast<std::int64_t>(found.size()),
                  pair_ids(found, mesh_.tet_ids),
                  {}});
    };
    report("M18", pairs, deep.sampled || deep.capped, "of tetrahedra overlap");
    report("Q01", seams.pairs, seams.sampled || seams.capped,
           "of faces touch but do not match, so that nothing holds them together");
}

void Doctor::check_places() {
    const std::vector<std::array<Index, 2>> pairs = nodes_at_one_place(mesh_);
    if (pairs.empty()) return;
    std::vector<Index> nodes;
    for (const auto& [a, b] : pairs) nodes.insert(nodes.end(), {a, b});
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    find({Severity::warning,
          "M13",
          fmt::format("{} nodes share their place with another: node {}", nodes.size(),
                      listed_pairs(pairs, mesh_.node_ids, " with ")),
          static_cast<std::int64_t>(nodes.size()),
          {},
          pair_ids(pairs, mesh_.node_ids)});
}

void Doctor::advise(const FaceTable& faces) {
    std::vector<Index> surface;
    for (const FaceSide side : faces.boundary) {
        const Triangle t = outward_face(mesh_, side);
        const Vec3d &a = mesh_.nodes[t[0]], &b = mesh_.nodes[t[1]], &c = mesh_.nodes[t[2]];
        report_.area += norm(cross(b - a, c - a)) / 2;
        surface.insert(surface.end(), t.begin(), t.end());
    }
    std::sort(surface.begin(), surface.end());
    const auto n_surface = std::unique(surface.begin(), surface.end()) - surface.begin();
    const ShapeStatistics& s = report_.shapes;
    report_.stiffness = estimate_stiffness(mesh_, s, report_.box, check_.material);
    report_.suggestions = suggestions(report_.stiffness, s, report_.n_tets);
    const auto remark = [&](const char* code, std::string text) {
        if (!text.empty()) find({Severity::remark, code, std::move(text), 1, {}, {}});
    };
    remark("Q02", unit_remark(report_.box));
    if (n_solid_ == 1)  // the thickness of one piece, not of several beside each other
        remark("Q03", thin_remark(report_.box, report_.volume, report_.area,
                                  static_cast<double>(n_surface) / report_.n_nodes));
    if (s.n_poor == 0) return;
    std::vector<Index> poor;
    for (const TetQuality& tet : s.worst)
        if (tet.radius_ratio < s.poor_ratio) poor.push_back(tet.tet);
    find({Severity::remark,
          "Q04",
          fmt::format("{} nearly flat, radius ratio below {:g}, {:.2g} the worst: element {}{}",
                      tetrahedra(static_cast<std::size_t>(s.n_poor), "is", "are"), s.poor_ratio,
                      s.worst[0].radius_ratio, listed(poor, mesh_.tet_ids),
                      s.n_poor > static_cast<std::int64_t>(poor.size())
                          ? fmt::format(", ... ({} in all)", s.n_poor)
                          : ""),
          s.n_poor,
          first_ids(poor, mesh_.tet_ids),
          {}});
}

void Doctor::finish() {
    for (const Diagnosis& d : report_.findings)
        if (d.severity == Severity::fixed || d.severity == Severity::warning)
            report_.warnings.push_back(d.text);
    std::stable_sort(
        report_.findings.begin(), report_.findings.end(),
        [](const Diagnosis& a, const Diagnosis& b) { return a.severity > b.severity; });
}

}  // namespace

bool MeshReport::has_errors() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Diagnosis& d) { return d.severity == Severity::error; });
}

std::string_view severity_name(Severity severity) {
    constexpr std::string_view names[] = {"fixed", "remark", "warning", "error"};
    return names[static_cast<int>(severity)];
}

MeshReport repair_mesh(TetMesh& mesh, const std::string& file, const MeshCheck& check) {
    return Doctor(mesh, file, check).run();
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

namespace limber::app {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t columns = 100;
constexpr int bar_width = 24;

ordered_json numbers(const Vec3d& v) {
    return {v.x, v.y, v.z};
}

void print(const std::string& line) {
    std::printf("%s\n", line.c_str());
}

/// `text` behind `head`, broken at blanks; further lines begin under the text.
void print_wrapped(const std::string& head, const std::string& text) {
    const std::size_t width = columns - head.size();
    std::string before = head;
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = text.size();
        if (end - at > width) {
            end = text.rfind(' ', at + width);
            if (end == text.npos || end <= at) end = std::min(text.find(' ', at), text.size());
        }
        print(before + text.substr(at, end - at));
        before.assign(head.size(), ' ');
        at = end + (end < text.size());
    }
}

std::string size_text(const Vec3d& size) {
    return fmt::format("{:.4g} x {:.4g} x {:.4g} m", size.x, size.y, size.z);
}

/// "########.  42.1 %" of one bin; a dot where there is something, but less than a whole mark.
std::string bar(std::int64_t count, std::int64_t most, std::int64_t total) {
    const double length = most > 0 ? static_cast<double>(count) * bar_width / most : 0;
    std::string marks(static_cast<std::size_t>(length), '#');
    if (count > 0 && marks.empty()) marks = ".";
    return fmt::format("{:<{}} {:5.1f} %", marks, bar_width,
                       total > 0 ? 100.0 * static_cast<double>(count) / total : 0.0);
}

/// Angles in steps of 20 degrees on the left, radius ratios in tenths on the right.
void print_histograms(const ShapeStatistics& s) {
    std::array<std::int64_t, ShapeStatistics::n_angle_bins / 2> angles{};
    for (std::size_t i = 0; i < s.dihedral.size(); ++i) angles[i / 2] += s.dihedral[i];
    const std::int64_t most_angles = *std::max_element(angles.begin(), angles.end());
    const std::int64_t most = *std::max_element(s.radius_ratio.begin(), s.radius_ratio.end());
    std::int64_t n_angles = 0, n_tets = 0;
    for (const std::int64_t n : angles) n_angles += n;
    for (const std::int64_t n : s.radius_ratio) n_tets += n;
    print(fmt::format("    {:<45}{}", "dihedral angles [degrees]",
                      "radius ratio 3 r/R (1: regular)"));
    for (std::size_t i = 0; i < s.radius_ratio.size(); ++i) {
        std::string left;
        if (i < angles.size())
            left = fmt::format("{:3}-{:<3} {}", 20 * i, 20 * (i + 1),
                               bar(angles[i], most_angles, n_angles));
        print(fmt::format("    {:<45}{:.1f}-{:.1f} {}", left, 0.1 * i, 0.1 * (i + 1),
                          bar(s.radius_ratio[i], most, n_tets)));
    }
}

void print_worst(const ShapeStatistics& s) {
    print("  worst elements");
    print(fmt::format("    {:>12} {:>14} {:>22} {:>14}", "id", "radius ratio", "dihedral [degrees]",
                      "volume [m3]"));
    for (const TetQuality& t : s.worst)
        print(fmt::format("    {:>12} {:>14.3g} {:>22} {:>14.3g}", t.id, t.radius_ratio,
                          fmt::format("{:.1f} to {:.1f}", t.min_dihedral, t.max_dihedral),
                          t.volume));
}

void print_estimates(const StiffnessEstimate& e) {
    print(fmt::format(
        "  estimates for young {:.3g} Pa, poisson {:g}, density {:g} kg/m3, lumped mass",
        e.material.young, e.material.poisson, e.material.density));
    print(
        fmt::format("    stable explicit step  {:.3g} s (highest frequency at most {:.3g} rad/s, "
                    "element {})",
                    e.explicit_step, e.highest_frequency, e.stiffest_tet));
    print(
        fmt::format("    condition             {:.2g} of an implicit step of 1/60 s; {:.2g} at "
                    "rest, clamped at one end",
                    e.condition, e.static_condition));
}

ordered_json shapes_json(const ShapeStatistics& s) {
    ordered_json worst = ordered_json::array();
    for (const TetQuality& t : s.worst)
        worst.push_back({{"element", t.id},
                         {"radius_ratio", t.radius_ratio},
                         {"dihedral_degrees", {t.min_dihedral, t.max_dihedral}},
                         {"volume_m3", t.volume}});
    return {
        {"radius_ratio",
         {{"min", s.worst.empty() ? 0 : s.worst[0].radius_ratio}, {"mean", s.mean_radius_ratio}}},
        {"dihedral_histogram", {{"bin_degrees", 10}, {"counts", s.dihedral}}},
        {"radius_ratio_histogram", {{"bin", 0.1}, {"counts", s.radius_ratio}}},
        {"nearly_flat", s.n_poor},
        {"worst", std::move(worst)}};
}

ordered_json estimates_json(const StiffnessEstimate& e) {
    return {{"young_pa", e.material.young},
            {"poisson", e.material.poisson},
            {"density_kg_m3", e.material.density},
            {"mass", "lumped"},
            {"highest_frequency_rad_s", e.highest_frequency},
            {"stiffest_element", e.stiffest_tet},
            {"explicit_step_s", e.explicit_step},
            {"lowest_frequency_rad_s", e.lowest_frequency},
            {"implicit_step_s", e.step},
            {"condition_of_step", e.condition},
            {"condition_at_rest", e.static_condition}};
}

}  // namespace

void print_finding(const Diagnosis& f, int indent) {
    print_wrapped(fmt::format("{:{}}{:<8}{:<5}", "", indent, severity_name(f.severity), f.code),
                  f.text);
}

void print_mesh(const std::string& file, const std::string& format, const MeshReport& r) {
    print(fmt::format("{}: {}, {} nodes, {} tets, {} part{}, {} boundary faces", file, format,
                      r.n_nodes, r.n_tets, r.n_parts, r.n_parts == 1 ? "" : "s", r.n_boundary));
    const bool measured = !r.shapes.worst.empty(), estimated = r.stiffness.explicit_step > 0;
    if (measured) {
        print(fmt::format("  size      {}, volume {:.4g} m3, mass {:.4g} kg",
                          size_text(r.box.size()), r.volume, r.mass));
        print(
            fmt::format("  quality   dihedral angles {:.1f} to {:.1f} degrees, radius ratio {:.2g} "
                        "at worst, {:.2f} on average",
                        r.min_dihedral, r.max_dihedral, r.shapes.worst[0].radius_ratio,
                        r.shapes.mean_radius_ratio));
        print_histograms(r.shapes);
        print_worst(r.shapes);
    }
    if (estimated) print_estimates(r.stiffness);
    if (r.n_parts > 1) {
        print("  parts");
        for (const MeshPart& p : r.parts)
            print(fmt::format("    {:>10} tets, {:.4g} m3, from element {}", p.n_tets, p.volume,
                              p.first_tet));
        if (r.n_parts > static_cast<Index>(r.parts.size()))
            print(fmt::format("    and {} smaller ones", r.n_parts - r.parts.size()));
    }
    print(r.findings.empty() ? "  findings  none" : "  findings");
    for (const Diagnosis& f : r.findings) print_finding(f, 4);
    if (!r.suggestions.empty()) print("  suggestions");
    for (const std::string& s : r.suggestions) print_wrapped("    ", s);
}

ordered_json findings_json(const std::vector<Diagnosis>& findings) {
    ordered_json all = ordered_json::array();
    for (const Diagnosis& f : findings)
        all.push_back({{"severity", severity_name(f.severity)},
                       {"code", f.code},
                       {"text", f.text},
                       {"count", f.count},
                       {"elements", f.elements},
                       {"nodes", f.nodes}});
    return all;
}

ordered_json mesh_json(const std::string& file, const std::string& format, const MeshReport& r) {
    ordered_json j = ordered_json::object();
    j["file"] = file;
    j["kind"] = "mesh";
    j["format"] = format;
    j["nodes"] = r.n_nodes;
    j["tets"] = r.n_tets;
    j["parts"] = r.n_parts;
    j["boundary_faces"] = r.n_boundary;
    j["size_m"] = numbers(r.box.size());
    j["box_m"] = {numbers(r.box.lo), numbers(r.box.hi)};
    j["volume_m3"] = r.volume;
    j["area_m2"] = r.area;
    j["mass_kg"] = r.mass;
    j["dihedral_degrees"] = {r.min_dihedral, r.max_dihedral};
    j.update(shapes_json(r.shapes));
    j["largest_parts"] = ordered_json::array();
    for (const MeshPart& p : r.parts)
        j["largest_parts"].push_back(
            {{"tets", p.n_tets}, {"volume_m3", p.volume}, {"first_element", p.first_tet}});
    if (r.stiffness.explicit_step > 0) j["estimates"] = estimates_json(r.stiffness);
    j["sampled"] = r.sampled;
    j["findings"] = findings_json(r.findings);
    j["suggestions"] = r.suggestions;
    j["warnings"] = r.warnings;
    return j;
}

std::vector<std::string> surface_warnings(const TriMeshReport& r) {
    std::vector<std::string> lines;
    const auto say = [&](Index n, const char* what) {
        if (n > 0) lines.push_back(fmt::format("{} {}", n, what));
    };
    say(r.open_edges, "open edges: the surface has holes");
    say(r.nonmanifold_edges, "edges of three or more triangles");
    say(r.misoriented_edges, "edges whose two triangles disagree about the outside");
    say(r.degenerate, "triangles without area");
    say(r.duplicates, "triangles given twice");
    say(r.pinched_nodes, "nodes where sheets touch only there");
    say(r.unused_nodes, "nodes in no triangle");
    if (r.inside_out()) lines.push_back("the surface is inside out");
    return lines;
}

void print_surface(const std::string& file, const std::string& format, const TriMesh& mesh,
                   const TriMeshReport& r) {
    print(fmt::format("{}: {} surface, {} nodes, {} triangles, {} part{}", file, format,
                      mesh.n_nodes(), mesh.n_triangles(), r.parts, r.parts == 1 ? "" : "s"));
    if (mesh.nodes.empty()) return;
    print(fmt::format("  size      {}, area {:.4g} m2{}",
                      size_text(bounding_box(mesh.nodes).size()), r.area,
                      r.closed() ? fmt::format(", volume {:.4g} m3", r.volume) : ""));
    const std::vector<std::string> warnings = surface_warnings(r);
    print(warnings.empty() ? "  findings  none: closed, manifold, outward" : "  findings");
    for (const std::string& w : warnings) print_wrapped("    warning  ", w);
    const std::string unit = unit_remark(bounding_box(mesh.nodes));
    if (!unit.empty()) print_wrapped("    remark   ", unit);
    print("  suggestions");
    print_wrapped("    ", "a body of tets: limber mesh " + file + " --tets 5000 -o " +
                              std::filesystem::path(file).stem().string() +
                              ".msh, or mesh = \"...\" with tets = 5000 beside it in a scene");
}

ordered_json surface_json(const std::string& file, const std::string& format, const TriMesh& mesh,
                          const TriMeshReport& r) {
    return {{"file", file},
            {"kind", "surface"},
            {"format", format},
            {"nodes", mesh.n_nodes()},
            {"triangles", mesh.n_triangles()},
            {"parts", r.parts},
            {"size_m",
             mesh.nodes.empty() ? ordered_json::array() : numbers(bounding_box(mesh.nodes).size())},
            {"area_m2", r.area},
            {"volume_m3", r.closed() ? ordered_json(r.volume) : ordered_json()},
            {"open_edges", r.open_edges},
            {"nonmanifold_edges", r.nonmanifold_edges},
            {"misoriented_edges", r.misoriented_edges},
            {"degenerate", r.degenerate},
            {"duplicates", r.duplicates},
            {"pinched_nodes", r.pinched_nodes},
            {"unused_nodes", r.unused_nodes},
            {"manifold", r.manifold()},
            {"warnings", surface_warnings(r)}};
}

}  // namespace limber::app

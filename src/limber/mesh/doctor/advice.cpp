// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace limber {

namespace {

constexpr double largest_usual = 20;     // [m]
constexpr double smallest_usual = 1e-3;  // [m]
constexpr double thin_ratio = 0.05;      // thickness against the second extent of the box
constexpr double hard_condition = 1e5;  // conjugate gradients need hundreds of iterations from here

std::array<double, 3> extents(const Box3& box) {
    const Vec3d size = box.size();
    std::array<double, 3> e{size.x, size.y, size.z};
    std::sort(e.begin(), e.end(), std::greater<>());
    return e;
}

}  // namespace

StiffnessEstimate estimate_stiffness(const TetMesh& mesh, const ShapeStatistics& shapes,
                                     const Box3& box, const Elasticity& material) {
    StiffnessEstimate s;
    s.material = material;
    if (shapes.stiffest < 0) return s;
    s.stiffest_tet = mesh.tet_ids[shapes.stiffest];
    s.highest_frequency = std::sqrt(shapes.squared_frequency);
    s.explicit_step = 2 / s.highest_frequency;
    const std::array<double, 3> extent = extents(box);
    const double speed = std::sqrt(material.young / material.density);  // of a bar [m/s]
    // First bending mode of a cantilever: 3.516 √(E I / (ρ A)) / L², I / A = t² / 12. Stretching,
    // π/2 √(E / ρ) / L, is higher for every t <= L.
    s.lowest_frequency = 3.516 * speed * extent[2] / std::sqrt(12.0) / (extent[0] * extent[0]);
    const double per_step = s.step * s.highest_frequency;
    s.condition = 1 + per_step * per_step;
    const double ratio = s.highest_frequency / s.lowest_frequency;
    s.static_condition = ratio * ratio;
    return s;
}

std::string unit_remark(const Box3& box) {
    const Vec3d size = box.size();
    const double largest = extents(box)[0];
    const char* way = size.y >= largest ? "tall" : "long";
    if (largest > largest_usual)
        return fmt::format(
            "this body is {:.4g} m {}; did you mean {}? (in a scene: scale = \"{}\")", largest, way,
            largest > 1e6 ? "micrometres" : "millimetres", largest > 1e6 ? "1 um" : "1 mm");
    if (largest < smallest_usual)
        return fmt::format(
            "this body is {:.4g} mm {}: coordinates count as metres; was it scaled twice?",
            1000 * largest, way);
    return {};
}

std::string thin_remark(const Box3& box, double volume, double area, double share_on_surface) {
    const double thickness = 2 * volume / area, width = extents(box)[1];
    if (!(thickness < thin_ratio * width)) return {};
    std::string text =
        fmt::format("thin: about {:.3g} m thick against {:.3g} m wide", thickness, width);
    if (share_on_surface > 0.95)
        text += "; no nodes inside: linear tets bend too stiffly, use more layers";
    return text;
}

std::vector<std::string> suggestions(const StiffnessEstimate& s, const ShapeStatistics& shapes,
                                     Index n_tets) {
    std::vector<std::string> lines;
    const bool hard = s.condition > hard_condition;
    if (hard && n_tets < 200'000)
        lines.push_back(fmt::format(
            "solver: cholesky (the condition of a step, {:.1e}, makes conjugate gradients slow)",
            s.condition));
    else if (hard)
        lines.push_back(fmt::format(
            "solver: corotational with more iterations or a smaller step (condition {:.1e})",
            s.condition));
    else
        lines.push_back("solver: corotational (conjugate gradients suffice)");
    const double ratio = s.step / s.explicit_step;
    if (ratio > 1)
        lines.push_back(
            fmt::format("step: implicit, 1/60 s is {:.3g} times the stable explicit step", ratio));
    else
        lines.push_back(fmt::format("step: 1/60 s; explicit steps up to {:.3g} s are stable too",
                                    s.explicit_step));
    if (shapes.n_poor > 0)
        lines.push_back(fmt::format(
            "mesh: remesh {} of radius ratio below {:g}; element {} has the shortest stable step",
            shapes.n_poor == 1 ? "the tet" : fmt::format("the {} tets", shapes.n_poor),
            ShapeStatistics::poor_ratio, s.stiffest_tet));
    return lines;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/core/check.h"
#include "limber/core/errors.h"
#include "limber/core/memory.h"
#include "limber/mesh/shapes.h"
#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

using Cells = std::array<Index, 3>;

std::string_view name_of(ShapeKind kind) {
    return enum_names(kind)[static_cast<std::size_t>(kind)];
}

Index to_count(double n) {
    return n < 1 ? 1 : n > max_tets ? max_tets : static_cast<Index>(n);
}

double tets_of(const Cells& n) {
    return 6.0 * n[0] * n[1] * n[2];
}

Cells given_cells(const ShapeDef& shape) {
    const std::vector<Index>& n = shape.cells;
    const auto want = [&](std::size_t count, const char* what) {
        if (n.size() != count)
            throw InputError(fmt::format("cells has {} numbers; a {} takes {}", n.size(),
                                         name_of(shape.kind), what));
    };
    for (Index count : n)
        if (count < 1) throw InputError(fmt::format("cells has {}; allowed: >= 1", count));
    switch (shape.kind) {
        case ShapeKind::cylinder:
            want(2, "[around, along]");
            return {n[0], n[1], n[0]};
        case ShapeKind::sphere:
            want(1, "[n]");
            return {n[0], n[0], n[0]};
        default:
            want(3, "[nx, ny, nz]");
            return {n[0], n[1], n[2]};
    }
}

/// `cells` as the user would write them for this kind.
std::vector<Index> as_given(ShapeKind kind, const Cells& n) {
    switch (kind) {
        case ShapeKind::cylinder:
            return {n[0], n[1]};
        case ShapeKind::sphere:
            return {n[0]};
        default:
            return {n[0], n[1], n[2]};
    }
}

/// Keeps the candidate whose number of cells is nearest to the target by ratio.
struct Nearest {
    double target;  // cells
    Cells best{1, 1, 1};
    void offer(const Cells& n) {
        const auto miss = [&](const Cells& c) {
            return std::fabs(std::log(tets_of(c) / 6 / target));
        };
        if (miss(n) < miss(best)) best = n;
    }
};

/// Shortest axis first: two whole numbers around its ideal, the same for the next with what is
/// left, and the longest axis takes up the rounding.
Cells nearest_box(const Vec3d& extent, double target) {
    std::array<int, 3> axis{0, 1, 2};
    std::sort(axis.begin(), axis.end(), [&](int a, int b) { return extent[a] < extent[b]; });
    const double e0 = extent[axis[0]], e1 = extent[axis[1]], e2 = extent[axis[2]];
    Nearest nearest{target};
    const double ideal0 = std::cbrt(target * (e0 / e1) * (e0 / e2));
    for (double n0 : {std::floor(ideal0), std::ceil(ideal0)}) {
        const double c0 = to_count(n0), left = target / c0;
        const double ideal1 = std::sqrt(left * (e1 / e2));
        for (double n1 : {std::floor(ideal1), std::ceil(ideal1)}) {
            Cells n{};
            n[axis[0]] = to_count(n0);
            n[axis[1]] = to_count(n1);
            n[axis[2]] = to_count(std::round(left / to_count(n1)));
            nearest.offer(n);
        }
    }
    return nearest.best;
}

Cells nearest_cylinder(double diameter, double height, double target) {
    Nearest nearest{target};
    const double ideal = std::cbrt(target * (diameter / height));
    // A disk flatter than one cell has one layer: then the diameter takes up the rest.
    for (double n : {std::floor(ideal), std::ceil(ideal), std::round(std::sqrt(target))}) {
        const Index around = to_count(std::min(n, std::round(std::sqrt(target))));
        const Index along = to_count(std::round(target / around / around));
        nearest.offer({around, along, around});
    }
    return nearest.best;
}

Cells nearest_sphere(double target) {
    Nearest nearest{target};
    const double ideal = std::cbrt(target);
    for (double n : {std::floor(ideal), std::ceil(ideal)})
        nearest.offer({to_count(n), to_count(n), to_count(n)});
    return nearest.best;
}

}  // namespace

Vec3d extent_of(const ShapeDef& shape) {
    if (const ShapeInfo& info = shape_info(shape.kind); info.make)
        return info.make().solid->bounds().size();
    const auto positive_length = [&](double value, const char* name) {
        if (!(value > 0) || !std::isfinite(value))
            throw InputError(fmt::format("{} {} of a {}; allowed: finite and > 0", name, value,
                                         name_of(shape.kind)));
        return value;
    };
    switch (shape.kind) {
        case ShapeKind::box:
        case ShapeKind::beam:
        case ShapeKind::sheet: {
            const Vec3d size =
                shape.size.value_or(shape.kind == ShapeKind::box    ? Vec3d{1, 1, 1}
                                    : shape.kind == ShapeKind::beam ? Vec3d{1, 0.2, 0.2}
                                                                    : Vec3d{1, 1e-4, 1});
            for (int axis = 0; axis < 3; ++axis) positive_length(size[axis], "size");
            return size;
        }
        case ShapeKind::cylinder: {
            const double d = 2 * positive_length(shape.radius, "radius");
            return {d, positive_length(shape.height, "height"), d};
        }
        default:
            break;
    }
    const double d = 2 * positive_length(shape.radius, "radius");
    return {d, d, d};
}

std::array<Index, 3> resolution_of(const ShapeDef& shape) {
    LIMBER_CHECK(!shape_info(shape.kind).make, "only grids have cells along their axes");
    const Vec3d extent = extent_of(shape);
    Cells n{};
    if (!shape.cells.empty()) {
        n = given_cells(shape);
    } else {
        if (!(shape.cell >= 0) || !std::isfinite(shape.cell))
            throw InputError(
                fmt::format("cell {}; allowed: a length > 0, or 0 for a tenth of the "
                            "largest extent",
                            shape.cell));
        // A sheet is made to fold.
        const int across = shape.kind == ShapeKind::sheet ? 20 : 10;
        const double cell =
            shape.cell > 0 ? shape.cell : std::max({extent.x, extent.y, extent.z}) / across;
        for (int axis = 0; axis < 3; ++axis) n[axis] = to_count(std::round(extent[axis] / cell));
    }
    if (tets_of(n) > max_tets)
        throw InputError(fmt::format("{} x {} x {} cells are {:.4g} tets; allowed: at most {}",
                                     n[0], n[1], n[2], tets_of(n), max_tets));
    return n;
}

ShapeDef with_tets(ShapeDef shape, Index n_tets) {
    if (n_tets < 1 || n_tets > max_tets)
        throw InputError(fmt::format("{} tets; allowed: 1 to {}", n_tets, max_tets));
    if (shape_info(shape.kind).make) {
        shape.tets = n_tets;
        return shape;
    }
    const Vec3d extent = extent_of(shape);
    const double target = n_tets / 6.0;
    Cells n{};
    switch (shape.kind) {
        case ShapeKind::cylinder:
            n = nearest_cylinder(extent.x, extent.y, target);
            break;
        case ShapeKind::sphere:
            n = nearest_sphere(target);
            break;
        default:
            n = nearest_box(extent, target);
            break;
    }
    shape.cells = as_given(shape.kind, n);
    return shape;
}

ShapeSurface make_shape_surface(const ShapeDef& shape) {
    const ShapeInfo& info = shape_info(shape.kind);
    if (!info.surface)
        throw InputError(fmt::format("a {} is a solid of tets; cloth takes cloth_sheet or dress",
                                     name_of(shape.kind)));
    return info.surface(shape);
}

ShapeMesh make_shape_mesh(const ShapeDef& shape, const ShapeProgress& progress) {
    if (shape.tets < 0 || shape.tets > max_tets)
        throw InputError(fmt::format("{} tets; allowed: 1 to {}", shape.tets, max_tets));
    const ShapeInfo& info = shape_info(shape.kind);
    if (info.surface)
        throw InputError(fmt::format(
            "a {} is a surface of triangles, without tets; it needs cloth = {{ thickness = ... }}",
            name_of(shape.kind)));
    if (info.make) return mesh_stuffed(info.make(), shape, progress);
    if (shape.tets > 0 && shape.cells.empty()) {
        ShapeDef sized = with_tets(shape, shape.tets);
        sized.tets = 0;
        return make_shape_mesh(sized, progress);
    }
    const Cells n = resolution_of(shape);
    require_memory(100 * tets_of(n), fmt::format("{:.0f} tets", tets_of(n)));
    if (shape.kind == ShapeKind::cylinder)
        return {make_cylinder(shape.radius, shape.height, n[0], n[1]), {}};
    if (shape.kind == ShapeKind::sphere) return {make_sphere(shape.radius, n[0]), {}};
    return {make_box(extent_of(shape), n), {}};
}

TetMesh make_shape(const ShapeDef& shape) {
    return make_shape_mesh(shape).mesh;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "limber/core/errors.h"
#include "limber/mesh/stuffing_fill.h"

namespace limber {

namespace {

constexpr double volume_tolerance = 0.02;  // of the shape's; more is worth a remark

/// Bytes that can be used without swapping, where the system tells.
double available_memory() {
    std::ifstream info("/proc/meminfo");
    std::string key, unit;
    double kib = 0;
    while (info >> key >> kib >> unit)
        if (key == "MemAvailable:") return 1024 * kib;
    return std::numeric_limits<double>::infinity();
}

std::string bytes_text(double bytes) {
    return bytes >= 1e9 ? fmt::format("{:.3g} GB", bytes / 1e9)
                        : fmt::format("{:.3g} MB", bytes / 1e6);
}

void check_memory(double needed, const StuffingOptions& o) {
    const double limit = o.memory > 0 ? double(o.memory) : available_memory();
    if (needed <= limit) return;
    throw InputError(fmt::format(
        "a cell of {:g} m needs {} of memory and {} are available; a cell of {:.3g} m fits", o.cell,
        bytes_text(needed), bytes_text(limit), o.cell * std::cbrt(needed / limit) * 1.02));
}

/// Bytes a lattice point costs: value, active index, node number.
constexpr double bytes_a_point = 4 + 4 + 4;
/// Bytes a tet costs: itself, its id, its share of the nodes, twice because the arrays grow by
/// doubling.
constexpr double bytes_a_tet = 2 * (16 + 8 + 32.0 / 5);

Box3 checked_bounds(const Implicit& solid, const StuffingOptions& o) {
    if (!(o.cell > 0) || !std::isfinite(o.cell))
        throw InputError(fmt::format("the cell must be a positive length, not {:g}", o.cell));
    const Box3 box = solid.bounds();
    if (!is_finite(box.lo) || !is_finite(box.hi)) throw InputError("the shape has no bounds");
    double points = 2;
    for (int a = 0; a < 3; ++a) points *= std::max(0.0, box.size()[a]) / o.cell + 3;
    check_memory(points * bytes_a_point, o);
    return box;
}

/// The largest octants are no more than a quarter of the shape.
int graded_levels(const Box3& box, const StuffingOptions& o) {
    const Vec3d size = box.size();
    const double cells = std::max({size.x, size.y, size.z}) / o.cell;
    const int levels = static_cast<int>(std::floor(std::log2(std::max(1.0, cells / 4))));
    return std::clamp(levels, 0, o.max_levels);
}

void check_mesh_memory(const WarpedLattice& warped, const StuffingOptions& o) {
    const BccLattice& lattice = warped.lattice();
    double inside = 0;
    for (LatticeId id = 0; id < lattice.size(); ++id) inside += warped.side(id) != Side::outside;
    // Six tets a lattice point; in graded meshes far fewer, but the lattice is the same.
    const double tets = o.graded ? 8.0 * double(warped.active().size()) : 6 * inside;
    check_memory(double(lattice.size()) * bytes_a_point / 3 + tets * bytes_a_tet, o);
}

void refuse_empty(const Implicit& solid, const StuffingOptions& o) {
    double fits = o.thinnest;
    if (!(fits > 0)) {
        const Vec3d size = solid.bounds().size();
        fits = std::min({size.x, size.y, size.z}) / 2;
    }
    throw InputError(
        fmt::format("no lattice point lies inside the shape with a cell of {:g} m: it is thinner "
                    "than the cell everywhere; try a cell of {:.3g} m",
                    o.cell, std::min(fits, o.cell / 2)));
}

/// The cell that would resolve what this one misses.
double finer_cell(const StuffingOptions& o) {
    return o.thinnest > 0 && o.thinnest < o.cell ? o.thinnest : o.cell / 2;
}

void remark_on_losses(const Implicit& solid, const StuffingOptions& o, StuffingResult& r) {
    r.shape_volume = o.shape_volume;
    if (!(r.shape_volume > 0)) {
        // Twice as fine as the mesh, so that what the mesh misses is seen; eight times the points.
        const double points = 8.0 * double(r.n_lattice);
        if (points * 4 > 1e9) return;
        r.shape_volume = estimate_volume(solid, o.cell / 2);
    }
    const double lost = 1 - r.volume / r.shape_volume;
    if (std::fabs(lost) > volume_tolerance)
        r.remarks.push_back(fmt::format(
            "the mesh has {:.1f} % {} volume than the shape: in places it is thinner than the cell "
            "of {:g} m; a cell of {:.3g} m would resolve it better",
            100 * std::fabs(lost), lost > 0 ? "less" : "more", o.cell, finer_cell(o)));
    if (o.shape_parts > 0 && o.shape_parts != r.n_parts)
        r.remarks.push_back(fmt::format(
            "the shape has {} separate parts and the mesh {}: the cell of {:g} m is too large for "
            "the small or near ones; try {:.3g} m",
            o.shape_parts, r.n_parts, o.cell, finer_cell(o)));
    if (r.n_restored > 0 && r.remarks.empty())
        r.remarks.push_back(fmt::format(
            "at {} places the surface comes so near to itself that the cell of {:g} m hardly "
            "separates it; a cell of {:.3g} m would",
            r.n_restored, o.cell, finer_cell(o)));
}

}  // namespace

StuffingResult stuff(const Implicit& solid, const StuffingOptions& options,
                     const StuffingProgress& progress) {
    const Box3 box = checked_bounds(solid, options);
    const int levels = options.graded ? graded_levels(box, options) : 0;
    const BccLattice lattice(box, options.cell, Index{1} << levels);
    check_memory(double(lattice.size()) * bytes_a_point, options);

    StuffingResult result;
    result.n_lattice = lattice.size();
    {
        const WarpedLattice warped(lattice, solid, progress);
        check_mesh_memory(warped, options);
        result.n_warped = warped.n_warped();
        result.n_restored = warped.n_restored();
        result.mesh =
            levels > 0 ? fill_graded(warped, levels, progress) : fill_uniform(warped, progress);
    }
    if (result.mesh.tets.empty()) refuse_empty(solid, options);
    result.dihedral = dihedral_range(result.mesh);
    result.volume = mesh_volume(result.mesh);
    result.n_parts = count_parts(result.mesh);
    remark_on_losses(solid, options, result);
    return result;
}

double estimate_volume(const Implicit& solid, double cell) {
    const BccLattice lattice(solid.bounds(), cell, 1);
    const std::vector<float> value = sample_lattice(lattice, solid, {});
    const auto inside = std::count_if(value.begin(), value.end(), [](float v) { return v < 0; });
    return double(inside) * cell * cell * cell / 2;  // two lattice points an octant
}

double cell_for_tets(const Implicit& solid, Index n_tets, StuffingOptions options) {
    if (n_tets < 1) throw InputError("the number of tets must be positive");
    const Vec3d size = solid.bounds().size();
    if (!is_finite(size)) throw InputError("the shape has no bounds");
    const double largest = std::max({size.x, size.y, size.z});
    double volume = 0;
    for (double cells : {32, 64, 128})
        if (volume = estimate_volume(solid, largest / cells); volume > 0) break;
    if (!(volume > 0))
        throw InputError("the shape has no volume, or is thinner than 1/128 of its extent");

    options.shape_volume = volume;  // spares the comparison
    double cell = std::cbrt(12 * volume / n_tets);
    double best_cell = cell, best_error = std::numeric_limits<double>::infinity();
    std::optional<std::pair<double, double>> previous;  // log cell, log count
    double power = options.graded ? 2.5 : 3;            // count ~ cell^-power
    for (int round = 0; round < 8; ++round) {
        options.cell = cell;
        double count = 0.5;
        try {
            count = stuff(solid, options).mesh.n_tets();
        } catch (const InputError&) {
            if (round > 4) throw;  // still nothing inside, or no memory for so many
        }
        const double error = std::log(count / n_tets);
        if (std::fabs(error) < best_error) best_error = std::fabs(error), best_cell = cell;
        if (best_error < 0.02) break;
        const double x = std::log(cell), y = std::log(count);
        if (previous && std::fabs(x - previous->first) > 1e-6)
            power = std::clamp((previous->second - y) / (x - previous->first), 1.5, 4.0);
        previous = {x, y};
        cell = std::exp(x + error / power);
    }
    return best_cell;
}

}  // namespace limber

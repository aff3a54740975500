// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/stuffing/stuffing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/core/errors.h"
#include "limber/core/memory.h"
#include "limber/mesh/stuffing/fill.h"
#include "limber/mesh/tri_mesh.h"

namespace limber {

namespace {

constexpr double volume_tolerance = 0.02;  // of the shape's; more is worth a remark

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
    const Vec3d size = solid.bounds().size();
    const double thickness = o.thinnest > 0 ? o.thinnest : std::min({size.x, size.y, size.z}) / 2;
    if (!(thickness > 0)) throw InputError("the shape is empty");
    throw InputError(
        fmt::format("nothing is left of the shape with a cell of {:g} m: it is thinner than the "
                    "cell everywhere; try a cell of {:.3g} m",
                    o.cell, std::min(thickness, o.cell / 2)));
}

/// The cell that would resolve what this one misses.
double finer_cell(const StuffingOptions& o) {
    // Near sharp edges every shape is thin: more than four times finer is not worth a try at once.
    return o.thinnest > 0 && o.thinnest < o.cell ? std::max(o.thinnest, o.cell / 4) : o.cell / 2;
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
            "at {} lattice point{} the surface comes so near to itself that the cell of {:g} m "
            "hardly separates it; a cell of {:.3g} m would do better",
            r.n_restored, r.n_restored == 1 ? "" : "s", o.cell, finer_cell(o)));
}

/// A solid with its surface moved outwards.
class Offset final : public Implicit {
  public:
    Offset(const Implicit& solid, double by) : solid_(solid), by_(by) {}
    double value(const Vec3d& p) const override { return solid_.value(p) - by_; }
    Box3 bounds() const override {
        const Vec3d e{by_, by_, by_};
        const Box3 box = solid_.bounds();
        return {box.lo - e, box.hi + e};
    }
    double lipschitz() const override { return solid_.lipschitz(); }

  private:
    const Implicit& solid_;
    double by_;
};

/// Empty where no lattice point lies inside.
StuffingResult stuff_once(const Implicit& solid, const StuffingOptions& options,
                          const StuffingProgress& progress) {
    const Box3 box = checked_bounds(solid, options);
    const int levels = options.graded ? graded_levels(box, options) : 0;
    const BccLattice lattice(box, options.cell, Index{1} << levels, options.shift);
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
    result.volume = mesh_volume(result.mesh);
    return result;
}

/// Facets cut off what is convex, and thin places get lost. Moving the surface outwards by the
/// missing volume over its area makes up for it; twice is enough.
StuffingResult stuff_to_volume(const Implicit& solid, const StuffingOptions& options,
                               const StuffingProgress& progress) {
    constexpr double largest = 0.2;  // cells
    StuffingResult result = stuff_once(solid, options, progress);
    if (result.mesh.tets.empty()) return result;
    double offset = 0;
    for (int round = 0; round < 2; ++round) {
        const double area = surface_area(boundary_surface(result.mesh));
        const double next = std::clamp(offset + (options.shape_volume - result.volume) / area,
                                       -largest * options.cell, largest * options.cell);
        if (std::fabs(next - offset) < 1e-4 * options.cell) break;
        offset = next;
        result = stuff_once(Offset(solid, offset), options, progress);
    }
    result.offset = offset;
    return result;
}

/// Looks for the cell that gives n tets: more tets for smaller cells, up to the jumps where a whole
/// layer of cells comes in.
class CellSearch {
  public:
    CellSearch(const Implicit& solid, Index n, const StuffingOptions& options, double cell)
        : solid_(solid), n_(n), options_(options) {
        options_.cell = cell;
    }
    void run(int rounds, const StuffingProgress& progress) {
        double too_small = 0, too_large = std::numeric_limits<double>::infinity();
        for (int round = 0; round < rounds && error > close_enough; ++round) {
            if (progress) progress("finding the cell", double(round) / rounds);
            const double cell = options_.cell;
            TetMesh mesh = stuff_once(solid_, options_, {}).mesh;
            if (options_.fragments > 0) drop_fragments(mesh, options_.fragments);
            const double n_found = mesh.n_tets();
            // Nothing inside counts as half a tet, so that the search goes on with smaller cells.
            const double off = std::log(std::max(n_found, 0.5) / n_);
            if (std::fabs(off) < error) {
                error = std::fabs(off);
                best = options_;
            }
            (off > 0 ? too_small : too_large) = cell;
            const double next = cell * std::exp(off / (options_.graded ? 2.5 : 3));
            const bool between = next > too_small && next < too_large;
            options_.cell = between ? next : std::sqrt(too_small * too_large);
        }
    }
    StuffingOptions best;
    double error = std::numeric_limits<double>::infinity();  // |log(count / n)| of the best
    static constexpr double close_enough = 0.02;

  private:
    const Implicit& solid_;
    double n_;
    StuffingOptions options_;
};

}  // namespace

StuffingResult stuff(const Implicit& solid, const StuffingOptions& options,
                     const StuffingProgress& progress) {
    StuffingOptions o = options;
    checked_bounds(solid, o);
    StuffingResult result;
    if (o.match_volume) {
        if (!(o.shape_volume > 0)) o.shape_volume = estimate_volume(solid, o.cell / 2);
        result = stuff_to_volume(solid, o, progress);
    } else {
        result = stuff_once(solid, o, progress);
    }
    if (result.mesh.tets.empty()) refuse_empty(solid, o);
    if (const Index n = o.fragments > 0 ? drop_fragments(result.mesh, o.fragments) : 0; n > 0) {
        const double before = std::exchange(result.volume, mesh_volume(result.mesh));
        result.remarks.push_back(fmt::format(
            "{} fragment{} with {:.2g} % of the volume {} left out", n, n == 1 ? "" : "s",
            100 * (1 - result.volume / before), n == 1 ? "was" : "were"));
    }
    result.dihedral = dihedral_range(result.mesh);
    const std::vector<Index> part = tet_parts(result.mesh);
    result.n_parts = *std::max_element(part.begin(), part.end()) + 1;
    remark_on_losses(solid, o, result);
    return result;
}

double estimate_volume(const Implicit& solid, double cell) {
    const BccLattice lattice(solid.bounds(), cell, 1);
    const std::vector<float> value = sample_lattice(lattice, solid, {});
    const auto inside = std::count_if(value.begin(), value.end(), [](float v) { return v < 0; });
    return double(inside) * cell * cell * cell / 2;  // two lattice points an octant
}

StuffingOptions options_for_tets(const Implicit& solid, Index n_tets, StuffingOptions options,
                                 const StuffingProgress& progress) {
    if (n_tets < 1) throw InputError("the number of tets must be positive");
    const Vec3d size = solid.bounds().size();
    if (!is_finite(size)) throw InputError("the shape has no bounds");
    const double largest = std::max({size.x, size.y, size.z});
    double volume = 0;
    for (double cells : {32, 64, 128})
        if (volume = estimate_volume(solid, largest / cells); volume > 0) break;
    if (!(volume > 0))
        throw InputError("the shape has no volume, or is thinner than 1/128 of its extent");

    CellSearch best(solid, n_tets, options, std::cbrt(12 * volume / n_tets));
    best.run(8, progress);
    // A block with its faces along the lattice gains whole layers on all sides at once. Off the
    // middle, each side has its own turn.
    for (const Vec3d& shift : {Vec3d{0.11, 0.23, 0.37}, Vec3d{0.19, 0.41, 0.07}}) {
        if (best.error <= 0.045) break;
        options.shift = shift;
        CellSearch shifted(solid, n_tets, options, best.best.cell);
        shifted.run(8, progress);
        if (shifted.error < best.error) best.best = shifted.best, best.error = shifted.error;
    }
    return best.best;
}

}  // namespace limber

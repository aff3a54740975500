// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/fill_surface.h"

#include <algorithm>
#include <cmath>

namespace limber {

namespace {

StuffingOptions stuffing_options(const SurfaceSolid& solid, const FillOptions& options,
                                 const StuffingProgress& progress) {
    StuffingOptions o;
    solid.describe(o);
    o.graded = options.graded;
    o.fragments = 0.01;
    const Vec3d size = solid.bounds().size();
    o.cell = options.cell > 0 ? options.cell : std::max({size.x, size.y, size.z}) / 20;
    return options.tets > 0 ? options_for_tets(solid, options.tets, o, progress) : o;
}

}  // namespace

StuffingResult fill_surface(const SurfaceSolid& solid, const FillOptions& options,
                            const StuffingProgress& progress) {
    StuffingOptions o = stuffing_options(solid, options, progress);
    StuffingResult result = stuff(solid, o, progress);
    if (std::fabs(1 - result.volume / result.shape_volume) <= 0.02) return result;
    o.match_volume = true;
    const double wanted = options.tets;
    for (int round = 0; round < 4; ++round) {
        result = stuff(solid, o, progress);
        if (options.tets == 0 || std::fabs(result.mesh.n_tets() / wanted - 1) < 0.04) break;
        o.cell *= std::cbrt(result.mesh.n_tets() / wanted);
    }
    return result;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "limber/core/count_or_auto.h"
#include "limber/core/fields.h"
#include "limber/solve/descent/options.h"

namespace limber {

/// How stretching and volume come together.
enum class SplittingScheme { joint, split };
constexpr std::array<std::string_view, 2> enum_names(SplittingScheme) {
    return {"joint", "split"};
}

struct FastCorotatedOptions {
    SplittingScheme scheme = SplittingScheme::joint;
    CountOrAuto iterations{16, true};
    int volume_sweeps = 2;
    int history = 8;
    double rel_tolerance = 0;
    double eta = 0.5;
    Precision precision = Precision::single;

    /// A rotation sweep and a solve each.
    int n_iterations() const {
        if (!iterations.automatic) return iterations.count;
        return scheme == SplittingScheme::joint ? 16 : 1;
    }
};

template <class Visitor>
void fields(Visitor& field, FastCorotatedOptions& o) {
    field("scheme", o.scheme, any_value(),
          "joint: stretching and volume in every iteration, to the minimum of the step; split: the "
          "source's, stretching first and volume constraints after it, once");
    field("iterations", o.iterations, at_least(1),
          "a rotation sweep and a solve by the constant factor each, a time step; auto: 16, or 1 "
          "of scheme = \"split\"");
    field("volume_sweeps", o.volume_sweeps, at_least(0),
          "split: sweeps over the volume constraints after the iterations");
    field("history", o.history, between(0, 30),
          "joint: steps of iterations that the next one is corrected by");
    field("rel_tolerance", o.rel_tolerance, between(0, 1),
          "joint: stop early when the gradient is below this share of the forces in the step; 0: "
          "never");
    field("eta", o.eta, between(0, 1),
          "joint: share of the last acceleration in the start of the iteration, x + h v + eta h "
          "(v - v_before)");
    field("precision", o.precision, any_value(),
          "of factor, rotations, positions and forces, relative to the middle of their body");
}

}  // namespace limber

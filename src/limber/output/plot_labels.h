// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace limber {

/// Pixels, y downwards.
struct PixelBox {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// A word that wants to stand beside a point.
struct LabelRequest {
    double x = 0, y = 0;  // of the point
    double radius = 5;    // of its mark
    std::string text;
};
struct PlacedLabel {
    double x = 0, y = 0;  // left end of the base line
    PixelBox box;
    bool leader = false;  // so far off that a line to the point helps
};

/// Width of a word in the plots' font, a little generous.
double text_width(const std::string& text, double font_size);

/// Places for labels inside `frame`, away from each other, from the points and from `taken`. Tries
/// places around each point, nearest first, and improves them a few times; the same every run.
std::vector<PlacedLabel> place_labels(const std::vector<LabelRequest>& requests,
                                      const std::vector<PixelBox>& taken, const PixelBox& frame,
                                      double font_size);

/// Heights for labels at the right end of curves: as near to `wanted` as `gap` between any two
/// allows, inside [lo, hi].
std::vector<double> spread_heights(const std::vector<double>& wanted, double gap, double lo,
                                   double hi);

}  // namespace limber

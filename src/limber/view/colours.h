// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/fem/corotation.h"
#include "limber/sim/world.h"
#include "limber/view/display_surface.h"

namespace limber {

/// One thing colours may show.
struct ColourField {
    std::string name, title, unit;
    bool categories = false;  // numbers of things: colours that differ, no scale
};

/// Values at the vertices of a display surface for one field at a time. Sized once a field.
class Colours {
  public:
    /// Without the fields that only some solvers have: those are asked for.
    static std::vector<ColourField> fields(const World& world);

    /// Fills values() and range(); false where the world has no such field.
    bool evaluate(std::string_view field, const World& world, const DisplaySurface& surface);
    const std::vector<float>& values() const { return values_; }
    float lo() const { return lo_; }
    float hi() const { return hi_; }

  private:
    bool at_nodes(std::string_view field, const World& world);
    void from_tets(const World& world, const std::vector<double>& of_tet, bool largest);

    std::vector<TetMeasure> measures_;
    std::vector<double> of_tet_, of_node_;
    std::vector<int> count_;
    std::vector<float> values_, sorted_;
    float lo_ = 0, hi_ = 0;
};

}  // namespace limber

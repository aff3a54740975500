// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "limber/render/picture.h"

namespace limber {

/// A colour bar with its title and end values, at the right edge of the image.
void draw_legend(const ColourScale& scale, Image& image);
/// Small capitals of 5 x 7 dots, `dot` pixels each; (x, y) is the top left corner. Characters
/// without a glyph leave a gap.
void draw_text(std::string_view text, int x, int y, int dot, Rgb colour, Image& image);

}  // namespace limber

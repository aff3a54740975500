// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// A member of options (core/fields.h) that is a whole number, or "auto" for whatever the program
/// finds best.
struct CountOrAuto {
    int count = 0;
    bool automatic = false;
};

}  // namespace limber

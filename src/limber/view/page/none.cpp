// SPDX-License-Identifier: Apache-2.0
// In place of what bundle.mjs writes, where npm's packages are not there.
#include "limber/view/page_files.h"

namespace limber {

std::span<const PageFile> page_files() {
    return {};
}

}  // namespace limber

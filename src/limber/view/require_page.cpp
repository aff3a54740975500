// SPDX-License-Identifier: Apache-2.0
#include "limber/core/errors.h"
#include "limber/view/page_files.h"

namespace limber {

void require_page() {
    if (page_files().empty())
        throw InputError(
            "the live page is not in this limber, as npm's packages were not there when it was "
            "built; tools/page.sh in limber's source folder adds it in seconds");
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace limber {

struct BuildInfo {
    std::string_view version;  // "0.1.0"
    std::string_view commit;   // git describe, "-dirty" where files were changed
    std::string_view flags;    // compiler, build type, vector instructions
};

const BuildInfo& build_info();

}  // namespace limber

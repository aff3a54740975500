// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/temp_folder.h"
#include "limber/io/file.h"

namespace limber::test {

/// The scene that page.mjs uses too, with `more` at its end.
inline std::string bar_scene(const TempFolder& folder, const std::string& more = "",
                             const std::string& name = "bar.toml") {
    return folder.file(name, read_file(LIMBER_SOURCE_DIR "/tests/view/bar.toml") + more);
}

}  // namespace limber::test

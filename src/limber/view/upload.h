// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace limber {

/// A scene made for a mesh or surface that was dropped onto the page.
struct UploadedScene {
    std::string scene;   // file, beside the upload
    std::string remark;  // what was made of it, for the user
};

/// Tets are taken as they are; a closed surface is filled with tets and becomes their skin. The
/// body falls from its own height onto a floor, scaled so that its largest side is half a metre:
/// mesh files do not say their unit. InputError where the file is neither.
UploadedScene scene_of_upload(const std::string& file);

}  // namespace limber

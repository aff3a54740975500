// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace limber {

/// Told of what is being done and the share of it that is done, 0 to 1; it may throw to end it.
using UploadProgress = std::function<void(std::string_view stage, double done)>;

/// A scene made for a mesh or surface that was dropped onto the page.
struct UploadedScene {
    std::string scene;   // file, beside the upload
    std::string remark;  // what was made of it, for the user
};

/// Tets are taken as they are; a closed surface is filled with tets and becomes their skin. The
/// body falls from its own height onto a floor, scaled so that its largest side is half a metre:
/// mesh files do not say their unit. InputError where the file is neither, or where filling it
/// would take more tets or memory than a page can show in motion: that is known before any is made.
UploadedScene scene_of_upload(const std::string& file, const UploadProgress& progress = {});

}  // namespace limber

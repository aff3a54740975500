// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/upload_slot.h"

#include <cstdio>
#include <filesystem>

namespace limber {

std::optional<Refusal> UploadSlot::begin(const RequestHead& asked) {
    if (asked.method != "POST") return Refusal{405, "meshes are sent by POST"};
    if (options_.upload_folder.empty()) return Refusal{403, "no meshes are taken here"};
    if (busy_) return Refusal{503, "another mesh is on its way"};
    busy_ = true;
    file_ = options_.upload_folder + "/upload_" + std::to_string(++begun_) +
            safe_suffix(query_value(asked.target, "name"));
    return std::nullopt;
}

std::optional<Refusal> UploadSlot::end(std::optional<Refusal> wrong) {
    busy_ = false;
    std::error_code error;
    if (!wrong && (std::filesystem::file_size(file_, error) == 0 || error))
        wrong = Refusal{400, "the file is empty"};
    if (wrong) std::remove(file_.c_str());
    return wrong;
}

}  // namespace limber

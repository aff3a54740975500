// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace limber {

/// Which nodes turn with their neighbours (fem/warp.h): all, none, or those of bodies that are not
/// thin.
enum class NodeRotationKind { horn, identity, automatic };
constexpr std::array<std::string_view, 3> enum_names(NodeRotationKind) {
    return {"horn", "identity", "auto"};
}

}  // namespace limber

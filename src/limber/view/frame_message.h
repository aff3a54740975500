// SPDX-License-Identifier: Apache-2.0
#pragma once

// The binary messages of docs/view_protocol.md: little-endian words of four bytes.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/contact/obstacle.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

enum class MessageKind : std::uint32_t { frame = 1, geometry = 2 };

/// An arrow: where it starts and a force [N].
struct ForceArrow {
    Vec3d point, force;
};

/// What a frame says; borrows everything.
struct FrameContent {
    std::uint32_t scene = 0, number = 0;
    std::int64_t step = 0;
    double time = 0;                               // [s]
    std::span<const float> positions;              // three a vertex
    std::span<const float> values;                 // one a vertex, or none
    float lo = 0, hi = 0;                          // of the values
    std::span<const ObstaclePose> poses;           // of the obstacles
    std::span<const ForceArrow> contacts;          // none unless asked for
    std::span<const ForceArrow> hand;              // point and force of a pull
    std::span<const std::array<Vec3d, 2>> cables;  // their pieces
};
std::string encode_frame(const FrameContent& content);

std::string encode_geometry(std::uint32_t scene, std::uint32_t n_vertices,
                            std::span<const Triangle> triangles);

}  // namespace limber

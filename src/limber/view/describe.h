// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a page is told about a scene, as JSON (docs/view_protocol.md). The panels follow from the
// same descriptions as the scene reader: one more option of a solver is one more control.

#include <cstdint>
#include <string>
#include <vector>

#include "limber/scene/scene.h"
#include "limber/view/colours.h"
#include "limber/view/display_surface.h"
#include "limber/view/drives.h"

namespace limber {

/// A scene that the page may open: it names one of these, never a file.
struct GalleryEntry {
    std::string name, about;
    std::string file;  // not told to the page
};

struct SceneDescription {
    std::uint32_t scene = 0;  // number of this description; frames carry it
    std::string mode;         // "live" or "replay"
    std::string name;
    const SceneDef* def = nullptr;
    std::vector<DisplaySurface::Part> parts;
    std::vector<int> sides;  // of each part: 0, or 1 for the second of two runs
    std::vector<Index> nodes, tets;
    const std::vector<Obstacle>* obstacles = nullptr;
    std::vector<ColourField> fields;
    std::vector<std::string> warnings;
    std::vector<Drive> drives;
    std::vector<GalleryEntry> gallery;
    std::vector<std::string> runs;    // replay: the folders
    std::vector<double> frame_times;  // replay: of the frames [s]
    bool panels = false;
    bool uploads = false;
};
std::string scene_message(const SceneDescription& description);

/// Whether the page may change this value: "solver.max_iterations", "material.soft.young".
bool is_live_path(std::string_view path, const SceneDef& scene);

}  // namespace limber

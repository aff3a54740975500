// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/scene/scene_def.h"

namespace limber {

struct LoadOptions {
    std::vector<std::string> sets;  // "path=value", as of --set
    bool sandbox = false;           // refuse files outside the scene's folder
};

/// Reads a scene with everything it extends, applies --set and [defaults.*], checks it.
SceneDef load_scene(const std::string& path, const LoadOptions& options = {});
/// The same for a scene that is already in memory; `path` says where it would be.
SceneDef make_scene(Value document, const std::string& path, const LoadOptions& options = {});

/// Everything that can be said without reading a mesh: names, references, combinations.
void check_scene(const SceneDef& scene);

/// The whole format as data: SceneDef with `extends` and `defaults`.
const TypeInfo& scene_type();
/// JSON Schema (draft-07) of scene files.
std::string schema_json();
/// docs/scene_format.md.
std::string scene_format_markdown();

/// The scene with every default written out and absolute paths: it loads to the same SceneDef.
std::string resolved_toml(const SceneDef& scene);
/// The files that the scene names: meshes, surfaces, loads, skins. No run may write over them.
std::vector<std::string> input_files(const SceneDef& scene);
/// Of everything that decides the states of a run, mesh and load files included; not of output,
/// end, number of steps or device.
std::uint64_t scene_hash(const SceneDef& scene);

/// `over` laid on `base`: tables merge key by key; entries of an array of tables that have the same
/// name merge, others are appended; anything else is replaced. A key of `over` drops the keys of
/// `base` that cannot stand beside it, and a changed kind drops the options of the old one.
Value merged(Value base, const Value& over, const TypeInfo* type);
/// Applies one --set argument.
void apply_set(Value& document, const std::string& argument, const TypeInfo& type);

}  // namespace limber

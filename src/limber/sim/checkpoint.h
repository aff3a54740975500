// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "limber/sim/world.h"

namespace limber {

// A checkpoint is one file, DIR/checkpoint/step_000000120.limber: a header (magic, version, scene
// hash, step, payload length, payload checksum, header checksum) and the payload of World::save. It
// is written to a temporary file, flushed and renamed, so that a reader sees a whole one or none.
// The newest two are kept.

/// The same bytes in memory. `scene_hash` says which scene the state belongs to (scene/scene_hash).
std::vector<std::byte> checkpoint_bytes(const World& world, std::uint64_t scene_hash);
/// `name` stands for the file in messages, `hint` is added where the bytes are damaged.
void load_checkpoint_bytes(std::span<const std::byte> bytes, const std::string& name,
                           std::uint64_t scene_hash, World& world, const std::string& hint = {});

void write_checkpoint(const std::string& dir, const World& world, std::uint64_t scene_hash);

/// The run folder that --resume names: itself, its checkpoint/ folder, or a file in there, from
/// wherever it is named. InputError for a file that lies elsewhere: a run that goes on from it
/// would have no folder to write to.
std::string run_folder_of(const std::string& resume);

/// Loads the newest checkpoint of a run folder, or the one file named. A zero-length newest file
/// (power cut) is passed over with a warning; a damaged one is refused and the older one named.
/// Returns the file that was loaded.
std::string load_checkpoint(const std::string& dir_or_file, std::uint64_t scene_hash, World& world,
                            std::vector<std::string>& warnings);

}  // namespace limber

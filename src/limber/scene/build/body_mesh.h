// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/io/mesh_reader.h"
#include "limber/scene/build/model.h"

namespace limber {

/// Before the mesh is made; 0 where only the mesher or a file can tell.
double expected_tets(const BodyDef& body);

/// The tets of a body from its file, its surface or its shape: scaled, so that what the doctor says
/// of them is in the scene's units, but neither rotated nor moved. Adds warnings and filled meshes
/// to the report.
LoadedMesh body_mesh(const BodyDef& body, const BuildOptions& options, BuildReport& report);

}  // namespace limber

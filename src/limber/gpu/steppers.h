// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steppers that compute on the device. What they take is decided before the first step: options by
// the first function, the model by the second; both give the reason in words, or nothing.

#include <memory>
#include <string>

#include "limber/solve/descent/options.h"
#include "limber/solve/stepper.h"
#include "limber/solve/vertex_block_descent.h"

namespace limber::gpu {

std::string descent_conflict(const DescentOptions& options);
std::string descent_conflict(const Model& model, const DescentOptions& options);
/// `on_host`: the same bodies one after the other on the host, the twin that tests compare with.
/// Throws InputError where there is no device, SystemError where its memory does not suffice.
std::unique_ptr<Stepper> make_descent(const Model& model, const DescentOptions& options,
                                      bool on_host = false);

/// Why a material's stiffness damping, or its diagonal blocks, cannot be found on the device.
std::string stiffness_damping_conflict(const Model& model);

std::string vertex_block_conflict(const VertexBlockOptions& options);
std::string vertex_block_conflict(const Model& model, const VertexBlockOptions& options);
std::unique_ptr<Stepper> make_vertex_block_descent(const Model& model,
                                                   const VertexBlockOptions& options,
                                                   bool on_host = false);

}  // namespace limber::gpu

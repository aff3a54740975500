// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options that several subcommands share.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace limber::app {

inline constexpr int max_threads = 1024;

/// --threads N; without it LIMBER_THREADS; without that all cores.
void add_threads(CLI::App& command, std::string& threads);
/// The number it stands for; InputError names the option or the variable.
int thread_limit(const std::string& threads);

/// --device cpu|cuda, of the scene.
void add_device(CLI::App& command, std::string& device);
/// What it changes in the scene, as --set has it; none where it was not given.
std::vector<std::string> device_sets(const std::string& device);

}  // namespace limber::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// One function a subcommand: it adds its options to the program and sets `action` when it was
// called.

#include <functional>

namespace CLI {
class App;
}

namespace limber::app {

using Action = std::function<int()>;  // returns the exit code

void add_run(CLI::App& program, Action& action);
void add_sweep(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);
void add_compare(CLI::App& program, Action& action);
void add_check(CLI::App& program, Action& action);
void add_render(CLI::App& program, Action& action);
void add_export(CLI::App& program, Action& action);
void add_view(CLI::App& program, Action& action);
void add_mesh(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_schema(CLI::App& program, Action& action);
void add_doctor(CLI::App& program, Action& action);

}  // namespace limber::app

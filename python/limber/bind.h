// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the module limber._core, in the order in which they are made: a type is known to
// what comes after it.

#include "values.h"

namespace limber::python {

void bind_scene(py::module_& m);
void bind_world(py::module_& m);
void bind_view(py::module_& m);
void bind_runs(py::module_& m);

/// The exception of a step that could not be taken.
[[noreturn]] void raise_step_failed(const StepReport& report);

std::unique_ptr<Scene> scene_of(py::handle scene);
/// Of a Scene, or of the name of a file.
template <class F>
auto with_scene(py::handle scene, F&& f) {
    if (py::isinstance<Scene>(scene)) return f(scene.cast<const Scene&>());
    if (!py::isinstance<py::str>(scene) && !py::hasattr(scene, "__fspath__"))
        refuse_value("scene", type_name(scene));
    return f(*scene_of(scene));
}

std::unique_ptr<World> make_world(py::handle scene, py::handle sets);

}  // namespace limber::python

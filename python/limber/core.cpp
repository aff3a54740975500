// SPDX-License-Identifier: Apache-2.0
// The module limber._core: limber/limber.h for Python, and nothing of its own. Checks and texts of
// errors are the library's; what is here turns Python's values into the library's and shows its
// memory to NumPy.
#include "bind.h"

namespace limber::python {

namespace {
py::object input_error, step_failed;
}

[[noreturn]] void raise_step_failed(const StepReport& report) {
    const py::object error = step_failed(report.failure);
    error.attr("report") = report;
    PyErr_SetObject(step_failed.ptr(), error.ptr());
    throw py::error_already_set();
}

}  // namespace limber::python

PYBIND11_MODULE(_core, m) {
    using namespace limber;  // NOLINT(google-build-using-namespace): a function, not a header
    using namespace limber::python;  // NOLINT(google-build-using-namespace)
    m.doc() = "limber/limber.h for Python; import limber instead.";

    // InputError is a ValueError and tells the place; what the system refuses is an OSError.
    input_error = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
        "limber.InputError",
        "The scene, an argument or a file is wrong: what was found, what is allowed.",
        PyExc_ValueError, nullptr));
    step_failed = py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(
        "limber.StepFailed", "A step that could not be taken; the world is where it began.",
        PyExc_RuntimeError, nullptr));
    m.attr("InputError") = input_error;
    m.attr("StepFailed") = step_failed;
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const InputError& error) {
            // Without a place what() begins with "error: ", which the name of the exception says.
            const bool placed = !error.place().file.empty();
            const py::object made = input_error(placed ? error.what() : error.message());
            made.attr("file") = error.place().file;
            made.attr("line") = error.place().line;
            made.attr("column") = error.place().column;
            made.attr("message") = error.message();
            PyErr_SetObject(input_error.ptr(), made.ptr());
        } catch (const SystemError& error) {
            PyErr_SetString(PyExc_OSError, error.what());
        }
    });

    m.def("version", &api::version, "As in 0.2.0.");
    m.def("build", &api::description, "Version, commit, compiler and vector instructions.");
    m.def("set_threads", &api::set_threads, "n"_a,
          "Threads that all worlds may use; 0: as LIMBER_THREADS says, else all cores.");
    m.def("threads", &api::threads, "Threads that are used.");
    py::class_<KeyInfo>(m, "KeyInfo", "A key of a table of a scene.")
        .def_readonly("key", &KeyInfo::key)
        .def_readonly("wanted", &KeyInfo::wanted)
        .def_readonly("meaning", &KeyInfo::meaning)
        .def_readonly("default", &KeyInfo::standard)
        .def_readonly("required", &KeyInfo::required)
        .def_readonly("only_with", &KeyInfo::only_with);
    m.def("keys", &keys_of, "table"_a = "",
          "The keys that a table of a scene may have, of the scene itself without a name.");

    py::class_<StepReport>(m, "StepReport", "What a step has to say, as in steps.csv.")
        .def_readonly("step", &StepReport::step)
        .def_readonly("time", &StepReport::time)
        .def_readonly("wall_ms", &StepReport::wall_ms)
        .def_readonly("status", &StepReport::status)
        .def_readonly("iterations", &StepReport::iterations)
        .def_readonly("residual", &StepReport::residual)
        .def_readonly("substeps", &StepReport::substeps)
        .def_readonly("kinetic", &StepReport::kinetic)
        .def_readonly("elastic", &StepReport::elastic)
        .def_readonly("potential", &StepReport::potential)
        .def_readonly("inverted_tets", &StepReport::inverted_tets)
        .def_readonly("contacts", &StepReport::contacts)
        .def_readonly("max_penetration", &StepReport::max_penetration)
        .def_readonly("energy_gain", &StepReport::energy_gain)
        .def_readonly("flags", &StepReport::flags)
        .def_property_readonly("stage_ms",
                               [](const StepReport& r) {
                                   py::dict out;
                                   for (const auto& [name, ms] : r.stage_ms)
                                       out[py::str(name)] = ms;
                                   return out;
                               })
        .def_readonly("failed", &StepReport::failed)
        .def_readonly("failure", &StepReport::failure)
        .def("__repr__", [](const StepReport& r) {
            return py::str("<limber.StepReport {}: t = {:g} s, {} iterations, {:.3g} ms{}>")
                .format(r.step, r.time, r.iterations, r.wall_ms, r.failed ? ", failed" : "");
        });

    bind_scene(m);
    bind_world(m);
    bind_view(m);
    bind_runs(m);
}

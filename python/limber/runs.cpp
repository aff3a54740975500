// SPDX-License-Identifier: Apache-2.0
// Runs into folders, and the folders of runs.
#include "bind.h"

namespace limber::python {

namespace {

/// Looks for Ctrl-C between the steps of a run and hands its reports on.
class RunWatch final : public Observer {
  public:
    explicit RunWatch(py::object call) : call_(std::move(call)) {}
    ~RunWatch() override {
        const py::gil_scoped_acquire python;
        call_ = py::object();
        failure_.reset();
    }
    bool after_step(const StepReport& report) override {
        const py::gil_scoped_acquire python;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            return call_.is_none() || !call_(report).is(py::bool_(false));
        } catch (const py::error_already_set& failure) {
            failure_.emplace(failure);
            return false;  // the run is saved first
        }
    }
    void rethrow() const {
        if (failure_) throw py::error_already_set(*failure_);
    }

  private:
    py::object call_;
    std::optional<py::error_already_set> failure_;
};

RunResult run_scene(py::handle scene, const std::string& out, py::handle sets,
                    std::optional<std::int64_t> steps, bool overwrite, bool resume,
                    py::object on_step) {
    RunOptions options;
    options.folder = out;
    options.sets = sets_of(sets);
    options.steps = steps;
    options.overwrite = overwrite;
    options.resume = resume;
    RunWatch watch(std::move(on_step));
    options.observer = &watch;
    RunResult result = with_scene(scene, [&](const Scene& s) {
        const py::gil_scoped_release others_run;
        return run(s, options);
    });
    watch.rethrow();
    return result;
}

}  // namespace

void bind_runs(py::module_& m) {
    py::class_<RunResult>(m, "RunResult", "How a run ended.")
        .def_readonly("outcome", &RunResult::outcome)
        .def_readonly("last", &RunResult::last)
        .def_readonly("state_hash", &RunResult::state_hash)
        .def_readonly("verdict", &RunResult::verdict)
        .def_readonly("warnings", &RunResult::warnings)
        .def_readonly("chosen", &RunResult::chosen);
    m.def("run", &run_scene, "scene"_a, "out"_a, py::kw_only(), "set"_a = py::none(),
          "steps"_a = py::none(), "overwrite"_a = false, "resume"_a = false,
          "on_step"_a = py::none());

    py::class_<Frame>(m, "Frame", "A body in one frame of a run folder.")
        .def_readonly("body", &Frame::body)
        .def_property_readonly("x", [](const Frame& f) { return copied(f.x, 3); })
        .def_property_readonly("displacement",
                               [](const Frame& f) { return copied(f.displacement, 3); })
        .def_property_readonly("v", [](const Frame& f) { return copied(f.v, 3); })
        .def_property_readonly("tets", [](const Frame& f) { return copied(f.tets, 4); })
        .def_property_readonly("stress", [](const Frame& f) { return copied(f.stress, 0); })
        .def_property_readonly("triangles", [](const Frame& f) { return copied(f.triangles, 3); })
        .def("__repr__", [](const Frame& f) {
            return py::str("<limber.Frame of {}: {} points>").format(f.body, f.x.size() / 3);
        });
    py::class_<RunReader>(m, "RunReader", "The files of a run folder.")
        .def(py::init(
                 [](py::handle folder) { return std::make_unique<RunReader>(py::str(folder)); }),
             "folder"_a)
        .def_property_readonly("folder", &RunReader::folder)
        .def("text", &RunReader::text, "name"_a)
        .def_property_readonly("frame_steps", &RunReader::frame_steps)
        .def("frame", &RunReader::frame, "step"_a, py::call_guard<py::gil_scoped_release>());
}

}  // namespace limber::python

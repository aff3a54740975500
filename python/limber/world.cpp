// SPDX-License-Identifier: Apache-2.0
// Worlds, their bodies and what acts on them from outside.
#include "bind.h"

namespace limber::python {

std::unique_ptr<World> make_world(py::handle scene, py::handle sets) {
    WorldOptions options;
    options.sets = sets_of(sets);
    return with_scene(scene, [&](const Scene& s) {
        const py::gil_scoped_release others_run;
        return std::make_unique<World>(s, options);
    });
}

namespace {

/// After a step: Ctrl-C, then who wants to be told.
void tell(const py::object& self, const StepReport& report) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::dict own = self.attr("__dict__");
    if (!own.contains("_on_step")) return;
    const py::list told = own["_on_step"].attr("copy")();
    for (const py::handle call : told) call(self, report);
}

StepReport step(const py::object& self, std::int64_t n, bool check, double deadline_ms) {
    auto& world = self.cast<World&>();
    StepReport report;
    for (std::int64_t k = 0; k < n; ++k) {
        {
            const py::gil_scoped_release others_run;
            report = world.step(deadline_ms);
        }
        tell(self, report);
        if (report.failed && check) raise_step_failed(report);
        if (report.failed) break;
    }
    return report;
}

struct PyBody {
    py::object world;
    BodyInfo info;

    py::array rows(const char* array) const {
        return world.attr(array)[py::slice(info.node_begin, info.node_end, 1)];
    }
    py::array cells(const char* array) const {
        return world.attr(array)[py::slice(info.tet_begin, info.tet_end, 1)];
    }
};

PyBody body_of(const py::object& self, const std::string& name) {
    const auto& world = self.cast<const World&>();
    for (const BodyInfo& info : world.bodies())
        if (info.name == name) return {self, info};
    world.select(name, Value::table());  // refuses the name
    return {};
}

}  // namespace

void bind_world(py::module_& m) {
    py::class_<PinInfo>(m, "Pin", "A pin of a world.")
        .def_readonly("label", &PinInfo::label)
        .def_property_readonly("nodes", [](const PinInfo& p) { return copied(p.nodes, 0); })
        .def_readonly("driven", &PinInfo::driven)
        .def("__repr__", [](const PinInfo& p) { return "<limber.Pin " + p.label + '>'; });
    py::class_<DriveInfo>(m, "Drive", "A cable's pull, a cavity's volume or pressure.")
        .def_readonly("name", &DriveInfo::name)
        .def_readonly("what", &DriveInfo::what)
        .def_readonly("unit", &DriveInfo::unit)
        .def_readonly("value", &DriveInfo::value)
        .def_readonly("driven", &DriveInfo::driven)
        .def("__repr__", [](const DriveInfo& d) {
            return py::str("<limber.Drive {}: {} = {:g} {}>")
                .format(d.name, d.what, d.value, d.unit);
        });

    const auto assign = [](std::span<double> to, const char* name, py::handle from, int columns) {
        const py::array array = py::array::ensure(from);
        if (!array) {
            PyErr_Clear();
            refuse_value(name, type_name(from));
        }
        const std::vector<double> values =
            columns == 0 ? numbers_of(view_of(name, array), 3, 0)
                         : numbers_of(view_of(name, array),
                                      static_cast<std::int64_t>(to.size()) / columns, columns);
        std::copy(values.begin(), values.end(), to.begin());
    };
    py::class_<Control>(
        m, "Control",
        "The one way into a running world, seen by its next step and part of its checkpoints.")
        .def_property(
            "force",
            [](const py::object& self) {
                return shown<double>(self, self.cast<Control&>().force(), 3, true);
            },
            [assign](Control& c, py::handle f) { assign(c.force(), "control.force", f, 3); })
        .def_property(
            "gravity",
            [](const py::object& self) {
                return shown<double>(self, self.cast<Control&>().gravity(), 0, true);
            },
            [assign](Control& c, py::handle g) { assign(c.gravity(), "control.gravity", g, 0); })
        .def_property_readonly("pins", &Control::pins)
        .def(
            "pin_target",
            [](const py::object& self, std::size_t pin) {
                return shown<double>(self, self.cast<Control&>().pin_target(pin), 3, true);
            },
            "pin"_a)
        .def("release_pin", &Control::release_pin, "pin"_a)
        .def_property_readonly("drives", &Control::drives)
        .def(
            "__getitem__",
            [](const Control& c, const std::string& name) {
                for (const DriveInfo& drive : c.drives())
                    if (drive.name == name) return drive.value;
                throw py::key_error(name);
            },
            "name"_a)
        .def("__setitem__", &Control::drive, "name"_a, "value"_a)
        .def("__delitem__", &Control::release_drive, "name"_a)
        .def("clear", &Control::clear)
        .def("check", &Control::check);

    py::class_<PyBody>(m, "Body", "A body of a world: rows of its arrays.")
        .def_property_readonly("name", [](const PyBody& b) { return b.info.name; })
        .def_property_readonly("x", [](const PyBody& b) { return b.rows("x"); })
        .def_property_readonly("v", [](const PyBody& b) { return b.rows("v"); })
        .def_property_readonly("rest", [](const PyBody& b) { return b.rows("rest"); })
        .def_property_readonly("stress", [](const PyBody& b) { return b.cells("stress"); })
        .def_property_readonly("det_F", [](const PyBody& b) { return b.cells("det_F"); })
        .def_property_readonly("mass", [](const PyBody& b) { return b.info.mass; })
        .def_property_readonly("cloth", [](const PyBody& b) { return b.info.cloth; })
        .def_property_readonly("rigid", [](const PyBody& b) { return b.info.rigid; })
        .def_property_readonly(
            "nodes",
            [](const PyBody& b) { return py::slice(b.info.node_begin, b.info.node_end, 1); })
        .def_property_readonly(
            "tets", [](const PyBody& b) { return py::slice(b.info.tet_begin, b.info.tet_end, 1); })
        .def_property_readonly("triangles",
                               [](const PyBody& b) { return copied(b.info.triangles, 3); })
        .def("select",
             [](const PyBody& b, const py::kwargs& selection) {
                 return copied(
                     b.world.cast<const World&>().select(b.info.name, table_of(selection, "")), 0);
             })
        .def("__repr__", [](const PyBody& b) {
            return py::str("<limber.Body {}: {} nodes, {} tets>")
                .format(b.info.name, b.info.node_end - b.info.node_begin,
                        b.info.tet_end - b.info.tet_begin);
        });

    PYBIND11_NUMPY_DTYPE(ContactRecord, body, other, obstacle, n_nodes, nodes, weights, position,
                         normal, gap, force, friction, kind, status);
    py::class_<World> world(m, "World", py::dynamic_attr(), "A scene in time.");
    world
        .def(py::init([](py::handle scene, py::handle sets) { return make_world(scene, sets); }),
             "scene"_a, "set"_a = py::none())
        .def("step", &step, "n"_a = 1, py::kw_only(), "check"_a = true, "deadline_ms"_a = 0.0)
        .def(
            "on_step",
            [](const py::object& self, py::object call) {
                const py::dict own = self.attr("__dict__");
                if (!own.contains("_on_step")) own["_on_step"] = py::list();
                own["_on_step"].attr("append")(call);
                return call;
            },
            "call"_a)
        .def_property_readonly("time", &World::time)
        .def_property_readonly("h", &World::h)
        .def_property_readonly("step_number", &World::steps)
        .def_property_readonly("last_step", &World::steps_of_scene)
        .def_property_readonly("state_hash", &World::state_hash)
        .def_property_readonly("solver", &World::solver)
        .def_property_readonly("bodies",
                               [](const py::object& self) {
                                   py::dict out;
                                   for (const BodyInfo& info : self.cast<const World&>().bodies())
                                       out[py::str(info.name)] = PyBody{self, info};
                                   return out;
                               })
        .def("body", &body_of, "name"_a)
        .def(
            "select",
            [](const World& w, const std::string& body, const py::kwargs& selection) {
                return copied(w.select(body, table_of(selection, "")), 0);
            },
            "body"_a)
        .def_property_readonly("contacts",
                               [](World& w) {
                                   const auto records = w.contacts();
                                   return py::array_t<ContactRecord>(
                                       static_cast<py::ssize_t>(records.size()), records.data());
                               })
        .def_property_readonly_static("contact_kinds",
                                      [](const py::object&) {
                                          const auto names = World::contact_kinds();
                                          return std::vector<std::string>(names.begin(),
                                                                          names.end());
                                      })
        .def_property_readonly("control", &World::control,
                               py::return_value_policy::reference_internal)
        .def("save",
             [](const World& w) {
                 std::vector<std::byte> bytes;
                 {
                     const py::gil_scoped_release others_run;
                     bytes = w.save();
                 }
                 return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
             })
        .def(
            "restore",
            [](World& w, const py::bytes& checkpoint) {
                const std::string_view bytes = checkpoint;
                const py::gil_scoped_release others_run;
                w.restore(std::as_bytes(std::span(bytes.data(), bytes.size())));
            },
            "checkpoint"_a)
        .def_property_readonly("warnings", &World::warnings)
        .def_property_readonly("chosen", &World::chosen)
        .def_property_readonly("verdict", &World::verdict)
        .def("__repr__", [](const World& w) {
            return py::str("<limber.World: {} nodes, {} tets, solver {}, t = {:g} s>")
                .format(w.rest().size() / 3, w.tets().size() / 4, w.solver(), w.time());
        });
    const auto numbers = [&](const char* name, auto get, py::ssize_t columns) {
        world.def_property_readonly(name, [get, columns](const py::object& self) {
            return shown(self, (self.cast<World&>().*get)(), columns, false);
        });
    };
    numbers("x", &World::x, 3);
    numbers("v", &World::v, 3);
    numbers("rest", &World::rest, 3);
    numbers("external_force", &World::external_force, 3);
    numbers("contact_force", &World::contact_force, 3);
    numbers("reaction", &World::reaction, 3);
    numbers("mass", &World::mass, 0);
    numbers("tets", &World::tets, 4);
    numbers("stress", &World::stress, 0);
    numbers("det_F", &World::det_F, 0);
}

}  // namespace limber::python

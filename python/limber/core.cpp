// SPDX-License-Identifier: Apache-2.0
// The module limber._core: limber/limber.h for Python, and nothing of its own. Checks and texts of
// errors are the library's; what is here turns Python's values into the library's and shows its
// memory to NumPy.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limber/limber.h>

namespace py = pybind11;
using namespace pybind11::literals;
using namespace limber;  // NOLINT(google-build-using-namespace): a source, not a header

namespace {

// ---- values -------------------------------------------------------------------------------------

std::string type_name(py::handle object) {
    return py::str(py::type::handle_of(object).attr("__name__"));
}

Value value_of(py::handle object, const std::string& place, int depth = 0);

Value table_of(const py::dict& dict, const std::string& place, int depth = 0) {
    Value out = Value::table();
    for (const auto& [key, item] : dict) {
        if (item.is_none()) continue;  // as if it were not there: defaults of keyword arguments
        if (!py::isinstance<py::str>(key)) refuse_value(place, type_name(key));
        const std::string name = py::str(key);
        out.set(name, value_of(item, place.empty() ? name : place + '.' + name, depth + 1));
    }
    return out;
}

Value value_of(py::handle object, const std::string& place, int depth) {
    if (depth > max_nesting) refuse_nesting(place);  // a list may hold itself
    if (py::isinstance<py::bool_>(object)) return Value::of(object.cast<bool>());
    if (py::isinstance<py::int_>(object)) {
        int beyond = 0;
        const long long whole = PyLong_AsLongLongAndOverflow(object.ptr(), &beyond);
        if (beyond == 0) return Value::of(std::int64_t{whole});
        const double number = PyLong_AsDouble(object.ptr());  // as a file may have it
        if (!PyErr_Occurred()) return Value::of(number);
        PyErr_Clear();
        refuse_value(place, type_name(object));
    }
    if (py::isinstance<py::float_>(object)) return Value::of(object.cast<double>());
    if (py::isinstance<py::str>(object)) return Value::of(object.cast<std::string>());
    if (py::isinstance<py::dict>(object))
        return table_of(py::reinterpret_borrow<py::dict>(object), place, depth);
    if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) {
        Value out = Value::array();
        for (const py::handle item : object)
            out.items.push_back(
                value_of(item, place + '[' + std::to_string(out.items.size()) + ']', depth + 1));
        return out;
    }
    if (py::hasattr(object, "tolist"))
        return value_of(object.attr("tolist")(), place, depth + 1);  // NumPy's
    if (py::hasattr(object, "__fspath__"))
        return value_of(object.attr("__fspath__")(), place, depth + 1);
    refuse_value(place, type_name(object));
}

py::object object_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::boolean:
            return py::bool_(value.boolean);
        case ValueKind::integer:
            return py::int_(value.integer);
        case ValueKind::number:
            return py::float_(value.number);
        case ValueKind::string:
            return py::str(value.text);
        case ValueKind::array: {
            py::list out;
            for (const Value& item : value.items) out.append(object_of(item));
            return out;
        }
        case ValueKind::table: {
            py::dict out;
            for (std::size_t k = 0; k < value.items.size(); ++k)
                out[py::str(value.keys[k].name)] = object_of(value.items[k]);
            return out;
        }
        case ValueKind::null:
            break;
    }
    return py::none();
}

/// "solver.kind=newton" as it is, a dict as one such text for each of its entries.
std::vector<std::string> sets_of(py::handle sets) {
    std::vector<std::string> out;
    if (sets.is_none()) return out;
    if (py::isinstance<py::dict>(sets)) {
        for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(sets)) {
            const std::string path = py::str(key);
            out.push_back(path + '=' + to_inline_toml(value_of(item, path)));
        }
        return out;
    }
    if (py::isinstance<py::str>(sets)) return {sets.cast<std::string>()};
    for (const py::handle item : sets) out.push_back(py::str(item));
    return out;
}

// ---- arrays -------------------------------------------------------------------------------------

ArrayView view_of(const std::string& name, py::handle object) {
    const py::array array = py::array::ensure(object);
    if (!array) {
        PyErr_Clear();
        refuse_value(name, type_name(object));
    }
    ArrayView out;
    out.name = name;
    out.data = array.data();
    out.kind = array.dtype().kind();
    out.item_size = static_cast<int>(array.itemsize());
    out.swapped = py::bool_(array.dtype().attr("isnative")) ? false : true;
    out.shape.assign(array.shape(), array.shape() + array.ndim());
    out.strides.assign(array.strides(), array.strides() + array.ndim());
    return out;
}

/// The library's memory as an array that keeps `owner` alive.
template <class T>
py::array shown(py::handle owner, std::span<const T> values, py::ssize_t columns, bool writeable) {
    const auto n = static_cast<py::ssize_t>(values.size());
    py::array out = columns == 0
                        ? py::array(py::dtype::of<T>(), {n}, {sizeof(T)}, values.data(), owner)
                        : py::array(py::dtype::of<T>(), {n / columns, columns},
                                    {columns * py::ssize_t{sizeof(T)}, py::ssize_t{sizeof(T)}},
                                    values.data(), owner);
    if (!writeable)
        py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return out;
}

template <class T>
py::array copied(const std::vector<T>& values, py::ssize_t columns) {
    const auto n = static_cast<py::ssize_t>(values.size());
    if (columns == 0) return py::array(py::dtype::of<T>(), {n}, values.data());
    return py::array(py::dtype::of<T>(), {n / columns, columns}, values.data());
}

// ---- worlds -------------------------------------------------------------------------------------

py::object input_error, step_failed;

[[noreturn]] void raise_step_failed(const StepReport& report) {
    const py::object error = step_failed(report.failure);
    error.attr("report") = report;
    PyErr_SetObject(step_failed.ptr(), error.ptr());
    throw py::error_already_set();
}

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

std::unique_ptr<Scene> scene_of(py::handle scene) {
    return std::make_unique<Scene>(Scene::load(py::str(scene)));
}

/// Of a Scene, or of the name of a file.
template <class F>
auto with_scene(py::handle scene, F&& f) {
    if (py::isinstance<Scene>(scene)) return f(scene.cast<const Scene&>());
    if (!py::isinstance<py::str>(scene) && !py::hasattr(scene, "__fspath__"))
        refuse_value("scene", type_name(scene));
    return f(*scene_of(scene));
}

std::unique_ptr<World> make_world(py::handle scene, py::handle sets) {
    WorldOptions options;
    options.sets = sets_of(sets);
    return with_scene(scene, [&](const Scene& s) {
        const py::gil_scoped_release others_run;
        return std::make_unique<World>(s, options);
    });
}

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

// ---- a scene in code ----------------------------------------------------------------------------

/// The table `key` of the document, made where it is missing.
Value& part_of(Value& document, const std::string& key, Value empty) {
    Value* found = document.find(key);
    return found ? *found : document.set(key, std::move(empty));
}

/// Appends a [[key]].
void append(Scene& scene, const std::string& key, Value table) {
    scene.edit([&](Value& document) {
        Value& all = part_of(document, key, Value::array());
        if (!all.is(ValueKind::array)) all = Value::array();
        all.items.push_back(std::move(table));
    });
}

Value with_first(const std::string& key, const std::string& first, const py::kwargs& keys,
                 const std::string& place) {
    Value out = Value::table();
    out.set(key, Value::of(first));
    const Value rest = table_of(keys, place);
    for (std::size_t k = 0; k < rest.items.size(); ++k) out.set(rest.keys[k].name, rest.items[k]);
    return out;
}

std::string add_material(Scene& scene, const std::string& name, const py::kwargs& keys) {
    const Value material = table_of(keys, "material." + name);
    scene.edit([&](Value& document) {
        Value& all = part_of(document, "material", Value::table());
        if (!all.is(ValueKind::table)) all = Value::table();
        all.set(name, material);
    });
    return name;
}

/// mesh = (nodes, tets) is an array mesh, groups = {name: tets} what its regions may name.
std::string add_body(Scene& scene, const std::string& name, py::object mesh, py::object groups,
                     const py::kwargs& keys) {
    Value body = with_first("name", name, keys, "body." + name);
    const bool arrays = py::isinstance<py::tuple>(mesh) && py::len(mesh) == 2;
    if (!arrays && !mesh.is_none()) body.set("mesh", value_of(mesh, "body." + name + ".mesh"));
    std::vector<std::pair<std::string, ArrayView>> tet_groups;
    std::vector<py::array> kept;  // what the views look at
    const auto look = [&](const std::string& what, py::handle object) {
        py::array array = py::array::ensure(object);
        if (!array) {
            PyErr_Clear();
            refuse_value(what, type_name(object));
        }
        kept.push_back(array);
        return view_of(what, kept.back());
    };
    if (!groups.is_none() && (!arrays || !py::isinstance<py::dict>(groups)))
        refuse_value("body." + name + ".groups", type_name(groups));
    if (!groups.is_none())
        for (const auto& [group, tets] : py::reinterpret_borrow<py::dict>(groups))
            tet_groups.emplace_back(py::str(group),
                                    look("groups." + std::string(py::str(group)), tets));
    const Value before = scene.document();
    append(scene, "body", std::move(body));
    if (!arrays) return name;
    try {
        const auto pair = py::reinterpret_borrow<py::tuple>(mesh);
        const ArrayView nodes = look("nodes", pair[0]), tets = look("tets", pair[1]);
        scene.set_mesh(name, nodes, tets, tet_groups);
    } catch (...) {
        scene.edit([&](Value& document) { document = before; });
        throw;
    }
    return name;
}

/// For docstrings: what the library says of the keys of a table.
std::string keys_text(const std::string& table) {
    std::string out = "Keys of `" + table + "` in docs/scene_format.md:\n";
    for (const KeyInfo& info : keys_of(table)) {
        std::string only;
        for (const std::string& with : info.only_with)
            only += (only.empty() ? " (" : " or ") + with;
        out += "\n" + info.key + only + (only.empty() ? ": " : "): ") + info.wanted +
               (info.standard.empty() ? "" : "; default " + info.standard) +
               (info.required ? "; required" : "") + ": " + info.meaning;
    }
    return out;
}

// ---- the live page of a world -------------------------------------------------------------------

/// A view with the world it shows, in an order that no collection of garbage can change.
struct PyView {
    py::object world;
    std::unique_ptr<View> view;  // after the world: it goes first
    std::string url;

    void close() {
        const py::gil_scoped_release others_run;
        view->close();
    }
};

std::unique_ptr<PyView> make_view(World& shown_world, int port, const std::string& host) {
    ViewOptions options;
    options.port = port;
    options.host = host;
    auto out = std::make_unique<PyView>();
    out->world = py::cast(&shown_world);  // the object that it is already
    {
        const py::gil_scoped_release others_run;
        out->view = std::make_unique<View>(shown_world, options);
    }
    out->url = out->view->url();
    return out;
}

/// The world may know its view: the garbage collector sees the way back.
void see_world(PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    const auto made = [](PyObject* self) -> PyView* {  // null: not yet, or no longer
        auto* instance = reinterpret_cast<py::detail::instance*>(self);
        const py::detail::value_and_holder holder = instance->get_value_and_holder();
        return holder.holder_constructed() ? static_cast<PyView*>(holder.value_ptr()) : nullptr;
    };
    static constexpr auto view_of_object = made;
    type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
        Py_VISIT(Py_TYPE(self));
        if (PyView* view = view_of_object(self)) Py_VISIT(view->world.ptr());
        return 0;
    };
    type.tp_clear = [](PyObject* self) {
        if (PyView* view = view_of_object(self)) {
            view->view->close();  // from here on it knows nothing of the world
            view->world = py::object();
        }
        return 0;
    };
}

// ---- the body of a world ------------------------------------------------------------------------

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

PYBIND11_MODULE(_core, m) {
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

    py::class_<Scene> scene(
        m, "Scene",
        "A scene as a document of docs/scene_format.md: from a file, or put together in "
        "code from the same keys.");
    scene
        .def(py::init([](const std::string& path, const py::kwargs& keys) {
                 auto out = std::make_unique<Scene>(path);
                 const Value given = table_of(keys, "");
                 out->edit([&](Value& document) {
                     for (std::size_t k = 0; k < given.items.size(); ++k)
                         document.set(given.keys[k].name, given.items[k]);
                 });
                 return out;
             }),
             py::kw_only(), "path"_a = "scene.toml")
        .def_static(
            "load", [](py::handle path) { return scene_of(path); }, "path"_a)
        .def_static(
            "parse",
            [](const std::string& toml, const std::string& path) {
                return std::make_unique<Scene>(Scene::parse(toml, path));
            },
            "toml"_a, "path"_a = "scene.toml")
        .def_static(
            "of",
            [](const py::dict& document, const std::string& path) {
                return std::make_unique<Scene>(table_of(document, ""), path);
            },
            "document"_a, "path"_a = "scene.toml")
        .def_property_readonly("path", &Scene::path)
        .def("to_dict", [](const Scene& s) { return object_of(s.document()); })
        .def(
            "set",
            [](Scene& s, py::handle sets) {
                for (const std::string& one : sets_of(sets)) s.set(one);
            },
            "sets"_a)
        .def("material", &add_material, "name"_a, keys_text("material").c_str())
        .def("body", &add_body, "name"_a, py::kw_only(), "mesh"_a = py::none(),
             "groups"_a = py::none(), keys_text("body").c_str())
        .def("check", &Scene::check, py::call_guard<py::gil_scoped_release>())
        .def("toml", &Scene::toml)
        .def("resolved", &Scene::resolved, py::call_guard<py::gil_scoped_release>())
        .def(
            "save",
            [](const Scene& s, py::handle path) {
                const std::string name = py::str(path);
                const py::gil_scoped_release others_run;
                s.save(name);
            },
            "path"_a)
        .def(
            "world", [](const py::object& self, py::handle sets) { return make_world(self, sets); },
            "set"_a = py::none())
        .def("__repr__", [](const Scene& s) { return "<limber.Scene " + s.path() + '>'; });
    // One method for each kind of table that names its body first, and for those that do not.
    for (const char* key : {"pin", "force", "probe", "cavity"})
        scene.def(
            key,
            [key](Scene& s, const std::string& body, const py::kwargs& keys) {
                append(s, key, with_first("body", body, keys, key));
            },
            "body"_a, keys_text(key).c_str());
    for (const char* key : {"obstacle", "attach", "cable", "needle"})
        scene.def(
            key, [key](Scene& s, const py::kwargs& keys) { append(s, key, table_of(keys, key)); },
            keys_text(key).c_str());

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

    py::class_<PyView>(m, "View", py::custom_type_setup(&see_world),
                       "The live page of a world that goes on being stepped.")
        .def(py::init(&make_view), "world"_a, "port"_a = 0, "host"_a = "")
        .def_readonly("world", &PyView::world)
        .def_readonly("url", &PyView::url)
        .def_property_readonly("port", [](const PyView& v) { return v.view->port(); })
        .def_property_readonly("closed", [](const PyView& v) { return v.view->closed(); })
        .def_property_readonly("clients", [](const PyView& v) { return v.view->clients(); })
        .def(
            "update", [](PyView& v) { v.view->update(); }, py::call_guard<py::gil_scoped_release>())
        .def("close", &PyView::close)
        .def("__enter__", [](const py::object& self) { return self; })
        .def(
            "__exit__", [](PyView& v, py::handle, py::handle, py::handle) { v.close(); }, "kind"_a,
            "error"_a, "trace"_a)
        .def("__repr__", [](const PyView& v) {
            return "<limber.View " + (v.view->closed() ? std::string("closed") : v.url) + '>';
        });

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

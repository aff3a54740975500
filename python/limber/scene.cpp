// SPDX-License-Identifier: Apache-2.0
// A scene in code: documents put together from the keys of files.
#include "bind.h"

namespace limber::python {

std::unique_ptr<Scene> scene_of(py::handle scene) {
    return std::make_unique<Scene>(Scene::load(py::str(scene)));
}

namespace {

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

}  // namespace

void bind_scene(py::module_& m) {
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
}

}  // namespace limber::python

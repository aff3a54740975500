// SPDX-License-Identifier: Apache-2.0
// The live page of a world that Python goes on stepping.
#include "bind.h"

namespace limber::python {

namespace {

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

}  // namespace

void bind_view(py::module_& m) {
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
}

}  // namespace limber::python

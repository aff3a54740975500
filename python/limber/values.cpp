// SPDX-License-Identifier: Apache-2.0
#include "values.h"

namespace limber::python {

std::string type_name(py::handle object) {
    return py::str(py::type::handle_of(object).attr("__name__"));
}

Value table_of(const py::dict& dict, const std::string& place, int depth) {
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

}  // namespace limber::python

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python's values as the library's and back, and its memory as NumPy's arrays.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limber/limber.h>

namespace limber::python {

namespace py = pybind11;
using namespace pybind11::literals;

std::string type_name(py::handle object);
/// `place`: what errors name. Entries of a dict that are None count as not there.
Value value_of(py::handle object, const std::string& place, int depth = 0);
Value table_of(const py::dict& dict, const std::string& place, int depth = 0);
py::object object_of(const Value& value);
/// "solver.kind=newton" as it is, a dict as one such text for each of its entries.
std::vector<std::string> sets_of(py::handle sets);

ArrayView view_of(const std::string& name, py::handle object);
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

}  // namespace limber::python

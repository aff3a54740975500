// SPDX-License-Identifier: Apache-2.0
// PLY, text and binary. G. Turk, "The PLY polygon file format", 1994: a header names the elements
// and their properties in any order; we take x, y, z of "vertex" and the list of "face".
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "limber/io/formats.h"
#include "limber/io/surface_faces.h"
#include "limber/io/text_scanner.h"
#include "limber/io/vtk/vtu_data.h"

namespace limber {

namespace {

struct TypeName {
    std::string_view name;
    VtkType type;
};
constexpr TypeName type_names[] = {
    {"char", VtkType::i8},    {"int8", VtkType::i8},     {"uchar", VtkType::u8},
    {"uint8", VtkType::u8},   {"short", VtkType::i16},   {"int16", VtkType::i16},
    {"ushort", VtkType::u16}, {"uint16", VtkType::u16},  {"int", VtkType::i32},
    {"int32", VtkType::i32},  {"uint", VtkType::u32},    {"uint32", VtkType::u32},
    {"float", VtkType::f32},  {"float32", VtkType::f32}, {"double", VtkType::f64},
    {"float64", VtkType::f64}};

struct Property {
    std::string name;
    VtkType type = VtkType::f32;
    std::optional<VtkType> count_type = {};  // of a list
};
struct Element {
    std::string name;
    std::size_t n = 0;
    std::vector<Property> properties = {};
};

class PlyReader {
  public:
    explicit PlyReader(const MeshSource& source)
        : scan_(source.bytes, source.file), builder_(source), faces_(builder_) {}
    MeshAsRead read();

  private:
    void read_header();
    void read_format();
    void read_property();
    VtkType type_at(std::size_t field) const;
    void read_element(const Element& element);
    std::size_t smallest(const Element& element) const;
    double number(VtkType type);
    std::int64_t whole(VtkType type);
    const char* take(std::size_t n);
    std::int64_t where() const;
    [[noreturn]] void fail(const std::string& message) const;

    TextScanner scan_;
    MeshBuilder builder_;
    SurfaceFaces faces_;
    std::vector<Element> elements_;
    bool binary_ = false, swap_ = false;
    std::size_t position_ = 0;  // in the binary data
};

VtkType PlyReader::type_at(std::size_t field) const {
    for (const TypeName& row : type_names)
        if (row.name == scan_.field(field)) return row.type;
    scan_.fail(field, fmt::format("type '{}'; allowed: char to uint, float, double",
                                  printable(scan_.field(field))));
}

void PlyReader::read_format() {
    scan_.require_fields(3, "format kind version");
    const std::string_view kind = scan_.field(1);
    if (kind != "ascii" && kind != "binary_little_endian" && kind != "binary_big_endian")
        scan_.fail(1, fmt::format("format '{}'; allowed: ascii, binary_little_endian, "
                                  "binary_big_endian",
                                  printable(kind)));
    if (scan_.field(2) != "1.0")
        scan_.fail(2, fmt::format("PLY version {}; supported: 1.0", printable(scan_.field(2))));
    binary_ = kind != "ascii";
    swap_ = kind == "binary_big_endian";
}

void PlyReader::read_property() {
    if (elements_.empty()) scan_.fail("property before any element");
    const bool list = scan_.n_fields() > 1 && scan_.field(1) == "list";
    scan_.require_fields(list ? 5 : 3,
                         list ? "property list count-type type name" : "property type name");
    Property property;
    property.type = type_at(list ? 3 : 1);
    if (list) property.count_type = type_at(2);
    property.name = std::string(scan_.field(list ? 4 : 2));
    elements_.back().properties.push_back(property);
}

void PlyReader::read_header() {
    scan_.set_context("the header", "end_header");
    scan_.next_line();
    bool have_format = false;
    for (;;) {
        if (!scan_.next_line()) scan_.fail_cut();
        const std::string_view word = scan_.field(0);
        if (word == "end_header") break;
        if (word == "comment" || word == "obj_info") continue;
        if (word == "format") {
            read_format();
            have_format = true;
        } else if (word == "element") {
            scan_.require_fields(3, "element name count");
            elements_.push_back({std::string(scan_.field(1)), scan_.count(2, "elements", 1)});
        } else if (word == "property") {
            read_property();
        } else {
            scan_.fail(0, fmt::format("'{}'; expected format, element, property, comment or "
                                      "end_header",
                                      printable(word)));
        }
    }
    if (!have_format) scan_.fail("no format line");
    scan_.drop_line();
    position_ = scan_.position();
    if (binary_) {
        scan_.seek(position_);
        builder_.use_offsets();
    }
}

std::int64_t PlyReader::where() const {
    return binary_ ? static_cast<std::int64_t>(position_) : scan_.where();
}

void PlyReader::fail(const std::string& message) const {
    if (!binary_) scan_.fail(message);
    throw InputError({scan_.file(), 0, 0, static_cast<std::int64_t>(position_)}, message);
}

const char* PlyReader::take(std::size_t n) {
    if (n > scan_.whole_text().size() - position_) fail("file ends inside what it announces");
    const char* p = scan_.whole_text().data() + position_;
    position_ += n;
    return p;
}

double PlyReader::number(VtkType type) {
    if (!binary_) return scan_.take_number();
    return number_at(take(size_of(type)), type, swap_);
}

std::int64_t PlyReader::whole(VtkType type) {
    if (!binary_) return scan_.take_whole("list entry");
    if (type == VtkType::f32 || type == VtkType::f64) fail("a list of floating-point numbers");
    return whole_at(take(size_of(type)), type, swap_);
}

std::size_t PlyReader::smallest(const Element& element) const {
    std::size_t bytes = 0;
    for (const Property& p : element.properties)
        bytes += binary_ ? size_of(p.count_type.value_or(p.type)) : 2;
    return std::max<std::size_t>(bytes, 1);
}

void PlyReader::read_element(const Element& element) {
    const bool vertices = element.name == "vertex", faces = element.name == "face";
    const std::size_t left = scan_.whole_text().size() - (binary_ ? position_ : scan_.position());
    if (element.n > left / smallest(element) + 1)
        fail(
            fmt::format("number of {} elements {}: count exceeds what the file can hold ({} bytes "
                        "left)",
                        printable(element.name), element.n, left));
    if (element.properties.empty()) return;
    if (vertices) builder_.reserve_nodes(element.n);
    scan_.set_context(fmt::format("element {}", printable(element.name)), "");
    std::vector<FileId> nodes;
    for (std::size_t i = 0; i < element.n; ++i) {
        scan_.set_entry(i);
        Vec3d p;
        std::int64_t place = where();
        for (const Property& property : element.properties) {
            if (!property.count_type) {
                const double value = number(property.type);
                if (property.name == "x") p.x = value;
                if (property.name == "y") p.y = value;
                if (property.name == "z") p.z = value;
                continue;
            }
            const bool corners =
                faces && (property.name == "vertex_indices" || property.name == "vertex_index");
            const std::int64_t n = whole(*property.count_type);
            const std::size_t rest =
                binary_ ? (scan_.whole_text().size() - position_) / size_of(property.type)
                        : scan_.bytes_left() + TextScanner::max_line;
            if (n < (corners ? 3 : 0))
                fail(fmt::format("{} {} has a list of {} entries; expected at least {}",
                                 printable(element.name), i, n, corners ? 3 : 0));
            if (static_cast<std::uint64_t>(n) > rest)
                fail(fmt::format("file ends inside {} {}: its list has {} entries",
                                 printable(element.name), i, n));
            nodes.clear();
            for (std::int64_t k = 0; k < n; ++k)
                if (corners)
                    nodes.push_back(whole(property.type));
                else
                    number(property.type);
            if (!binary_) place = scan_.where();
            if (corners) faces_.add(nodes, place);
        }
        if (!vertices) continue;
        if (!is_finite(p))
            fail(fmt::format("vertex {} is at ({}, {}, {}); expected finite numbers", i, p.x, p.y,
                             p.z));
        builder_.add_node(static_cast<FileId>(i), p, binary_ ? place : scan_.where());
    }
}

MeshAsRead PlyReader::read() {
    read_header();
    const auto has = [&](const char* element, const char* property) {
        for (const Element& e : elements_)
            for (const Property& p : e.properties)
                if (e.name == element && p.name == property) return true;
        return false;
    };
    for (const char* axis : {"x", "y", "z"})
        if (!has("vertex", axis))
            throw InputError({scan_.file()}, fmt::format("no property {} of vertex", axis));
    if (!has("face", "vertex_indices") && !has("face", "vertex_index"))
        throw InputError({scan_.file()}, "no list vertex_indices of face");
    if (std::count_if(elements_.begin(), elements_.end(),
                      [](const Element& e) { return e.name == "vertex"; }) > 1)
        throw InputError({scan_.file()}, "element vertex given twice");
    for (const Element& element : elements_) read_element(element);
    return builder_.build();
}

}  // namespace

MeshAsRead read_ply(const MeshSource& source, const ReadMeshOptions&) {
    return PlyReader(source).read();
}

}  // namespace limber

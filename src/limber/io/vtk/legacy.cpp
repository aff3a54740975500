// SPDX-License-Identifier: Apache-2.0
// VTK legacy files 1.0 to 5.1: unstructured grids and polygon data, ASCII or big-endian binary.
// VTK file formats, "Simple legacy formats"; 5.1 gives cells as offsets and connectivity.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"
#include "limber/io/vtk/cells.h"
#include "limber/io/vtk/vtu_data.h"

namespace limber {

namespace {

struct VtkTypeName {
    std::string_view name;
    VtkType type;
};
constexpr VtkTypeName vtk_type_names[] = {
    {"char", VtkType::i8},          {"unsigned_char", VtkType::u8},
    {"short", VtkType::i16},        {"unsigned_short", VtkType::u16},
    {"int", VtkType::i32},          {"unsigned_int", VtkType::u32},
    {"long", VtkType::i64},         {"unsigned_long", VtkType::u64},
    {"vtktypeint64", VtkType::i64}, {"vtktypeuint64", VtkType::u64},
    {"vtkIdType", VtkType::i32},  // written as int
    {"vtktypeint32", VtkType::i32}, {"float", VtkType::f32},
    {"double", VtkType::f64}};

bool is_whole(VtkType type) {
    return type != VtkType::f32 && type != VtkType::f64;
}

class LegacyReader {
  public:
    LegacyReader(const MeshSource& source, const ReadMeshOptions& options)
        : scan_(source.bytes, source.file), builder_(source), options_(options) {}

    MeshAsRead read();

  private:
    void read_header();
    void read_points();
    void read_cells(std::string_view keyword);
    void read_cell_types();
    void read_field(bool cell_data);
    bool read_attribute(bool& cell_data);
    void read_scalars(bool cell_data);
    void add_cells();
    void add_polygons(std::string_view keyword);
    void add_cell(std::size_t cell);
    void add_labels(const std::string& name, std::span<const std::int64_t> values);
    void skip_metadata();

    VtkType take_type();
    std::string take_name(std::string_view what);
    template <class Value>
    std::vector<Value> values(VtkType type, std::size_t n, std::string_view what);

    std::size_t n_cells() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
    std::span<const std::int64_t> nodes_of(std::size_t cell) const {
        return std::span(connectivity_)
            .subspan(static_cast<std::size_t>(offsets_[cell]),
                     static_cast<std::size_t>(offsets_[cell + 1] - offsets_[cell]));
    }

    TextScanner scan_;
    MeshBuilder builder_;
    const ReadMeshOptions& options_;
    bool binary_ = false, polydata_ = false, have_points_ = false, have_cells_ = false;
    std::vector<std::int64_t> offsets_, connectivity_;  // of the last CELLS or POLYGONS
    std::vector<std::int64_t> types_;
    std::vector<Index> tet_cell_;  // cell -> tet, -1 for other cells
    std::int64_t cells_where_ = 0;
    FileId n_labels_ = 0;
};

void LegacyReader::read_header() {
    scan_.next_line();
    const std::string_view version = scan_.field(scan_.n_fields() - 1);
    const std::optional<double> number = parse_finite(version);
    if (!number || *number < 1 || *number >= 6)
        scan_.fail(fmt::format("VTK legacy version {}; supported: 1.0 to 5.1", printable(version)));
    scan_.set_context("the header", "");
    scan_.next_raw_line();  // the title, which may be blank
    scan_.drop_line();
    if (!scan_.next_word()) scan_.fail_cut();
    if (scan_.word() != "ASCII" && scan_.word() != "BINARY")
        scan_.fail(scan_.word_field(),
                   fmt::format("file type '{}'; allowed: ASCII, BINARY", printable(scan_.word())));
    binary_ = scan_.word() == "BINARY";
    if (binary_) {
        scan_.use_offsets();
        builder_.use_offsets();
    }
    if (take_name("DATASET") != "DATASET") scan_.fail("expected: DATASET UNSTRUCTURED_GRID");
    const std::string kind = take_name("kind of data set");
    polydata_ = kind == "POLYDATA";
    if (!polydata_ && kind != "UNSTRUCTURED_GRID")
        scan_.fail(scan_.word_field(),
                   fmt::format("VTK data set '{}'; supported: UNSTRUCTURED_GRID, POLYDATA",
                               printable(kind)));
}

std::string LegacyReader::take_name(std::string_view what) {
    if (!scan_.next_word())
        throw InputError(scan_.place(), fmt::format("file ends where {} is due", what));
    return std::string(scan_.word());
}

VtkType LegacyReader::take_type() {
    const std::string name = take_name("a type");
    for (const VtkTypeName& row : vtk_type_names)
        if (row.name == name) return row.type;
    scan_.fail(scan_.word_field(), fmt::format("type '{}'; allowed: char to long, vtktypeint64, "
                                               "float, double",
                                               printable(name)));
}

template <class Value>
std::vector<Value> LegacyReader::values(VtkType type, std::size_t n, std::string_view what) {
    constexpr bool whole = std::is_same_v<Value, std::int64_t>;
    std::vector<Value> out;
    scan_.set_context(std::string(what), "");
    scan_.set_entry(0);
    if (binary_) {
        const std::size_t size = size_of(type);
        const char* p = scan_.whole_text().data() + scan_.position();
        if (n > scan_.bytes_left() / size)
            throw InputError(scan_.place(), fmt::format("file ends inside {} after entry {}", what,
                                                        scan_.bytes_left() / size));
        out.reserve(n);
        for (std::size_t i = 0; i < n; ++i, p += size)
            if constexpr (whole)
                out.push_back(whole_at(p, type, true));
            else
                out.push_back(number_at(p, type, true));
        scan_.seek(scan_.position() + n * size);
    } else {
        out.reserve(scan_.capacity(n, 2));
        for (std::size_t i = 0; i < n; ++i) {
            scan_.set_entry(i);
            if constexpr (whole)
                out.push_back(scan_.take_whole(what));
            else
                out.push_back(scan_.take_number());
        }
    }
    scan_.clear_context();
    return out;
}

void LegacyReader::read_points() {
    if (have_points_) scan_.fail("POINTS given twice");
    have_points_ = true;
    const std::size_t n = scan_.take_count("points", 6);
    const VtkType type = take_type();
    const std::int64_t where = scan_.where();
    const std::vector<double> xyz = values<double>(type, 3 * n, "POINTS");
    builder_.reserve_nodes(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3d p{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
        if (!is_finite(p))
            scan_.fail(
                fmt::format("point {} is ({}, {}, {}); expected finite numbers", i, p.x, p.y, p.z));
        builder_.add_node(static_cast<FileId>(i), p, where);
    }
}

/// Before 5.0 each cell gives its number of nodes and the nodes; later all offsets come first.
void LegacyReader::read_cells(std::string_view keyword) {
    have_cells_ = true;
    cells_where_ = scan_.where();
    const SourcePlace place = scan_.place();
    const std::string what(keyword);
    const std::size_t n = scan_.take_count("cells", 1);
    const std::size_t size = scan_.take_count("cell entries", 1);
    const std::size_t data = scan_.position();
    const bool with_offsets = scan_.whole_text().substr(data).starts_with("OFFSETS");
    offsets_.clear();
    connectivity_.clear();
    if (with_offsets) {
        take_name("OFFSETS");
        offsets_ = values<std::int64_t>(take_type(), n, what + " OFFSETS");
        if (take_name("CONNECTIVITY") != "CONNECTIVITY") scan_.fail("expected: CONNECTIVITY type");
        connectivity_ = values<std::int64_t>(take_type(), size, what + " CONNECTIVITY");
        for (std::size_t i = 0; i < n; ++i)
            if (offsets_[i] < (i ? offsets_[i - 1] : 0) || (i == 0 && offsets_[0] != 0) ||
                offsets_[i] > static_cast<std::int64_t>(size))
                throw InputError(place, fmt::format("offset {} of cell {} does not increase from 0 "
                                                    "to {}",
                                                    offsets_[i], i, size));
        return;
    }
    const std::vector<std::int64_t> packed = values<std::int64_t>(VtkType::i32, size, what);
    offsets_.push_back(0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t n_nodes = at < size ? packed[at] : -1;
        if (n_nodes < 0 || static_cast<std::uint64_t>(n_nodes) > size - at - 1)
            throw InputError(place,
                             fmt::format("cell {} has {} nodes; the {} entries of {} end before", i,
                                         n_nodes, size, keyword));
        const auto first = packed.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        connectivity_.insert(connectivity_.end(), first, first + n_nodes);
        offsets_.push_back(static_cast<std::int64_t>(connectivity_.size()));
        at += 1 + static_cast<std::size_t>(n_nodes);
    }
    if (at != size)
        throw InputError(place, fmt::format("{} announces {} entries; its {} cells have {}",
                                            keyword, size, n, at));
}

void LegacyReader::read_cell_types() {
    const std::size_t n = scan_.take_count("cell types", 1);
    types_ = values<std::int64_t>(VtkType::i32, n, "CELL_TYPES");
}

void LegacyReader::add_cell(std::size_t cell) {
    const std::int64_t type = types_[cell];
    const auto nodes = nodes_of(cell);
    const VtkCellType* row = find_vtk_cell(type);
    const auto id = static_cast<FileId>(cell);
    const auto fail = [&](const std::string& message) {
        throw InputError(binary_ ? SourcePlace{scan_.file(), 0, 0, cells_where_}
                                 : SourcePlace{scan_.file(), static_cast<int>(cells_where_)},
                         fmt::format("cell {} {}", cell, message));
    };
    if (!row && (type < 1 || type > last_vtk_type))
        fail(
            fmt::format("has type {}; supported: 10 (tetrahedron), other types of VTK are passed "
                        "over",
                        type));
    if (row && (row->n_nodes > 0 ? nodes.size() != static_cast<std::size_t>(row->n_nodes)
                                 : row->tet && nodes.size() < 4))
        fail(fmt::format("has {} nodes; expected {} for {}", nodes.size(),
                         row->n_nodes > 0 ? std::to_string(row->n_nodes) : "at least 4",
                         row->name));
    if (row && row->tet && type != vtk_tetra && !options_.linearise)
        fail(fmt::format("is one of {}: use --linearise to read their corners", row->name));
    tet_cell_.push_back(row && row->tet ? static_cast<Index>(builder_.n_tets()) : -1);
    if (row && row->tet)
        builder_.add_tet(id, {nodes[0], nodes[1], nodes[2], nodes[3]}, {}, cells_where_);
    else
        builder_.add_other_cell(
            id, row ? row->dimension : 3,
            row ? std::string(row->name) : fmt::format("cells of type {}", type), nodes, {},
            cells_where_);
    if (row && row->face && nodes.size() > 4) builder_.add_face(id, nodes, cells_where_);
}

void LegacyReader::add_cells() {
    if (types_.size() != n_cells())
        throw InputError({scan_.file()}, fmt::format("CELLS has {} cells, CELL_TYPES {}", n_cells(),
                                                     types_.size()));
    builder_.reserve_tets(n_cells());
    for (std::size_t i = 0; i < n_cells(); ++i) add_cell(i);
}

void LegacyReader::add_polygons(std::string_view keyword) {
    const bool strips = keyword == "TRIANGLE_STRIPS", polygons = keyword == "POLYGONS";
    const std::string kind = polygons ? "polygons"
                             : strips ? "triangle strips"
                                      : (keyword == "LINES" ? "lines" : "points");
    for (std::size_t i = 0; i < n_cells(); ++i) {
        const auto nodes = nodes_of(i);
        const auto id = static_cast<FileId>(i);
        builder_.add_other_cell(id, 3, kind, nodes, {}, cells_where_);
        if (polygons && nodes.size() >= 3) builder_.add_face(id, nodes, cells_where_);
        for (std::size_t k = 2; strips && k < nodes.size(); ++k) {
            const std::size_t odd = k % 2;  // every second triangle of a strip runs backwards
            builder_.add_face(id, std::array{nodes[k - 2 + odd], nodes[k - 1 - odd], nodes[k]},
                              cells_where_);
        }
    }
}

/// Whole numbers, one a cell, are labels: the tets with value v of "material" are "material_v".
void LegacyReader::add_labels(const std::string& name, std::span<const std::int64_t> labels) {
    constexpr std::size_t most = 256;  // more values are numbers of things, not labels
    std::map<std::int64_t, FileId> groups;
    for (std::int64_t label : labels) {
        groups.emplace(label, 0);
        if (groups.size() > most) return;
    }
    for (auto& [label, group] : groups) {
        group = ++n_labels_;
        builder_.name_group(3, group, fmt::format("{}_{}", name, label));
    }
    for (std::size_t i = 0; i < labels.size() && i < tet_cell_.size(); ++i)
        if (tet_cell_[i] >= 0) builder_.mark_tet(groups[labels[i]], tet_cell_[i]);
}

/// "FIELD name n", then n times "name components tuples type" and the values.
void LegacyReader::read_field(bool cell_data) {
    take_name("the name of a field");
    const std::size_t n = scan_.take_count("arrays", 6);
    for (std::size_t i = 0; i < n; ++i) {
        std::string name = take_name("an array");
        if (name == "METADATA") {
            skip_metadata();
            name = take_name("an array");
        }
        const std::size_t components = scan_.take_count("components", 1);
        const std::size_t tuples = scan_.take_count("tuples", 1);
        const VtkType type = take_type();
        if (components && tuples > scan_.bytes_left() / components)
            scan_.fail(
                fmt::format("array '{}' of {} x {} values: count exceeds what the file can "
                            "hold",
                            printable(name), tuples, components));
        if (is_whole(type)) {
            const auto found = values<std::int64_t>(type, components * tuples, name);
            if (cell_data && components == 1 && tuples == tet_cell_.size()) add_labels(name, found);
        } else {
            values<double>(type, components * tuples, name);
        }
    }
}

/// "SCALARS name type [components]", "LOOKUP_TABLE name", values.
void LegacyReader::read_scalars(bool cell_data) {
    const std::string name = take_name("the name of scalars");
    const VtkType type = take_type();
    const bool plain = scan_.n_fields() == 3 || scan_.field(3) == "1";
    scan_.drop_line();
    if (take_name("LOOKUP_TABLE") != "LOOKUP_TABLE") scan_.fail("expected: LOOKUP_TABLE name");
    scan_.drop_line();
    if (!cell_data || !plain || !is_whole(type)) return scan_.seek(scan_.whole_text().size());
    add_labels(name, values<std::int64_t>(type, tet_cell_.size(), name));
}

/// Attributes carry labels; the first one of another kind ends the reading. False: no attribute.
bool LegacyReader::read_attribute(bool& cell_data) {
    const std::string keyword(scan_.word());
    if (keyword == "CELL_DATA" || keyword == "POINT_DATA") {
        cell_data = keyword == "CELL_DATA";
        scan_.drop_line();
    } else if (keyword == "SCALARS" && tet_cell_.size()) {
        read_scalars(cell_data);
    } else {
        return false;
    }
    return true;
}

void LegacyReader::skip_metadata() {
    scan_.drop_line();
    while (scan_.next_raw_line())
        if (scan_.n_fields() == 0) return;
}

MeshAsRead LegacyReader::read() {
    read_header();
    constexpr std::string_view polygon_words[] = {"VERTICES", "LINES", "POLYGONS",
                                                  "TRIANGLE_STRIPS"};
    bool cell_data = false;
    while (scan_.next_word()) {
        const std::string keyword(scan_.word());
        const bool polygon_word = std::find(std::begin(polygon_words), std::end(polygon_words),
                                            keyword) != std::end(polygon_words);
        if (tet_cell_.empty() && have_cells_ && !polydata_ && !types_.empty()) add_cells();
        if (keyword == "POINTS") {
            read_points();
        } else if (keyword == "CELLS" && !polydata_) {
            if (have_cells_) scan_.fail("CELLS given twice");
            read_cells(keyword);
        } else if (keyword == "CELL_TYPES" && !polydata_) {
            if (!types_.empty()) scan_.fail("CELL_TYPES given twice");
            read_cell_types();
        } else if (polydata_ && polygon_word) {
            read_cells(keyword);
            add_polygons(keyword);
        } else if (keyword == "METADATA") {
            skip_metadata();
        } else if (keyword == "FIELD") {
            read_field(cell_data);
        } else if (!read_attribute(cell_data)) {
            if (have_cells_ && (polydata_ || !types_.empty())) break;
            scan_.fail(scan_.word_field(), fmt::format("'{}'; expected POINTS, CELLS, CELL_TYPES "
                                                       "or attributes",
                                                       printable(keyword)));
        }
    }
    if (!have_points_) throw InputError({scan_.file()}, "no POINTS");
    if (!have_cells_) throw InputError({scan_.file()}, polydata_ ? "no POLYGONS" : "no CELLS");
    if (!polydata_ && tet_cell_.empty()) add_cells();
    return builder_.build();
}

}  // namespace

MeshAsRead read_vtk_legacy(const MeshSource& source, const ReadMeshOptions& options) {
    return LegacyReader(source, options).read();
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// VTK XML UnstructuredGrid. VTK file formats, "XML file formats".
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <type_traits>

#include "limber/core/errors.h"
#include "limber/io/formats.h"
#include "limber/io/polygon.h"
#include "limber/io/text_scanner.h"
#include "limber/io/vtk/cells.h"
#include "limber/io/vtk/vtu_data.h"

namespace limber {

namespace {

constexpr int max_depth = 64;

/// pugixml does not recurse, but whatever walks a tree later might.
void require_shallow(std::string_view xml, const std::string& file) {
    int depth = 0;
    for (std::size_t i = xml.find('<'); i != xml.npos; i = xml.find('<', i + 1)) {
        const std::size_t end = xml.find('>', i);
        const std::string_view tag = xml.substr(i, end - i);
        if (tag.starts_with("<?") || tag.starts_with("<!") || tag.ends_with('/')) continue;
        depth += tag.starts_with("</") ? -1 : 1;
        if (depth > max_depth)
            throw InputError({file}, fmt::format("nesting deeper than {}", max_depth));
    }
}

class VtuReader {
  public:
    VtuReader(const MeshSource& source, const ReadMeshOptions& options)
        : bytes_(source.bytes), file_(source.file), faces_(source.faces), options_(options) {}

    MeshAsRead read();

  private:
    SourcePlace place_of(std::size_t offset) const;
    [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const;

    void parse();
    void cut_off_appended();
    void read_root();
    void read_piece(pugi::xml_node piece);
    void read_cells(pugi::xml_node piece, Index first_node, std::size_t n_points);
    void add_cell(pugi::xml_node piece, std::size_t cell, std::int64_t type,
                  std::span<const std::int64_t> nodes, Index first_node, std::size_t n_points);
    void read_ids_and_groups(pugi::xml_node piece, std::size_t n_points);
    void finish_ids();
    std::size_t count_of(pugi::xml_node piece, const char* attribute) const;
    pugi::xml_node array_named(pugi::xml_node parent, const char* name) const;

    template <class Value>
    std::vector<Value> values(pugi::xml_node array, std::size_t n) const;
    template <class Value>
    std::vector<Value> text_values(pugi::xml_node array, std::size_t n) const;
    template <class Value>
    std::vector<Value> binary_values(pugi::xml_node array, std::size_t n) const;
    std::string_view text_of(pugi::xml_node array) const;

    std::string_view bytes_, xml_, appended_;
    std::string closed_;  // the XML without appended data
    const std::string& file_;
    const bool faces_;
    const ReadMeshOptions& options_;
    pugi::xml_document document_;
    VtkEncoding encoding_;
    bool appended_raw_ = false;
    TetMesh mesh_;
    std::vector<Triangle> triangles_;
    std::vector<Index> tet_cell_;  // cell of the current piece -> tet, -1 for other cells
    std::map<std::string, std::size_t> other_cells_;
};

SourcePlace VtuReader::place_of(std::size_t offset) const {
    const std::string_view before = bytes_.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == before.npos ? offset : offset - last - 1;
    return {file_, static_cast<int>(line), static_cast<int>(column) + 1};
}

void VtuReader::fail(pugi::xml_node node, const std::string& message) const {
    const auto offset = node.offset_debug();
    throw InputError(offset < 0 ? SourcePlace{file_} : place_of(static_cast<std::size_t>(offset)),
                     message);
}

/// Raw bytes are no XML: the document is read up to <AppendedData and closed by hand.
void VtuReader::cut_off_appended() {
    xml_ = bytes_;
    const std::size_t begin = bytes_.find("<AppendedData");
    if (begin == bytes_.npos) return;
    const std::size_t end = bytes_.find('>', begin);
    const std::size_t mark = end == bytes_.npos ? end : bytes_.find('_', end);
    if (mark == bytes_.npos)
        throw InputError(place_of(begin), "<AppendedData> has no data; expected '_' before it");
    const std::string_view tag = bytes_.substr(begin, end - begin);
    appended_raw_ = tag.find("\"raw\"") != tag.npos || tag.find("'raw'") != tag.npos;
    if (!appended_raw_ && tag.find("base64") == tag.npos)
        throw InputError(place_of(begin), "encoding of <AppendedData>; allowed: raw, base64");
    appended_ = bytes_.substr(mark + 1);
    closed_ = std::string(bytes_.substr(0, begin)) + "</VTKFile>";
    xml_ = closed_;
}

void VtuReader::parse() {
    const std::size_t last = bytes_.find_last_not_of(std::string_view(" \t\r\n\0", 5));
    if (!bytes_.substr(0, last + 1).ends_with("</VTKFile>"))
        throw InputError(place_of(bytes_.size()),
                         "file ends without </VTKFile>: it is cut off or has text after the end");
    cut_off_appended();
    require_shallow(xml_, file_);
    const pugi::xml_parse_result result =
        document_.load_buffer(xml_.data(), xml_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
        throw InputError(place_of(static_cast<std::size_t>(result.offset)),
                         fmt::format("not well-formed XML: {}", result.description()));
}

void VtuReader::read_root() {
    const pugi::xml_node root = document_.child("VTKFile");
    if (!root) throw InputError({file_}, "no <VTKFile> found");
    const std::string_view type = root.attribute("type").value();
    if (type != "UnstructuredGrid")
        fail(root, fmt::format("VTK file type '{}'; supported: UnstructuredGrid", printable(type)));
    const std::string_view order = root.attribute("byte_order").as_string("LittleEndian");
    const std::string_view header = root.attribute("header_type").as_string("UInt32");
    const std::string_view compressor = root.attribute("compressor").as_string("");
    if (order != "LittleEndian" && order != "BigEndian")
        fail(root,
             fmt::format("byte_order '{}'; allowed: LittleEndian, BigEndian", printable(order)));
    if (header != "UInt32" && header != "UInt64")
        fail(root, fmt::format("header_type '{}'; allowed: UInt32, UInt64", printable(header)));
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
        fail(root, fmt::format("compressor '{}' is not supported yet; supported: "
                               "vtkZLibDataCompressor",
                               printable(compressor)));
    encoding_ = {order == "BigEndian", header == "UInt64", !compressor.empty()};
}

std::size_t VtuReader::count_of(pugi::xml_node piece, const char* attribute) const {
    const std::string_view text = piece.attribute(attribute).value();
    const std::size_t blank = text.find_last_not_of(' ') + 1;  // VTK pads to patch it later
    const auto n = parse_whole(text.substr(0, blank));
    const bool digits = !text.empty() && text.substr(0, blank).find_first_not_of("0123456789") ==
                                             std::string_view::npos;
    if (digits && (!n || *n > std::numeric_limits<Index>::max()))
        fail(piece, fmt::format("{} {}: count exceeds what the file can hold", attribute,
                                printable(text)));
    if (!n || *n < 0)
        fail(piece,
             fmt::format("{} '{}'; expected a whole number >= 1", attribute, printable(text)));
    return static_cast<std::size_t>(*n);
}

pugi::xml_node VtuReader::array_named(pugi::xml_node parent, const char* name) const {
    for (pugi::xml_node array : parent.children("DataArray"))
        if (std::string_view(array.attribute("Name").value()) == name) return array;
    return {};
}

std::string_view VtuReader::text_of(pugi::xml_node array) const {
    for (pugi::xml_node child : array.children())
        if (child.type() == pugi::node_pcdata && child.offset_debug() >= 0) {
            const auto begin = static_cast<std::size_t>(child.offset_debug());
            return xml_.substr(begin, xml_.find('<', begin) - begin);
        }
    return {};
}

template <class Value>
std::vector<Value> VtuReader::text_values(pugi::xml_node array, std::size_t n) const {
    const std::string_view text = text_of(array);
    const char* name = array.attribute("Name").as_string("Points");
    if (n > text.size() / 2 + 1)
        fail(array, fmt::format("array '{}' needs {} values: count exceeds what the file can hold",
                                printable(name), n));
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<Value> out;
    out.reserve(n);
    std::size_t found = 0;
    for (std::size_t i = text.find_first_not_of(blanks); i != text.npos; ++found) {
        const std::size_t end = std::min(text.find_first_of(blanks, i), text.size());
        const std::string_view token = text.substr(i, end - i);
        if (found < n) {
            std::optional<Value> value;
            if constexpr (std::is_same_v<Value, double>)
                value = parse_finite(token);
            else
                value = parse_whole(token);
            if (!value)
                throw InputError(place_of(static_cast<std::size_t>(token.data() - xml_.data())),
                                 fmt::format("'{}'; expected a {}", printable(token),
                                             std::is_same_v<Value, double> ? "finite decimal number"
                                                                           : "whole number"));
            out.push_back(*value);
        }
        i = text.find_first_not_of(blanks, end);
    }
    if (found != n)
        fail(array,
             fmt::format("array '{}' has {} values; expected {}", printable(name), found, n));
    return out;
}

template <class Value>
std::vector<Value> VtuReader::binary_values(pugi::xml_node array, std::size_t n) const {
    const char* name = array.attribute("Name").as_string("Points");
    const std::string_view type_name = array.attribute("type").value();
    const std::optional<VtkType> type = vtk_type(type_name);
    if (!type)
        fail(array, fmt::format("array '{}' has type '{}'; allowed: Int8 to UInt64, Float32, "
                                "Float64",
                                printable(name), printable(type_name)));
    RawSource raw({});
    Base64Source base64(text_of(array));
    const bool appended = std::string_view(array.attribute("format").value()) == "appended";
    if (appended) {
        const std::string_view offset_text = array.attribute("offset").value();
        const auto offset =
            parse_whole(offset_text.substr(0, offset_text.find_last_not_of(' ') + 1));
        if (!offset || *offset < 0 || static_cast<std::size_t>(*offset) >= appended_.size())
            fail(array, fmt::format("array '{}' has offset '{}'; allowed: 0 to {}, the end of the "
                                    "appended data",
                                    printable(name), printable(offset_text), appended_.size()));
        raw = RawSource(appended_.substr(static_cast<std::size_t>(*offset)));
        base64 = Base64Source(appended_.substr(static_cast<std::size_t>(*offset)));
    }
    ByteSource& source = appended && appended_raw_ ? static_cast<ByteSource&>(raw) : base64;
    try {
        if constexpr (std::is_same_v<Value, double>)
            return take_numbers(source, *type, n, encoding_);
        else
            return take_wholes(source, *type, n, encoding_);
    } catch (const ArrayFault& fault) {
        fail(array, fmt::format("array '{}': {}", printable(name), fault.reason));
    }
}

template <class Value>
std::vector<Value> VtuReader::values(pugi::xml_node array, std::size_t n) const {
    const std::string_view format = array.attribute("format").as_string("ascii");
    if (format == "ascii") return text_values<Value>(array, n);
    if (format == "binary" || format == "appended") return binary_values<Value>(array, n);
    fail(array, fmt::format("format '{}'; allowed: ascii, binary, appended", printable(format)));
}

void VtuReader::add_cell(pugi::xml_node piece, std::size_t cell, std::int64_t type,
                         std::span<const std::int64_t> nodes, Index first_node,
                         std::size_t n_points) {
    const VtkCellType* row = find_vtk_cell(type);
    if (!row && (type < 1 || type > last_vtk_type))
        fail(piece, fmt::format("cell {} has type {}; supported: 10 (tetrahedron), other types of "
                                "VTK are passed over",
                                cell, type));
    const auto node_at = [&](std::size_t k) {
        if (nodes[k] < 0 || nodes[k] >= static_cast<std::int64_t>(n_points))
            fail(piece, fmt::format("cell {} uses node {}, which is not there; valid: 0 to {}",
                                    cell, nodes[k], static_cast<std::int64_t>(n_points) - 1));
        return first_node + static_cast<Index>(nodes[k]);
    };
    if (!row || !row->tet) {
        ++other_cells_[row ? std::string(row->name) : fmt::format("cells of type {}", type)];
        tet_cell_.push_back(-1);
        if (!faces_ || !row || !row->face) return;
        std::vector<Index> corners;
        for (std::size_t k = 0; k < nodes.size(); ++k) corners.push_back(node_at(k));
        triangulate_polygon(mesh_.nodes, corners, triangles_);
        return;
    }
    if (row->n_nodes > 0 ? nodes.size() != static_cast<std::size_t>(row->n_nodes)
                         : nodes.size() < 4)
        fail(piece, fmt::format("cell {} has {} nodes; expected {} for {}", cell, nodes.size(),
                                row->n_nodes > 0 ? std::to_string(row->n_nodes) : "at least 4",
                                row->name));
    if (type != 10 && !options_.linearise)
        fail(piece,
             fmt::format("cell {}: {}: use --linearise to read their corners", cell, row->name));
    Tet tet;
    for (std::size_t k = 0; k < 4; ++k) tet[k] = node_at(k);
    tet_cell_.push_back(mesh_.n_tets());
    mesh_.tets.push_back(tet);
}

void VtuReader::read_cells(pugi::xml_node piece, Index first_node, std::size_t n_points) {
    const std::size_t n = count_of(piece, "NumberOfCells");
    const pugi::xml_node cells = piece.child("Cells");
    tet_cell_.clear();
    if (n == 0) return;
    for (const char* name : {"connectivity", "offsets", "types"})
        if (!array_named(cells, name)) fail(piece, fmt::format("<Cells> has no '{}' array", name));
    const auto offsets = values<std::int64_t>(array_named(cells, "offsets"), n);
    const auto types = values<std::int64_t>(array_named(cells, "types"), n);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < n; before = offsets[i++])
        if (offsets[i] <= before)
            fail(cells, fmt::format("offset {} of cell {} does not increase; it follows {}",
                                    offsets[i], i, before));
    const auto connectivity =
        values<std::int64_t>(array_named(cells, "connectivity"), static_cast<std::size_t>(before));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto end = static_cast<std::size_t>(offsets[i]);
        add_cell(cells, i, types[i], std::span(connectivity).subspan(begin, end - begin),
                 first_node, n_points);
        begin = end;
    }
}

/// node_id, tet_id and "group:<name>" as write_vtu stores them.
void VtuReader::read_ids_and_groups(pugi::xml_node piece, std::size_t n_points) {
    const auto first_node = static_cast<Index>(mesh_.nodes.size() - n_points);
    constexpr std::string_view group = "group:";
    if (const pugi::xml_node ids = array_named(piece.child("PointData"), "node_id")) {
        const auto found = values<std::int64_t>(ids, n_points);
        mesh_.node_ids.insert(mesh_.node_ids.end(), found.begin(), found.end());
    }
    if (const pugi::xml_node ids = array_named(piece.child("CellData"), "tet_id")) {
        const auto found = values<std::int64_t>(ids, tet_cell_.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            if (tet_cell_[i] >= 0) mesh_.tet_ids.push_back(found[i]);
    }
    for (pugi::xml_node array : piece.child("PointData").children("DataArray")) {
        const std::string_view name = array.attribute("Name").value();
        if (!name.starts_with(group)) continue;
        const auto flags = values<std::int64_t>(array, n_points);
        std::vector<Index>& members = mesh_.node_groups[std::string(name.substr(group.size()))];
        for (std::size_t i = 0; i < n_points; ++i)
            if (flags[i]) members.push_back(first_node + static_cast<Index>(i));
    }
    for (pugi::xml_node array : piece.child("CellData").children("DataArray")) {
        const std::string_view name = array.attribute("Name").value();
        if (!name.starts_with(group)) continue;
        const auto flags = values<std::int64_t>(array, tet_cell_.size());
        std::vector<Index>& members = mesh_.tet_groups[std::string(name.substr(group.size()))];
        for (std::size_t i = 0; i < flags.size(); ++i)
            if (flags[i] && tet_cell_[i] >= 0) members.push_back(tet_cell_[i]);
    }
}

void VtuReader::read_piece(pugi::xml_node piece) {
    const std::size_t n_points = count_of(piece, "NumberOfPoints");
    if (mesh_.nodes.size() + n_points > std::numeric_limits<Index>::max())
        fail(piece, "more points than limber can number");
    const auto first_node = static_cast<Index>(mesh_.nodes.size());
    if (n_points > 0) {
        const pugi::xml_node points = piece.child("Points").child("DataArray");
        if (!points) fail(piece, "<Points> has no array");
        if (points.attribute("NumberOfComponents").as_int(0) != 3)
            fail(points, fmt::format("points have {} components; expected 3",
                                     points.attribute("NumberOfComponents").as_int(0)));
        const auto xyz = values<double>(points, n_points * 3);
        for (std::size_t i = 0; i < n_points; ++i) {
            const Vec3d p{xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
            if (!is_finite(p))
                fail(points, fmt::format("point {} is ({}, {}, {}); expected finite numbers", i,
                                         p.x, p.y, p.z));
            mesh_.nodes.push_back(p);
        }
    }
    read_cells(piece, first_node, n_points);
    read_ids_and_groups(piece, n_points);
}

/// Ids must be there for all and different, else nodes and tets count from 0.
void VtuReader::finish_ids() {
    const auto settle = [](std::vector<FileId>& ids, std::size_t n) {
        std::vector<FileId> sorted = ids;
        std::sort(sorted.begin(), sorted.end());
        if (ids.size() == n && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
            return true;
        const bool given = !ids.empty();
        ids.resize(n);
        for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<FileId>(i);
        return !given;
    };
    if (!settle(mesh_.node_ids, mesh_.nodes.size()))
        throw InputError({file_}, "array 'node_id' does not give every point an id of its own");
    if (!settle(mesh_.tet_ids, mesh_.tets.size()))
        throw InputError({file_}, "array 'tet_id' does not give every cell an id of its own");
}

MeshAsRead VtuReader::read() {
    parse();
    read_root();
    const pugi::xml_node grid = document_.child("VTKFile").child("UnstructuredGrid");
    if (!grid.child("Piece")) throw InputError({file_}, "no <Piece> found in <UnstructuredGrid>");
    for (pugi::xml_node piece : grid.children("Piece")) read_piece(piece);

    std::string others;
    for (const auto& [kind, n] : other_cells_)
        others += fmt::format("{}{} {}", others.empty() ? "" : ", ", n, kind);
    if (faces_) {
        if (triangles_.empty())
            throw InputError({file_},
                             "no triangles in mesh" + (others.empty() ? "" : "; it has " + others));
        return {{}, {std::move(mesh_.nodes), std::move(triangles_)}, {}};
    }
    if (mesh_.tets.empty())
        throw InputError({file_},
                         "no tetrahedra in mesh" + (others.empty() ? "" : "; it has " + others));
    finish_ids();
    MeshAsRead result{std::move(mesh_), {}, {}};
    if (!others.empty())
        result.warnings.push_back("cells that are not tetrahedra are not simulated: " + others);
    return result;
}

}  // namespace

MeshAsRead read_vtu(const MeshSource& source, const ReadMeshOptions& options) {
    return VtuReader(source, options).read();
}

}  // namespace limber

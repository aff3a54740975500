// SPDX-License-Identifier: Apache-2.0
// Abaqus .inp: *NODE, *ELEMENT, *NSET and *ELSET; other keywords are passed over. Abaqus Keywords
// Reference Guide. Data lines that end in a comma go on in the next line.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "limber/io/formats.h"
#include "limber/io/text_scanner.h"

namespace limber {

namespace {

struct AbaqusCell {
    std::string_view prefix;  // of the type's name
    int dimension;
    std::size_t n_nodes;
    std::string_view name;
    bool tet = false;
};
/// The first row that fits counts: longer prefixes come first.
constexpr AbaqusCell abaqus_cells[] = {
    {"C3D10", 3, 10, "10-node tetrahedra", true},
    {"C3D4", 3, 4, "tetrahedra", true},
    {"C3D15", 3, 15, "15-node prisms"},
    {"C3D20", 3, 20, "20-node hexahedra"},
    {"C3D27", 3, 27, "27-node hexahedra"},
    {"C3D5", 3, 5, "pyramids"},
    {"C3D6", 3, 6, "prisms"},
    {"C3D8", 3, 8, "hexahedra"},
    {"STRI3", 2, 3, "triangles"},
    {"CPS3", 2, 3, "triangles"},
    {"CPE3", 2, 3, "triangles"},
    {"CPS4", 2, 4, "quadrangles"},
    {"CPE4", 2, 4, "quadrangles"},
    {"SFM3D3", 2, 3, "triangles"},
    {"SFM3D4", 2, 4, "quadrangles"},
    {"M3D3", 2, 3, "triangles"},
    {"M3D4", 2, 4, "quadrangles"},
    {"S3", 2, 3, "triangles"},
    {"S4", 2, 4, "quadrangles"},
    {"R3D3", 2, 3, "triangles"},
    {"R3D4", 2, 4, "quadrangles"},
    {"T3D2", 1, 2, "lines"},
    {"B31", 1, 2, "lines"},
};

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\"";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class AbaqusReader {
  public:
    AbaqusReader(const MeshSource& source, const ReadMeshOptions& options)
        : scan_(source.bytes, source.file), builder_(source), options_(options) {
        scan_.set_separator(',');
    }
    MeshAsRead read();

  private:
    struct Set {
        FileId number = 0;
        std::vector<FileId> ids;
    };
    using Sets = std::map<std::string, Set, std::less<>>;

    void begin_keyword();
    bool has(std::string_view parameter) const { return parameters_.count(parameter) > 0; }
    std::string value_of(std::string_view parameter) const {
        const auto found = parameters_.find(parameter);
        return found == parameters_.end() ? "" : found->second;
    }
    void read_data();
    void gather();
    void read_node();
    void read_element();
    void read_set(Sets& sets);
    void add_to_set(Sets& sets, int dimension, const std::string& name, FileId id);
    Set& set_named(Sets& sets, int dimension, const std::string& name);

    TextScanner scan_;
    MeshBuilder builder_;
    const ReadMeshOptions& options_;
    std::string keyword_;
    std::map<std::string, std::string, std::less<>> parameters_;  // names in capitals
    std::vector<std::string_view> record_;                        // fields of a data line
    Sets node_sets_, element_sets_;
    std::size_t n_members_ = 0;
    bool have_nodes_ = false;
};

/// "*ELEMENT, TYPE=C3D4, ELSET=name".
void AbaqusReader::begin_keyword() {
    std::string_view rest = scan_.line();
    parameters_.clear();
    bool first = true;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view part = trimmed(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const std::size_t equals = std::min(part.find('='), part.size());
        if (first)
            keyword_ = upper(part);
        else
            parameters_[upper(trimmed(part.substr(0, equals)))] =
                std::string(trimmed(part.substr(std::min(equals + 1, part.size()))));
        first = false;
    }
    if (keyword_ == "*INCLUDE")
        scan_.fail("*INCLUDE: included files are not read; put their text in its place");
    if (keyword_ == "*ELEMENT" && !has("TYPE")) scan_.fail("*ELEMENT without TYPE=");
}

/// The fields of this line and of those it goes on in.
void AbaqusReader::gather() {
    record_.clear();
    for (;;) {
        for (std::size_t i = 0; i < scan_.n_fields(); ++i) record_.push_back(scan_.field(i));
        if (!trimmed(scan_.line()).ends_with(',') || record_.size() > 64) return;
        const std::size_t next = scan_.whole_text().find_first_not_of(" \t\r\n", scan_.position());
        if (next == std::string_view::npos || scan_.whole_text()[next] == '*') return;
        scan_.next_line();
    }
}

FileId whole_of(const TextScanner& scan, std::string_view text, std::string_view what) {
    const std::optional<std::int64_t> value = parse_whole(text);
    if (!value) scan.fail(fmt::format("{} '{}'; expected a whole number", what, printable(text)));
    return *value;
}

void AbaqusReader::read_node() {
    have_nodes_ = true;
    if (record_.size() < 4 || record_.size() > 7)
        scan_.fail(fmt::format("{} fields; expected 4: node id, x, y, z", record_.size()));
    const FileId id = whole_of(scan_, record_[0], "node id");
    double x[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const std::optional<double> value = parse_finite(record_[1 + k]);
        if (!value)
            scan_.fail(
                fmt::format("'{}'; expected a finite decimal number", printable(record_[1 + k])));
        x[k] = *value;
    }
    builder_.add_node(id, {x[0], x[1], x[2]}, scan_.where());
    if (has("NSET")) add_to_set(node_sets_, 0, value_of("NSET"), id);
}

void AbaqusReader::read_element() {
    const std::string type = upper(value_of("TYPE"));
    const auto* cell =
        std::find_if(std::begin(abaqus_cells), std::end(abaqus_cells),
                     [&](const AbaqusCell& c) { return type.starts_with(c.prefix); });
    const FileId id = whole_of(scan_, record_[0], "element id");
    if (cell == std::end(abaqus_cells)) {
        builder_.add_other_cell(id, 3, "elements of type " + printable(type, 20), {}, {},
                                scan_.where());
        return;
    }
    if (cell->tet && cell->n_nodes > 4 && !options_.linearise)
        scan_.fail("10-node tetrahedra: use --linearise to read their corners");
    if (record_.size() != 1 + cell->n_nodes)
        scan_.fail(fmt::format("element {} has {} node ids; expected {} for {}", id,
                               record_.size() - 1, cell->n_nodes, cell->name));
    std::vector<FileId> nodes;
    for (std::size_t k = 1; k < record_.size(); ++k)
        nodes.push_back(whole_of(scan_, record_[k], "node id"));
    if (cell->tet)
        builder_.add_tet(id, {nodes[0], nodes[1], nodes[2], nodes[3]}, {}, scan_.where());
    else
        builder_.add_other_cell(id, cell->dimension, cell->name, nodes, {}, scan_.where());
    if (has("ELSET")) add_to_set(element_sets_, 3, value_of("ELSET"), id);
}

AbaqusReader::Set& AbaqusReader::set_named(Sets& sets, int dimension, const std::string& name) {
    if (name.empty()) scan_.fail("a set without a name");
    Set& set = sets[name];
    if (set.number == 0) {
        set.number = static_cast<FileId>(sets.size());
        builder_.name_group(dimension, set.number, name);
    }
    return set;
}

void AbaqusReader::add_to_set(Sets& sets, int dimension, const std::string& name, FileId id) {
    Set& set = set_named(sets, dimension, name);
    // Sets of sets and generated sets can grow without end in a small file.
    constexpr std::size_t ids_per_byte = 10;
    if (++n_members_ > 1000 + ids_per_byte * scan_.whole_text().size())
        scan_.fail("the sets have more members than the file can hold");
    set.ids.push_back(id);
    if (dimension == 0)
        builder_.mark_node(0, set.number, id, scan_.where());
    else
        builder_.mark_tet_id(set.number, id, scan_.where());
}

/// Ids or names of earlier sets; with GENERATE first, last and step.
void AbaqusReader::read_set(Sets& sets) {
    const bool nodes = &sets == &node_sets_;
    const int dimension = nodes ? 0 : 3;
    const std::string name = value_of(nodes ? "NSET" : "ELSET");
    set_named(sets, dimension, name);
    if (has("GENERATE")) {
        constexpr FileId most = FileId{1} << 40;
        if (record_.size() != 2 && record_.size() != 3)
            scan_.fail(fmt::format("{} fields; expected 3: first, last, step", record_.size()));
        const FileId first = whole_of(scan_, record_[0], "first id");
        const FileId last = whole_of(scan_, record_[1], "last id");
        const FileId step = record_.size() > 2 ? whole_of(scan_, record_[2], "step") : 1;
        if (first < 0 || last < first || step < 1 || last > most)
            scan_.fail(fmt::format("from {} to {} by {}; allowed: rising, at most {}", first, last,
                                   step, most));
        for (FileId id = first; id <= last; id += step) add_to_set(sets, dimension, name, id);
        return;
    }
    for (std::string_view field : record_) {
        const std::optional<std::int64_t> id = parse_whole(field);
        if (id) {
            add_to_set(sets, dimension, name, *id);
            continue;
        }
        const auto other = sets.find(field);
        if (other == sets.end() || other->first == name)
            scan_.fail(fmt::format("'{}'; expected an id or the name of an earlier set",
                                   printable(field)));
        for (const std::vector<FileId> ids = other->second.ids; FileId member : ids)
            add_to_set(sets, dimension, name, member);
    }
}

void AbaqusReader::read_data() {
    gather();
    if (record_.empty()) return;
    if (keyword_ == "*NODE")
        read_node();
    else if (keyword_ == "*ELEMENT")
        read_element();
    else if (keyword_ == "*NSET")
        read_set(node_sets_);
    else if (keyword_ == "*ELSET")
        read_set(element_sets_);
}

MeshAsRead AbaqusReader::read() {
    while (scan_.next_line()) {
        if (scan_.field(0).starts_with("**")) continue;
        if (scan_.field(0).starts_with('*'))
            begin_keyword();
        else
            read_data();
    }
    if (!have_nodes_) throw InputError({scan_.file()}, "no *NODE section");
    return builder_.build();
}

}  // namespace

bool is_abaqus(std::string_view bytes) {
    const std::string head = upper(bytes.substr(0, 100'000));
    return head.find("*NODE") != head.npos || head.find("*HEADING") != head.npos;
}

MeshAsRead read_abaqus(const MeshSource& source, const ReadMeshOptions& options) {
    return AbaqusReader(source, options).read();
}

}  // namespace limber

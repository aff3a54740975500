// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/build_loads.h"

#include <charconv>
#include <cmath>

#include "limber/io/file.h"

namespace limber {

namespace {

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
        s.remove_suffix(1);
    return s;
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = line.find(',');
        fields.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos) return fields;
        line.remove_prefix(comma + 1);
    }
}

template <class T>
T parsed(std::string_view text, const SourcePlace& place, const char* wanted) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool good = error == std::errc() && end == text.data() + text.size() && !text.empty();
    if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(value);
    if (!good) throw InputError(place, "found '" + printable(text) + "'; allowed: " + wanted);
    return value;
}

NodeLoad parse_line(std::string_view line, const SourcePlace& place) {
    const auto fields = split(line);
    if (fields.size() != 4)
        throw InputError(
            place, "found " + std::to_string(fields.size()) + " values; allowed: 4, node,fx,fy,fz");
    NodeLoad load;
    load.node = parsed<FileId>(fields[0], place, "the whole number of a node");
    for (int i = 0; i < 3; ++i)
        load.force[i] =
            parsed<double>(fields[static_cast<std::size_t>(i) + 1], place, "a finite number [N]");
    load.line = place.line;
    return load;
}

/// The boundary faces with all nodes selected, and what each gives its corners [m²].
std::vector<double> selected_area(const std::vector<char>& chosen, const PlacedBody& placed,
                                  const Body& body, double& total) {
    std::vector<double> area(chosen.size(), 0);
    total = 0;
    for (const Triangle& face : body.surface) {
        const Index a = face[0] - body.node_begin, b = face[1] - body.node_begin,
                    c = face[2] - body.node_begin;
        if (!chosen[a] || !chosen[b] || !chosen[c]) continue;
        const auto& x = placed.mesh.nodes;
        const double third = norm(cross(x[b] - x[a], x[c] - x[a])) / 6;
        for (const Index corner : {a, b, c}) area[corner] += third;
        total += 3 * third;
    }
    return area;
}

void share_by_area(const ForceDef& def, const std::vector<Index>& nodes, const PlacedBody& placed,
                   const Body& body, NodalForce& out) {
    std::vector<char> chosen(placed.mesh.nodes.size(), 0);
    for (const Index node : nodes) chosen[node] = 1;
    double total = 0;
    const std::vector<double> area = selected_area(chosen, placed, body, total);
    if (total > 0) {
        const Vec3d per_area = def.traction ? *def.traction : (1 / total) * *def.total;
        for (const Index node : nodes)
            if (area[node] > 0) {
                out.nodes.push_back(body.node_begin + node);
                out.share.push_back(area[node] * per_area);
            }
        return;
    }
    if (def.traction)
        throw InputError(def.origin.at("traction"),
                         def.origin.path + ": no boundary face of body '" + body.name +
                             "' has all three nodes selected; a traction needs one");
    for (const Index node : nodes) {
        out.nodes.push_back(body.node_begin + node);
        out.share.push_back((1.0 / static_cast<double>(nodes.size())) * *def.total);
    }
}

void loads_of_file(const ForceDef& def, const PlacedBody& placed, const Body& body,
                   NodalForce& out) {
    const std::string path(*def.file);
    std::map<Index, NodeLoad> by_node;
    for (const NodeLoad& load : read_loads_csv(path)) {
        const SourcePlace place{path, load.line, 1};
        const Index node = node_with_id(load.node, placed, place, def.origin.path + ".file");
        const auto [first, fresh] = by_node.emplace(node, load);
        if (!fresh)
            throw InputError(place, "node " + std::to_string(load.node) +
                                        " is given twice; first at line " +
                                        std::to_string(first->second.line));
    }
    if (by_node.empty()) throw InputError({path}, "the file has no loads");
    for (const auto& [node, load] : by_node) {
        out.nodes.push_back(body.node_begin + node);
        out.share.push_back(load.force);
    }
}

}  // namespace

std::vector<NodeLoad> read_loads_csv(const std::string& path) {
    const std::string text = read_text_file(path);
    std::vector<NodeLoad> loads;
    int line_number = 0;
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
        at = end + 1;
        ++line_number;
        if (line.empty() || line[0] == '#') continue;
        const bool header = first && split(line)[0] == "node";
        first = false;
        if (!header) loads.push_back(parse_line(line, {path, line_number, 1}));
    }
    return loads;
}

NodalForce nodal_force(const ForceDef& def, std::size_t number, const PlacedBody& placed,
                       const Body& body) {
    NodalForce out;
    out.label = "force " + std::to_string(number) + " (body '" + body.name + "')";
    if (def.times) out.scale = {*def.times, *def.scale};
    if (def.file) {
        loads_of_file(def, placed, body, out);
        return out;
    }
    std::vector<Index> nodes;
    if (def.select) {
        nodes = select_nodes(*def.select, placed);
    } else {
        for (Index i = 0; i < placed.mesh.n_nodes(); ++i) nodes.push_back(i);
    }
    if (def.each) {
        for (const Index node : nodes) {
            out.nodes.push_back(body.node_begin + node);
            out.share.push_back(*def.each);
        }
    } else {
        share_by_area(def, nodes, placed, body, out);
    }
    return out;
}

}  // namespace limber

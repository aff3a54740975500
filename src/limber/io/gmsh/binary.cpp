// SPDX-License-Identifier: Apache-2.0
// The binary bodies of Gmsh 2.2, 4.0 and 4.1. Gmsh reference manual, "MSH file format"; int has 4
// bytes, size_t and double have 8.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "limber/io/gmsh/gmsh.h"

namespace limber {

namespace {

constexpr std::size_t vec_size = 3 * sizeof(double);

Vec3d vec_at(const char* p, bool swap) {
    return {value_at<double>(p, swap), value_at<double>(p + 8, swap),
            value_at<double>(p + 16, swap)};
}

void add_node(GmshInput& in, const BinaryScanner& data, FileId id, const Vec3d& p,
              std::size_t offset) {
    if (!is_finite(p))
        data.fail(
            fmt::format("node {} is at ({}, {}, {}); expected finite numbers", id, p.x, p.y, p.z));
    in.builder.add_node(id, p, data.where() + static_cast<std::int64_t>(offset));
}

const GmshCellType& take_cell_type(GmshInput& in, BinaryScanner& data) {
    const auto number = data.take<std::int32_t>();
    const GmshCellType* type = find_gmsh_cell(number);
    const std::string refusal = gmsh_cell_refusal(type, number, in.options.linearise);
    if (!refusal.empty()) data.fail(refusal);
    return *type;
}

int take_dimension(BinaryScanner& data) {
    const auto dimension = data.take<std::int32_t>();
    if (dimension < 0 || dimension > 3)
        data.fail(fmt::format("entity dimension {}; allowed: 0 to 3", dimension));
    return dimension;
}

/// n cells of one type: an id, tags to pass over, node ids, all of type Id.
template <class Id>
void add_cells(GmshInput& in, BinaryScanner& data, const GmshCellType& type, std::size_t n,
               std::size_t n_tags, std::span<const FileId> groups) {
    const auto n_nodes = static_cast<std::size_t>(type.n_nodes);
    const std::size_t width = (1 + n_tags + n_nodes) * sizeof(Id);
    const char* p = data.take_bytes(n * width);
    const bool swap = data.swap;
    const auto id_at = [swap](const char* at) {
        return static_cast<FileId>(value_at<Id>(at, swap));
    };
    std::int64_t where = data.where();
    for (std::size_t i = 0; i < n; ++i, p += width, where += static_cast<std::int64_t>(width)) {
        const char* nodes = p + (1 + n_tags) * sizeof(Id);
        const FileId physical = n_tags ? id_at(p + sizeof(Id)) : 0;
        const std::span<const FileId> in_groups =
            n_tags ? std::span<const FileId>(&physical, physical != 0 ? 1 : 0) : groups;
        if (type.tet) {
            in.builder.add_tet(id_at(p),
                               {id_at(nodes), id_at(nodes + sizeof(Id)),
                                id_at(nodes + 2 * sizeof(Id)), id_at(nodes + 3 * sizeof(Id))},
                               in_groups, where);
            continue;
        }
        in.cell_nodes.clear();
        for (std::size_t k = 0; k < n_nodes; ++k)
            in.cell_nodes.push_back(id_at(nodes + k * sizeof(Id)));
        in.builder.add_other_cell(id_at(p), type.dimension, type.name, in.cell_nodes, in_groups,
                                  where);
    }
}

// ---- 2.2: counts in text, then records of ints and doubles

void read_nodes22(GmshInput& in) {
    in.next_entry("nodes", 0, 1);
    in.scan.require_fields(1, "number of nodes");
    constexpr std::size_t width = 4 + vec_size;
    const std::size_t n = in.scan.count(0, "nodes", width);
    in.builder.reserve_nodes(in.scan.capacity(n, width));
    BinaryScanner data = in.begin_binary();
    for (std::size_t i = 0; i < n; ++i) {
        data.set_entry(i);
        const char* p = data.take_bytes(width);
        add_node(in, data, value_at<std::int32_t>(p, data.swap), vec_at(p + 4, data.swap), 0);
    }
    in.end_binary(data, "nodes", n);
}

void read_elements22(GmshInput& in) {
    constexpr std::int32_t max_tags = 1024;
    in.next_entry("elements", 0, 1);
    in.scan.require_fields(1, "number of elements");
    const std::size_t total = in.scan.count(0, "elements", 8);
    in.builder.reserve_tets(in.scan.capacity(total, 20));
    BinaryScanner data = in.begin_binary();
    for (std::size_t done = 0; done < total;) {
        data.set_entry(done);
        const GmshCellType& type = take_cell_type(in, data);
        const auto announced = data.take<std::int32_t>();
        const auto n_tags = data.take<std::int32_t>();
        if (n_tags < 0 || n_tags > max_tags)
            data.fail(fmt::format("tag count {}; allowed: 0 to {}", n_tags, max_tags));
        const std::size_t n = data.count(announced, "elements",
                                         4 * static_cast<std::size_t>(1 + n_tags + type.n_nodes));
        if (n == 0 || n > total - done)
            data.fail(fmt::format("section {} ({}) announces {} elements; its blocks hold {}",
                                  in.section, in.begun(), total, done + n));
        add_cells<std::int32_t>(in, data, type, n, static_cast<std::size_t>(n_tags), {});
        done += n;
    }
    in.end_binary(data, "elements", total);
}

// ---- 4.0 and 4.1

void take_entity(GmshInput& in, BinaryScanner& data, int dimension, bool v41) {
    const FileId tag = data.take<std::int32_t>();
    data.take_bytes(v41 && dimension == 0 ? vec_size : 2 * vec_size);
    const std::size_t n = data.count(data.take<std::int64_t>(), "physical groups", 4);
    std::vector<FileId> groups;
    for (std::size_t i = 0; i < n; ++i) {
        const FileId number = data.take<std::int32_t>();
        groups.push_back(number < 0 ? -number : number);  // the sign is an orientation
    }
    in.entity_groups[{dimension, tag}] = std::move(groups);
    if (dimension > 0)
        data.take_bytes(4 * data.count(data.take<std::int64_t>(), "bounding entities", 4));
}

template <bool v41>
void read_entities(GmshInput& in) {
    BinaryScanner data = in.begin_binary();
    std::size_t n[4], total = 0;
    for (std::size_t& of_dimension : n)
        total += of_dimension = data.count(data.take<std::int64_t>(), "entities", 12 + vec_size);
    std::size_t done = 0;
    for (int d = 0; d < 4; ++d)
        for (std::size_t i = 0; i < n[d]; ++i) {
            data.set_entry(done++);
            take_entity(in, data, d, v41);
        }
    in.end_binary(data, "entities", total);
}

struct Block {
    int dimension = 0;
    FileId tag = 0;
};
/// 4.0 gives the tag first.
Block take_block(BinaryScanner& data, bool v41) {
    Block block;
    if (!v41) block.tag = data.take<std::int32_t>();
    block.dimension = take_dimension(data);
    if (v41) block.tag = data.take<std::int32_t>();
    return block;
}

struct Announced {
    std::size_t blocks = 0, entries = 0;
};
Announced take_announced(BinaryScanner& data, std::string_view what, std::size_t bytes_each,
                         bool v41) {
    const auto blocks = data.take<std::int64_t>();
    const std::size_t n_blocks = data.count(blocks, "blocks", 20);
    const auto entries = data.take<std::int64_t>();
    const std::size_t n_entries = data.count(entries, what, bytes_each);
    if (v41) data.take_bytes(16);  // smallest and largest tag
    return {n_blocks, n_entries};
}

std::size_t take_block_size(const GmshInput& in, BinaryScanner& data, std::string_view what,
                            std::size_t bytes_each, std::size_t done, std::size_t total) {
    const std::size_t n = data.count(data.take<std::int64_t>(), what, bytes_each);
    if (n > total - done)
        data.fail(fmt::format("section {} ({}) announces {} {}; its blocks hold at least {}",
                              in.section, in.begun(), total, what, done + n));
    return n;
}

void require_total(const GmshInput& in, const BinaryScanner& data, std::string_view what,
                   std::size_t done, std::size_t total) {
    if (done != total)
        data.fail(fmt::format("section {} ({}) announces {} {}; its blocks hold {}", in.section,
                              in.begun(), total, what, done));
}

/// 4.1: all tags of a block, then all coordinates. 4.0: a tag of 4 bytes before each point.
template <bool v41>
void read_nodes(GmshInput& in) {
    constexpr std::size_t tag_size = v41 ? 8 : 4;
    BinaryScanner data = in.begin_binary();
    const auto [n_blocks, total] = take_announced(data, "nodes", tag_size + vec_size, v41);
    in.builder.reserve_nodes(total);
    std::size_t done = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        data.set_entry(done);
        const Block block = take_block(data, v41);
        const bool parametric = data.take<std::int32_t>() != 0;
        const std::size_t point =
            vec_size + (parametric ? 8 * static_cast<std::size_t>(block.dimension) : 0);
        const std::size_t n = take_block_size(in, data, "nodes", tag_size + point, done, total);
        const char* tags = data.take_bytes(v41 ? n * tag_size : 0);
        const char* points = data.take_bytes(n * (v41 ? point : tag_size + point));
        for (std::size_t i = 0; i < n; ++i) {
            const char* p = points + i * (v41 ? point : tag_size + point);
            if constexpr (v41)
                add_node(in, data, value_at<std::int64_t>(tags + i * tag_size, data.swap),
                         vec_at(p, data.swap), i * point);
            else
                add_node(in, data, value_at<std::int32_t>(p, data.swap),
                         vec_at(p + tag_size, data.swap), i * (tag_size + point));
        }
        done += n;
    }
    require_total(in, data, "nodes", done, total);
    in.end_binary(data, "nodes", total);
}

template <bool v41>
void read_elements(GmshInput& in) {
    using Id = std::conditional_t<v41, std::int64_t, std::int32_t>;
    BinaryScanner data = in.begin_binary();
    const auto [n_blocks, total] = take_announced(data, "elements", 2 * sizeof(Id), v41);
    in.builder.reserve_tets(std::min(total, data.bytes_left() / (5 * sizeof(Id))));
    std::size_t done = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) {
        data.set_entry(done);
        const Block block = take_block(data, v41);
        const GmshCellType& type = take_cell_type(in, data);
        const std::size_t n =
            take_block_size(in, data, "elements",
                            static_cast<std::size_t>(1 + type.n_nodes) * sizeof(Id), done, total);
        const std::vector<FileId> groups = in.entity_groups[{block.dimension, block.tag}];
        add_cells<Id>(in, data, type, n, 0, groups);
        done += n;
    }
    require_total(in, data, "elements", done, total);
    in.end_binary(data, "elements", total);
}

constexpr GmshSection sections22[] = {{"$PhysicalNames", read_physical_names},
                                      {"$Nodes", read_nodes22},
                                      {"$Elements", read_elements22}};
constexpr GmshSection sections40[] = {{"$PhysicalNames", read_physical_names},
                                      {"$Entities", read_entities<false>},
                                      {"$Nodes", read_nodes<false>},
                                      {"$Elements", read_elements<false>}};
constexpr GmshSection sections41[] = {{"$PhysicalNames", read_physical_names},
                                      {"$Entities", read_entities<true>},
                                      {"$Nodes", read_nodes<true>},
                                      {"$Elements", read_elements<true>}};

}  // namespace

std::span<const GmshSection> gmsh22_binary_sections() {
    return sections22;
}
std::span<const GmshSection> gmsh40_binary_sections() {
    return sections40;
}
std::span<const GmshSection> gmsh41_binary_sections() {
    return sections41;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// What holds for every format: the samples are read alike, whole, cut or damaged.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "io/samples.h"
#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/formats.h"
#include "limber/io/mesh_reader.h"

namespace limber {
namespace {

using test::Sample;

/// Reads a sample from a file, as TetGen needs two.
LoadedMesh read_sample(const TempFolder& folder, const Sample& sample, std::string_view bytes,
                       const ReadMeshOptions& options = {}) {
    if (sample.other.empty()) return read_tet_mesh_text(bytes, "sample", options);
    folder.file("s.ele", sample.other);
    return read_tet_mesh(folder.file("s.node", bytes), options);
}

TEST(EveryFormat, reads_two_tets_with_their_group) {
    const TempFolder folder;
    for (const Sample& sample : test::volume_samples()) {
        SCOPED_TRACE(sample.name);
        const LoadedMesh loaded = read_sample(folder, sample, sample.bytes);
        EXPECT_EQ(loaded.format, sample.format);
        const TetMesh& mesh = loaded.mesh;
        ASSERT_EQ(mesh.n_nodes(), 5);
        EXPECT_EQ(mesh.nodes[3], (Vec3d{0, 0, 1}));
        EXPECT_EQ(mesh.nodes[4], (Vec3d{1, 1, 1}));
        EXPECT_EQ(mesh.tets, (std::vector<Tet>{{0, 1, 2, 3}, {1, 2, 3, 4}}));
        std::string group = "none";
        for (const char* name : {"soft", "physical_7", "ref_7", "material_7", "region_7"})
            if (mesh.tet_groups.count(name)) group = name;
        ASSERT_NE(group, "none");
        EXPECT_EQ(mesh.tet_groups.at(group).size(), 2u);
    }
}

TEST(EveryFormat, keeps_sets_and_markers_as_groups) {
    const TempFolder folder;
    std::set<std::string> checked;
    for (const Sample& sample : test::volume_samples()) {
        const TetMesh mesh = read_sample(folder, sample, sample.bytes).mesh;
        const std::string name = sample.name;
        if (name == "abaqus") {
            EXPECT_EQ(mesh.node_groups.at("all").size(), 5u);
            EXPECT_EQ(mesh.node_groups.at("odd"), (std::vector<Index>{0, 2, 4}));
            EXPECT_EQ(mesh.node_groups.at("more"), (std::vector<Index>{0, 1, 2, 4}));
            checked.insert(name);
        } else if (name == "tetgen from 1") {
            EXPECT_EQ(mesh.node_groups.at("marker_2"), (std::vector<Index>{2, 3, 4}));
            checked.insert(name);
        } else if (name == "vega") {
            EXPECT_EQ(mesh.tet_groups.at("both").size(), 2u);
            checked.insert(name);
        } else if (name == "gmsh 2.2 binary") {
            EXPECT_EQ(mesh.node_groups.at("physical_4"), (std::vector<Index>{0, 1, 2}));
            checked.insert(name);
        }
    }
    EXPECT_EQ(checked.size(), 4u);
}

TEST(EveryFormat, reads_a_closed_surface) {
    for (const Sample& sample : test::surface_samples()) {
        SCOPED_TRACE(sample.name);
        const LoadedSurface loaded = read_surface_text(sample.bytes, "sample");
        EXPECT_EQ(loaded.format, sample.format);
        ASSERT_EQ(loaded.mesh.n_nodes(), 4);
        EXPECT_EQ(loaded.mesh.n_triangles(), 4);
        EXPECT_TRUE(inspect(loaded.mesh).manifold());
        EXPECT_DOUBLE_EQ(signed_volume(loaded.mesh), 1.0 / 6);
        try {
            read_tet_mesh_text(sample.bytes, "sample");
            ADD_FAILURE();
        } catch (const InputError& e) {
            EXPECT_NE(e.message().find("no tetrahedra in mesh; it has 4 "), std::string::npos)
                << e.what();
        }
    }
}

TEST(EveryFormat, accepts_any_line_end) {  // P07
    const TempFolder folder;
    const auto with = [](const std::string& text, const char* line_end) {
        std::string out;
        for (char c : text) out += c == '\n' ? std::string(line_end) : std::string(1, c);
        return out;
    };
    for (const char* line_end : {"\r\n", "\r"}) {
        for (Sample sample : test::volume_samples()) {
            if (sample.bytes.find('\0') != std::string::npos) continue;  // binary
            SCOPED_TRACE(sample.name);
            sample.other = with(sample.other, line_end);
            EXPECT_EQ(read_sample(folder, sample, with(sample.bytes, line_end)).mesh.n_tets(), 2);
        }
        for (const Sample& sample : test::surface_samples()) {
            if (sample.bytes.find('\0') != std::string::npos) continue;
            SCOPED_TRACE(sample.name);
            EXPECT_EQ(read_surface_text(with(sample.bytes, line_end), "s").mesh.n_triangles(), 4);
        }
    }
}

TEST(EveryFormat, cut_at_any_byte_is_refused_or_read_but_never_crashes) {  // P21
    const TempFolder folder;
    for (const Sample& sample : test::volume_samples()) {
        std::size_t taken = 0;
        for (std::size_t n = 0; n < sample.bytes.size(); ++n) {
            try {
                read_sample(folder, sample, std::string_view(sample.bytes).substr(0, n));
                ++taken;
            } catch (const InputError& e) {
                EXPECT_FALSE(e.place().file.empty()) << sample.name;
            }
        }
        // Labels and ends may be cut off where nothing announces them.
        EXPECT_LT(taken, 110u) << sample.name;
    }
    for (const Sample& sample : test::surface_samples())
        for (std::size_t n = 0; n < sample.bytes.size(); ++n) {
            try {
                EXPECT_GT(read_surface_text(std::string_view(sample.bytes).substr(0, n), "cut")
                              .mesh.n_triangles(),
                          0);
            } catch (const InputError&) {
            }
        }
}

std::string damaged(std::string bytes, std::mt19937& random) {
    const int n_changes = 1 + static_cast<int>(random() % 3);
    for (int k = 0; k < n_changes; ++k) {
        const std::size_t at = random() % bytes.size();
        switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes.erase(at, 1 + random() % 8);
                break;
            case 2:
                bytes.insert(at, bytes.substr(random() % bytes.size(), 8));
                break;
            default:
                bytes[at] = "0123456789-"[random() % 11];
                break;
        }
        if (bytes.empty()) bytes.push_back(0);
    }
    return bytes;
}

TEST(EveryFormat, damaged_anywhere_is_read_or_refused_but_never_crashes) {
    const TempFolder folder;
    std::mt19937 random(4711);
    int refused = 0, taken = 0;
    const auto attempt = [&](auto read) {
        try {
            read();
            ++taken;
        } catch (const InputError& e) {
            for (char c : std::string(e.what())) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
            ++refused;
        }
    };
    for (const Sample& sample : test::volume_samples())
        for (int i = 0; i < (sample.other.empty() ? 600 : 150); ++i) {
            const std::string bytes = damaged(sample.bytes, random);
            attempt([&] { read_sample(folder, sample, bytes); });
            attempt([&] { read_surface_text(bytes, "damaged"); });
        }
    for (const Sample& sample : test::surface_samples())
        for (int i = 0; i < 600; ++i) {
            const std::string bytes = damaged(sample.bytes, random);
            attempt([&] { read_surface_text(bytes, "damaged"); });
        }
    EXPECT_GT(refused, 5000);
    EXPECT_GT(taken, 1000);
}

TEST(Polygons, are_cut_inside_whatever_their_shape) {
    // A concave quadrangle (a dart), an L of six corners, and a comb whose corners a fan would
    // cross.
    const std::vector<std::pair<std::string, double>> shapes{
        {"0 0, 4 0, 1 1, 0 4", 4},
        {"0 4, 0 0, 4 0, 1 1", 4},
        {"0 0, 2 0, 2 1, 1 1, 1 2, 0 2", 3},
        {"0 0, 7 0, 7 3, 6 3, 6 1, 5 1, 5 3, 4 3, 4 1, 3 1, 3 3, 2 3, 2 1, 1 1, 1 3, 0 3", 15},
    };
    for (const auto& [corners, area] : shapes) {
        std::string obj;
        std::size_t n = 0, begin = 0;
        while (begin != std::string::npos) {
            const std::size_t comma = corners.find(',', begin);
            obj += "v ";
            obj += corners.substr(begin, comma - begin);
            obj += " 0\n";
            begin = comma == std::string::npos ? comma : comma + 1;
            ++n;
        }
        obj += "f";
        for (std::size_t i = 1; i <= n; ++i) obj.append(" ").append(std::to_string(i));
        const TriMesh mesh = read_surface_text(obj + "\n", "p.obj").mesh;
        EXPECT_EQ(mesh.triangles.size(), n - 2) << corners;
        double sum = 0;
        for (const auto& [a, b, c] : mesh.triangles) {
            const Vec3d twice = cross(mesh.nodes[b] - mesh.nodes[a], mesh.nodes[c] - mesh.nodes[a]);
            EXPECT_GE(twice.z, 0) << corners;
            sum += twice.z / 2;
        }
        EXPECT_NEAR(sum, area, 1e-12) << corners;
    }
}

TEST(Polygons, that_cross_themselves_still_give_triangles) {
    const TriMesh bow =
        read_surface_text("v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 2 2 0\nf 1 2 3 4 5\n", "p").mesh;
    EXPECT_EQ(bow.n_triangles(), 3);
}

}  // namespace
}  // namespace limber

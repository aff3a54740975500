// SPDX-License-Identifier: Apache-2.0
// The catalogue of bad mesh files (P and M) for the formats other than ASCII Gmsh and VTU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "io/samples.h"
#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"

namespace limber {
namespace {

using Words = std::vector<std::string>;

std::string sample(const std::string& name) {
    for (const auto& samples : {test::volume_samples(), test::surface_samples()})
        for (const test::Sample& s : samples)
            if (s.name == name) return s.bytes;
    throw std::logic_error("no sample " + name);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == text.npos) throw std::logic_error("the sample has no '" + from + "'");
    return text.replace(at, from.size(), to);
}

struct BadFile {
    const char* entry;
    std::string bytes;
    Words expected;
    int line = 0;  // 0: not checked; -1: a byte offset is due
};

template <class Read>
void expect_refused(const std::vector<BadFile>& files, Read read) {
    for (const BadFile& file : files) {
        SCOPED_TRACE(file.entry);
        try {
            read(file.bytes);
            ADD_FAILURE() << "was taken";
        } catch (const InputError& e) {
            EXPECT_EQ(e.place().file, "in.mesh");
            if (file.line > 0) {
                EXPECT_EQ(e.place().line, file.line) << e.what();
            }
            if (file.line < 0) {
                EXPECT_GE(e.place().offset, 0) << e.what();
            }
            for (const std::string& word : file.expected)
                EXPECT_NE(e.message().find(word), std::string::npos) << e.what();
        }
    }
}
void expect_refused_volume(const std::vector<BadFile>& files) {
    expect_refused(files, [](const std::string& b) { read_tet_mesh_text(b, "in.mesh"); });
}
void expect_refused_surface(const std::vector<BadFile>& files) {
    expect_refused(files, [](const std::string& b) { read_surface_text(b, "in.mesh"); });
}

/// `bytes` with the value at `offset` behind the end of `mark` replaced.
template <class T>
std::string patched(std::string bytes, const std::string& mark, std::size_t offset, T value,
                    bool big = false) {
    const std::size_t at = bytes.find(mark) + mark.size() + offset;
    return bytes.replace(at, sizeof(T), test::Bytes(big).put(value).text);
}

TEST(BadFormat, gmsh_1) {
    const std::string good = sample("gmsh 1");
    expect_refused_volume({
        {"P10", replaced(good, "$ENDNOD\n", ""), {"$NOD", "line 1", "$ENDNOD"}, 8},
        {"P12", good + good, {"$NOD", "twice", "line 1"}},
        {"P13", good.substr(0, good.find("$ELM")), {"no $ELM section"}},
        {"P14", replaced(good, "$NOD\n5", "$NOD\n6"), {"6 nodes", "after 5"}},
        {"P15", replaced(good, "$ELM\n2", "$ELM\n1"), {"1 elements", "has 2"}},
        {"P16", replaced(good, "$NOD\n5", "$NOD\n-1"), {"'-1'", "whole number >= 1"}, 2},
        {"P17", replaced(good, "$NOD\n5", "$NOD\n4294967301"), {"count exceeds"}, 2},
        {"P18", replaced(good, "2 1 0 0", "2 1 0"), {"expected 4"}, 4},
        {"P19", replaced(good, "2 1 0 0", "2 1 0x1p3 0"), {"'0x1p3'", "finite decimal"}, 4},
        {"P23", replaced(good, "1 4 7 1 4 1 2 3 4", "1 4 7 1 4 1 2 3"), {"3 node", "expected 4"}},
        {"P25", replaced(good, "1 4 7", "1 99 7"), {"type 99", "supported: 4"}},
        {"P27",
         replaced(good, "1 4 7 1 4 1 2 3 4", "1 11 7 1 10 1 2 3 4 5 1 2 3 4 5"),
         {"10-node tetrahedra: use --linearise to read their corners"}},
        {"M02", replaced(good, "2 3 4 5\n", "2 3 4 6\n"), {"element 2", "node 6", "1 to 5"}},
        {"M05", replaced(good, "5 1 1 1", "2 1 1 1"), {"node 2", "twice", "line 4"}, 7},
    });
}

TEST(BadFormat, gmsh_4_0) {
    const std::string good = sample("gmsh 4.0");
    expect_refused_volume({
        {"P14", replaced(good, "$Nodes\n1 5", "$Nodes\n1 6"), {"6 nodes", "hold 5"}},
        {"P14 smaller", replaced(good, "$Nodes\n1 5", "$Nodes\n1 3"), {"3 nodes", "at least 5"}},
        {"P17", replaced(good, "1 3 0 5", "1 3 0 2147483648"), {"count exceeds"}},
        {"P18", replaced(good, "2 1 0 0", "2 1 0"), {"expected 4"}},
        {"P23", replaced(good, "1 1 2 3 4\n", "1 1 2 3\n"), {"expected 5"}},
        {"P25", replaced(good, "1 3 4 2", "1 3 0 2"), {"type 0"}},
        {"P27", replaced(good, "1 3 4 2", "1 3 11 2"), {"10-node tetrahedra: use --linearise"}},
        {"dimension", replaced(good, "1 3 4 2", "1 5 4 2"), {"dimension 5"}},
    });
}

TEST(BadFormat, gmsh_binary_gives_byte_offsets) {
    for (const bool big : {false, true}) {
        const std::string v2 = test::gmsh22_binary(big), v41 = test::gmsh4_binary(big, true),
                          v40 = test::gmsh4_binary(big, false);
        const auto patch = [&](const std::string& bytes, const char* mark, std::size_t offset,
                               auto value) { return patched(bytes, mark, offset, value, big); };
        expect_refused_volume({
            {"P09", patch(v2, "2.2 1 8\n", 0, std::int32_t{3}), {"no byte order mark"}, -1},
            {"P09 size", replaced(v41, "4.1 1 8", "4.1 1 4"), {"data size 4"}},
            {"P14", replaced(v2, "$Nodes\n5", "$Nodes\n4"), {"4 nodes", "$EndNodes"}, -1},
            {"P17", replaced(v2, "$Nodes\n5", "$Nodes\n4294967301"), {"count exceeds"}, -1},
            {"P17 block",
             patch(v2, "$Elements\n3\n", 4, std::int32_t{2147483647}),
             {"count exceeds"},
             -1},
            {"P16 block", patch(v2, "$Elements\n3\n", 4, std::int32_t{-1}), {"'-1'"}, -1},
            {"P24", patch(v2, "$Elements\n3\n", 8, std::int32_t{-1}), {"tag count -1"}, -1},
            {"P25", patch(v2, "$Elements\n3\n", 0, std::int32_t{99}), {"type 99"}, -1},
            {"P19", patch(v2, "$Nodes\n5\n", 4, std::nan("")), {"node 1", "finite"}, -1},
            {"P17 4.1",
             patch(v41, "$Nodes\n", 8, std::int64_t{1} << 62),
             {"count exceeds what the file can hold"},
             -1},
            {"P14 4.1", patch(v41, "$Nodes\n", 8, std::int64_t{4}), {"4 nodes", "at least 5"}, -1},
            {"P15 4.1", patch(v41, "$Elements\n", 8, std::int64_t{1}), {"1 elements"}, -1},
            {"P25 4.1", patch(v41, "$Elements\n", 40, std::int32_t{77}), {"type 77"}, -1},
            {"P27 4.1", patch(v41, "$Elements\n", 40, std::int32_t{11}), {"--linearise"}, -1},
            {"M04 4.1",
             patch(v41, "$Elements\n", 60, (std::int64_t{1} << 32) + 1),
             {"element 1", "node 4294967297", "1 to 5"},
             -1},
            {"P17 4.0", patch(v40, "$Nodes\n", 8, std::int64_t{1} << 62), {"count exceeds"}, -1},
            {"P21",
             v41.substr(0, v41.find("$Elements") + 60),
             {"ends inside section $Elements"},
             -1},
            {"P21 nodes", v2.substr(0, v2.find("$Nodes") + 50), {"$Nodes", "entry 1"}, -1},
        });
    }
}

TEST(BadFormat, vtk_legacy) {
    const std::string v2 = sample("vtk 2.0"), v51 = sample("vtk 5.1");
    expect_refused_volume({
        {"P08", replaced(v2, "Version 2.0", "Version 9.0"), {"9.0", "1.0 to 5.1"}, 1},
        {"P09", replaced(v2, "ASCII", "WORDS"), {"'WORDS'", "ASCII, BINARY"}, 3},
        {"kind", replaced(v2, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), {"STRUCTURED_POINTS"}, 4},
        {"P12", replaced(v2, "CELLS 2", "POINTS 5 float\n0 0 0\nCELLS 2"), {"POINTS", "twice"}},
        {"P13", v2.substr(0, v2.find("CELLS 2")), {"no CELLS"}},
        {"P14", replaced(v2, "POINTS 5", "POINTS 6"), {"'CELLS'"}},
        {"P16", replaced(v2, "POINTS 5", "POINTS 2.5"), {"'2.5'", "whole number"}, 5},
        {"P17", replaced(v2, "POINTS 5", "POINTS 4294967301"), {"count exceeds"}, 5},
        {"P19", replaced(v2, "0 0 0 1 0 0", "0 0 0 1,5 0 0"), {"'1,5'", "finite decimal"}, 6},
        {"type", replaced(v2, "5 float", "5 quad"), {"'quad'"}, 5},
        {"P23", replaced(v2, "4 0 1 2 3", "3 0 1 2 3"), {"10 entries", "2 cells have 8"}},
        {"P25", replaced(v2, "CELL_TYPES 2\n10", "CELL_TYPES 2\n200"), {"cell 0", "type 200"}},
        {"P27", replaced(v2, "CELL_TYPES 2\n10", "CELL_TYPES 2\n71"), {"--linearise"}},
        {"M03", replaced(v2, "4 1 2 3 4", "4 1 2 3 -4"), {"node -4", "0 to 4"}},
        {"M24 offsets", replaced(v51, "0 4 8", "0 9 8"), {"cell 1", "does not increase"}},
        {"M24 first", replaced(v51, "0 4 8", "1 4 8"), {"cell 0", "does not increase"}},
        {"counts", replaced(v2, "CELL_TYPES 2\n10\n10", "CELL_TYPES 1\n10"), {"2 cells", "1"}},
        {"size", replaced(v2, "CELLS 2 10", "CELLS 2 9"), {"cell 1"}},
        {"binary cut", sample("vtk 3.0 binary").substr(0, 200), {"POINTS", "entry"}, -1},
    });
}

TEST(BadFormat, tetgen_names_both_files) {  // M23
    const TempFolder folder;
    const auto refusal = [&](const std::string& nodes, const std::string& tets) {
        folder.file("a.node", nodes);
        folder.file("a.ele", tets);
        try {
            read_tet_mesh(folder.path("a.node"));
            return std::string("taken");
        } catch (const InputError& e) {
            return std::string(e.what());
        }
    };
    const std::string nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    struct Case {
        std::string nodes, tets;
        Words expected;
    };
    const std::vector<Case> cases{
        {nodes, "1 4 0\n1 0 1 2 3\n", {"a.ele:2", "node 0", "1 to 4", "a.node"}},  // mixed base
        {nodes, "2 4 0\n1 1 2 3 4\n", {"a.ele", "announces 2", "a.node"}},
        {nodes, "1 4 0\n1 1 2 3 4\n2 1 2 3 4\n", {"a.ele:3", "1 tetrahedra", "a.node"}},
        {replaced(nodes, "4 3", "5 3"), "1 4 0\n1 1 2 3 4\n", {"a.node", "announces 5", "a.ele"}},
        {replaced(nodes, "4 3", "3 3"), "1 4 0\n1 1 2 3 4\n", {"a.node:5", "3 nodes", "a.ele"}},
        {nodes, nodes, {"a.ele:1", "number of tetrahedra", "a.node"}},
        {replaced(nodes, "4 0 0", "3 0 0"), "1 4 0\n1 1 2 3 4\n", {"a.node:5", "node 3", "line 4"}},
        {nodes, "1 10 0\n1 1 2 3 4 1 2 3 4 1 2\n", {"10-node tetrahedra: use --linearise"}},
        {replaced(nodes, "2 1 0 0", "2 1 0"), "1 4 0\n1 1 2 3 4\n", {"a.node:3", "expected 4"}},
        {replaced(nodes, "2 1 0", "2 1 nan"), "1 4 0\n1 1 2 3 4\n", {"a.node:3:5", "'nan'"}},
        {replaced(nodes, "4 3", "4294967301 3"), "1 4 0\n1 1 2 3 4\n", {"count exceeds"}},
    };
    for (const Case& c : cases) {
        const std::string message = refusal(c.nodes, c.tets);
        for (const std::string& word : c.expected)
            EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
    }
    for (const char* lone : {"only.node", "lone.ele"}) {
        const std::string path =
            folder.file(lone, lone[0] == 'o' ? nodes : std::string("1 4 0\n1 1 2 3 4\n"));
        try {
            read_tet_mesh(path);
            ADD_FAILURE();
        } catch (const InputError& e) {
            EXPECT_NE(e.message().find(lone[0] == 'o' ? "only.ele" : "lone.node"),
                      std::string::npos)
                << e.what();
        }
    }
    folder.file("b.node", nodes);
    EXPECT_EQ(read_tet_mesh(folder.file("b.ele", "1 4 0\n1 1 2 3 4\n")).mesh.n_tets(), 1);
}

TEST(BadFormat, medit) {
    const std::string good = sample("medit");
    expect_refused_volume({
        {"P08", replaced(good, "Formatted 2", "Formatted 9"), {"version 9", "1 to 4"}, 2},
        {"dimension", replaced(good, "Dimension\n3", "Dimension\n2"), {"dimension 2"}, 4},
        {"P12", replaced(good, "Corners", "Vertices 0\nCorners"), {"Vertices", "twice", "line 5"}},
        {"P13", "MeshVersionFormatted 2\nDimension 3\nEnd\n", {"no Vertices"}},
        {"P14", replaced(good, "Vertices 5", "Vertices 6"), {"'Corners'"}},
        {"P14 smaller", replaced(good, "Vertices 5", "Vertices 4"), {"more numbers"}},
        {"P15", replaced(good, "Tetrahedra\n2", "Tetrahedra\n3"), {"'End'"}},
        {"P16", replaced(good, "Vertices 5", "Vertices abc"), {"'abc'", "whole number >= 1"}, 5},
        {"P17", replaced(good, "Vertices 5", "Vertices 2147483648"), {"count exceeds"}, 5},
        {"P19", replaced(good, "1 0 0 0", "1 1e400 0 0"), {"'1e400'", "finite"}, 7},
        {"P21", good.substr(0, good.find("2 3 4 5")), {"ends inside Tetrahedra", "entry 1"}},
        {"P26", replaced(good, "Tetrahedra\n2", "Triangles\n0"), {"expected a keyword"}},
        {"P27",
         replaced(good, "Tetrahedra\n2", "TetrahedraP2\n1\n"),
         {"10-node tetrahedra: use --linearise"}},
        {"M01", replaced(good, "2 3 4 5 7", "2 3 4 0 7"), {"element 2", "node 0", "1 to 5"}},
    });
    for (const bool big : {false, true}) {
        const std::string b = test::meshb(2, big);
        const auto at = [&](std::size_t offset, auto value) {
            return patched(b, "", offset, value, big);
        };
        expect_refused_volume({
            {"P08 binary", at(4, std::int32_t{7}), {"version 7", "1 to 4"}, -1},
            {"offset", at(12, std::int32_t{2}), {"next keyword", "byte 2"}, -1},
            {"dimension", at(16, std::int32_t{2}), {"dimension 2"}, -1},
            {"P17 binary", at(28, std::int32_t{2147483647}), {"count exceeds"}, -1},
            {"P16 binary", at(28, std::int32_t{-3}), {"'-3'"}, -1},
            {"P19 binary", at(32, std::nan("")), {"vertex 1", "finite"}, -1},
            {"P21 binary", b.substr(0, 60), {"byte"}, -1},
        });
    }
}

TEST(BadFormat, abaqus) {
    const std::string good = sample("abaqus");
    expect_refused_volume({
        {"P13", "*HEADING\nwords\n", {"no *NODE"}},
        {"P18", replaced(good, "2, 1, 0, 0", "2, 1, 0"), {"expected 4"}, 6},
        {"P19", replaced(good, "2, 1, 0, 0", "2, 1, 1d3, 0"), {"'1d3'", "finite decimal"}, 6},
        {"P23", replaced(good, "1, 1, 2, 3, 4", "1, 1, 2, 3"), {"3 node", "expected 4"}, 11},
        {"P26", replaced(good, "c3d4", "C3D8R"), {"4 node", "expected 8"}},
        {"P27", replaced(good, "c3d4", "C3D10"), {"10-node tetrahedra: use --linearise"}},
        {"type", replaced(good, "type=c3d4, ", ""), {"TYPE="}, 10},
        {"unknown type",
         replaced(good, "c3d4", "XYZ"),
         {"no tetrahedra", "2 elements of type XYZ"}},
        {"include", good + "*INCLUDE, INPUT=b.inp\n", {"*INCLUDE"}},
        {"generate", replaced(good, "1, 5, 2", "1, 5, 0"), {"by 0"}},
        {"generate huge", replaced(good, "1, 5, 2", "1, 900000000, 1"), {"more members"}},
        {"set", replaced(good, "odd, 2", "even, 2"), {"'even'", "earlier set"}},
        {"M02",
         replaced(good, "1, 1, 2, 3, 4", "1, 1, 2, 3, 9"),
         {"element 1", "node 9", "1 to 5"}},
        {"set of no node", replaced(good, "odd, 2", "odd, 77"), {"node 77", "1 to 5"}},
        {"set of no element", good + "*ELSET, ELSET=e\n9\n", {"'e'", "element 9"}},
    });
}

TEST(BadFormat, vega) {
    const std::string good = sample("vega");
    expect_refused_volume({
        {"P12", good + "*VERTICES\n0 3 0 0\n", {"*VERTICES", "twice", "line 2"}},
        {"P13", good.substr(0, good.find("*ELEMENTS")), {"no *ELEMENTS"}},
        {"P14", replaced(good, "5 3 0 0", "6 3 0 0"), {"6 vertices", "after 5"}},
        {"P14 smaller", replaced(good, "5 3 0 0", "4 3 0 0"), {"more lines", "*VERTICES"}, 8},
        {"P17", replaced(good, "5 3 0 0", "2147483648 3 0 0"), {"count exceeds"}, 3},
        {"P18", replaced(good, "2 1 0 0", "2 1 0"), {"expected 4"}, 5},
        {"P19", replaced(good, "2 1 0 0", "2 1 --1 0"), {"'--1'"}, 5},
        {"kind", replaced(good, "TET\n", "HEX\n"), {"'HEX'", "TET"}},
        {"include", replaced(good, "*SET", "*INCLUDE a.veg\n*SET"), {"*INCLUDE"}},
        {"region", replaced(good, "both, soft", "none, soft"), {"'none'"}},
        {"set", replaced(good, "*SET both\n1, 2", "*SET both\n1, 3"), {"'both'", "element 3"}},
        {"M02", replaced(good, "2 2 3 4 5", "2 2 3 4 6"), {"element 2", "node 6", "1 to 5"}},
    });
}

TEST(BadFormat, surfaces) {
    const std::string obj = sample("obj"), stl = sample("stl"), off = sample("noff"),
                      ply = sample("ply"), bin = sample("ply binary");
    expect_refused_surface({
        {"P01", "", {"empty mesh file"}},
        {"obj short vertex", replaced(obj, "v 1 0 0", "v 1 0"), {"expected 4"}, 5},
        {"obj number", replaced(obj, "v 1 0 0", "v 1 inf 0"), {"'inf'", "finite"}, 5},
        {"obj zero", replaced(obj, "f 1 3 2", "f 1 3 0"), {"corner '0'"}, 12},
        {"obj word", replaced(obj, "f 1 3 2", "f 1 3 x"), {"corner 'x'"}, 12},
        {"obj two corners", replaced(obj, "f 1 3 2", "f 1 3"), {"2 corners"}, 12},
        {"obj far", replaced(obj, "f 1 3 2", "f 1 3 9"), {"element 1", "node 9", "1 to 4"}, 12},
        {"obj far back", replaced(obj, "f 1 3 2", "f 1 3 -9"), {"node -4", "1 to 4"}, 12},
        {"obj no faces", "v 0 0 0\n", {"no triangles"}},
        {"stl four", replaced(stl, "endloop", "vertex 1 2 3\nendloop"), {"more than 3"}, 7},
        {"stl two", replaced(stl, "vertex 0 0 0\n", ""), {"2 corners"}},
        {"stl word", replaced(stl, "outer", "inner"), {"'inner'"}, 3},
        {"stl number", replaced(stl, "vertex 0 0 0", "vertex 0 abc 0"), {"'abc'"}, 4},
        {"stl cut", replaced(stl, "endsolid a name\n", ""), {"endsolid", "4 facets"}},
        {"stl nan", patched(test::stl_binary(), "", 96, std::nanf("")), {"triangle 0"}, -1},
        {"off count", replaced(off, "4 4 0", "9 4 0"), {"ends inside"}},
        {"off huge", replaced(off, "4 4 0", "4294967301 4 0"), {"count exceeds"}, 2},
        {"off corners", replaced(off, "3 0 2 1", "5 0 2 1"), {"5 corners"}, 7},
        {"off far", replaced(off, "3 0 2 1", "3 0 2 4"), {"node 4", "0 to 3"}, 7},
        {"off kind", replaced(off, "NOFF", "4OFF"), {"'4OFF'"}, 1},
        {"off binary", "OFF BINARY\n\1\2\3", {"binary"}, 1},
        {"ply format", replaced(ply, "ascii", "latin"), {"'latin'"}, 2},
        {"ply version", replaced(ply, "1.0", "2.0"), {"2.0"}, 2},
        {"ply type", replaced(ply, "float x", "quad x"), {"'quad'"}, 5},
        {"ply word", replaced(ply, "comment", "remark"), {"'remark'"}, 3},
        {"ply no z", replaced(ply, "float z", "float w"), {"property z"}},
        {"ply no list", replaced(ply, "vertex_indices", "corners"), {"vertex_indices"}},
        {"ply huge", replaced(ply, "vertex 4", "vertex 4294967301"), {"count exceeds"}},
        {"ply list", replaced(ply, "3 0 2 1", "2 0 2 1"), {"list of 2"}},
        {"ply far", replaced(ply, "3 0 2 1", "3 0 2 7"), {"node 7", "0 to 3"}},
        {"ply header cut", ply.substr(0, 60), {"header"}},
        {"ply cut", bin.substr(0, bin.size() - 30), {"file ends"}, -1},
        {"ply binary huge", replaced(bin, "vertex 4", "vertex 99999999"), {"count exceeds"}},
    });
}

TEST(BadFormat, quadratic_tets_are_read_by_their_corners_when_asked) {  // P27
    const TempFolder folder;
    const ReadMeshOptions linearise{.linearise = true};
    const std::string medit = replaced(sample("medit"), "Tetrahedra\n2\n1 2 3 4 7\n2 3 4 5 7",
                                       "TetrahedraP2\n1\n1 2 3 4 5 5 5 5 5 5 7");
    EXPECT_EQ(read_tet_mesh_text(medit, "m", linearise).mesh.tets,
              (std::vector<Tet>{{0, 1, 2, 3}}));
    const std::string vtk =
        replaced(replaced(sample("vtk 2.0"), "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4",
                          "CELLS 1 11\n10 0 1 2 3 4 4 4 4 4 4"),
                 "CELL_TYPES 2\n10\n10\nCELL_DATA 2\n", "CELL_TYPES 1\n24\nOTHER\n");
    EXPECT_EQ(read_tet_mesh_text(vtk, "m", linearise).mesh.n_tets(), 1);
    EXPECT_THROW(read_tet_mesh_text(vtk, "m"), InputError);
    folder.file("q.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
    const std::string ele = folder.file("q.ele", "1 10 0\n1 1 2 3 4 5 5 5 5 5 5\n");
    EXPECT_EQ(read_tet_mesh(ele, linearise).mesh.n_tets(), 1);
    const std::string abaqus =
        replaced(replaced(sample("abaqus"), "c3d4", "C3D10"), "1, 1, 2, 3, 4\n2, 2, 3,\n 4, 5\n",
                 "1, 1, 2, 3, 4, 5, 5, 5,\n5, 5, 5\n");
    EXPECT_EQ(read_tet_mesh_text(abaqus, "m", linearise).mesh.n_tets(), 1);
}

}  // namespace
}  // namespace limber

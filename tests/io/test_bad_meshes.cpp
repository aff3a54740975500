// SPDX-License-Identifier: Apache-2.0
// The catalogue of bad mesh files: P01 to P28, M01 to M21 and M24. Each entry says what its message
// must name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/mesh_reader.h"
#include "limber/io/vtk/vtu_writer.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

using Words = std::vector<std::string>;

std::string quoted(const char* text) {
    return fmt::format("'{}'", text);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == text.npos) throw std::logic_error("the sample has no '" + from + "'");
    return text.replace(at, from.size(), to);
}

// Two tets on a common face.
const std::string gmsh22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"                               // lines 1 to 3
    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"  // 4 to 11
    "$Elements\n2\n1 4 2 7 1 1 2 3 4\n2 4 2 7 1 2 3 4 5\n$EndElements\n";  // 12 to 16

const std::string gmsh41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"                              // 1 to 3
    "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"             // 4 to 7
    "$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n"                           // 8 to 15
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"                      // 16 to 21
    "$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n";  // 22 to 27

const std::string vtu =
    "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
    "<UnstructuredGrid>\n"
    "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n"
    "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n"
    "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n</DataArray>\n</Points>\n"
    "<Cells>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n"
    "0 1 2 3 1 2 3 4\n</DataArray>\n"
    "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n4 8\n</DataArray>\n"
    "<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n10 10\n</DataArray>\n"
    "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";

struct BadFile {
    const char* entry;
    std::string bytes;
    Words expected;
    int line = 0;  // 0: not checked
};

void expect_refused(const std::vector<BadFile>& files) {
    for (const BadFile& file : files) {
        try {
            read_tet_mesh_text(file.bytes, "in.mesh");
            ADD_FAILURE() << file.entry << " was taken";
        } catch (const InputError& e) {
            EXPECT_EQ(e.place().file, "in.mesh") << file.entry;
            if (file.line) {
                EXPECT_EQ(e.place().line, file.line) << file.entry << ": " << e.what();
            }
            for (const std::string& word : file.expected)
                EXPECT_NE(e.message().find(word), std::string::npos)
                    << file.entry << ": " << e.what();
            for (char c : std::string(e.what()))
                EXPECT_GE(static_cast<unsigned char>(c), 0x20) << file.entry << ": control byte";
        }
    }
}

TEST(BadMesh, samples_themselves_are_good) {
    for (const std::string& bytes : {gmsh22, gmsh41, vtu}) {
        const LoadedMesh loaded = read_tet_mesh_text(bytes, "good");
        EXPECT_EQ(loaded.mesh.n_nodes(), 5);
        EXPECT_EQ(loaded.mesh.n_tets(), 2);
        EXPECT_TRUE(loaded.report.warnings.empty());
    }
    EXPECT_EQ(read_tet_mesh_text(gmsh22, "g").mesh.tet_groups.at("physical_7").size(), 2u);
    EXPECT_EQ(read_tet_mesh_text(gmsh41, "g").mesh.tet_groups.at("physical_7").size(), 2u);
}

TEST(BadMesh, of_no_format_is_refused) {
    expect_refused({
        {"P01", "", {"empty mesh file"}},
        {"P02 blank", "\n \n\t\n", {"no $MeshFormat found"}},
        {"P02 NUL", std::string(100, '\0'), {"no $MeshFormat found"}},
        {"P05", "\x89PNG\r\n", {"unknown format, first bytes 89 50 4e 47"}},
        {"P05 program",
         "\x7f"
         "ELF\x02",
         {"unknown format, first bytes 7f 45 4c 46"}},
        {"P06 UTF-16", std::string("\xff\xfe$\0M\0", 6), {"UTF-16"}},
        {"words", "hello\nworld\n", {"unknown format", "supported: Gmsh", "TetGen"}},
    });
}

TEST(BadMesh, accepts_a_byte_order_mark_and_any_line_end) {  // P06, P07
    EXPECT_EQ(read_tet_mesh_text("\xef\xbb\xbf" + gmsh22, "m").mesh.n_tets(), 2);
    for (const char* line_end : {"\r\n", "\r"})
        for (const std::string& bytes : {gmsh22, gmsh41, vtu}) {
            std::string text;
            for (char c : bytes) text += c == '\n' ? std::string(line_end) : std::string(1, c);
            EXPECT_EQ(read_tet_mesh_text(text, "m").mesh.n_tets(), 2);
        }
}

TEST(BadMesh, gmsh_header_is_checked) {  // P08, P09
    expect_refused({
        {"P08 3.0", replaced(gmsh22, "2.2 0 8", "3.0 0 8"), {"3.0", "4.0 and 4.1"}, 2},
        {"P08 9.9", replaced(gmsh22, "2.2 0 8", "9.9 0 8"), {"9.9", "4.0 and 4.1"}, 2},
        {"P08 4.2", replaced(gmsh22, "2.2 0 8", "4.2 0 8"), {"version 4.2", "4.0 and 4.1"}, 2},
        {"P08 missing", replaced(gmsh22, "2.2 0 8\n", ""), {"no version"}, 2},
        {"P08 no header", gmsh22.substr(gmsh22.find("$Nodes")), {"no $MeshFormat found"}},
        {"P09 binary flag", replaced(gmsh22, "2.2 0 8", "2.2 1 8"), {"no byte order mark"}},
        {"P09 data size", replaced(gmsh22, "2.2 0 8", "2.2 0 3"), {"data size 3"}, 2},
        {"P09 file type", replaced(gmsh22, "2.2 0 8", "2.2 x 8"), {"file type x"}, 2},
    });
}

TEST(BadMesh, gmsh_sections_are_checked) {  // P10, P12, P13, P22
    const std::string nodes =
        gmsh22.substr(gmsh22.find("$Nodes"), gmsh22.find("$Elements") - gmsh22.find("$Nodes"));
    expect_refused({
        {"P10 nodes", replaced(gmsh22, "$EndNodes\n", ""), {"$Nodes", "line 4", "$EndNodes"}, 11},
        {"P10 elements", replaced(gmsh22, "$EndElements\n", ""), {"$Elements", "line 12"}},
        {"P10 nodes 4.1", replaced(gmsh41, "$EndNodes\n", ""), {"$Nodes", "line 8"}, 21},
        {"P10 elements 4.1", replaced(gmsh41, "$EndElements\n", ""), {"$Elements", "line 22"}},
        {"P12", replaced(gmsh22, "$Elements", nodes + "$Elements"), {"twice", "line 4"}, 12},
        {"P12 header", gmsh22 + gmsh22, {"$MeshFormat", "twice", "line 1"}, 17},
        {"P13 unknown", gmsh22 + "$Foo\n1 2 3\n", {"$Foo", "never closed"}, 17},
        {"P13 no nodes", replaced(gmsh22, nodes, ""), {"no $Nodes"}},
        {"P13 no elements", gmsh22.substr(0, gmsh22.find("$Elements")), {"no $Elements"}},
        {"P13 end alone", gmsh22 + "$EndFoo\n", {"$EndFoo", "without"}, 17},
    });
    // P11: elements before nodes.
    const std::string reordered = replaced(gmsh22, nodes, "") + nodes;
    EXPECT_EQ(read_tet_mesh_text(reordered, "m").mesh.n_tets(), 2);
    // P22: loaded, with the line.
    const auto warnings = read_tet_mesh_text(gmsh22 + "some words\n", "m").report.warnings;
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("line 17"), std::string::npos);
    EXPECT_EQ(read_tet_mesh_text(gmsh22 + "$Foo\n1 2\n$EndFoo\n", "m").mesh.n_tets(), 2);
}

TEST(BadMesh, gmsh_counts_are_checked_before_anything_is_allocated) {  // P14 to P17
    std::vector<BadFile> files{
        {"P14 larger", replaced(gmsh22, "$Nodes\n5", "$Nodes\n6"), {"6 nodes", "after 5"}, 11},
        {"P14 smaller", replaced(gmsh22, "$Nodes\n5", "$Nodes\n3"), {"3 nodes", "has 5"}, 9},
        {"P14 larger 4.1", replaced(gmsh41, "1 5 1 5", "1 6 1 6"), {"6 nodes", "hold 5"}},
        {"P14 smaller 4.1", replaced(gmsh41, "1 5 1 5", "1 3 1 3"), {"3 nodes", "at least 5"}, 10},
        {"P14 block 4.1", replaced(gmsh41, "3 1 0 5", "3 1 0 4"), {"expected 3"}},
        {"P15 larger", replaced(gmsh22, "$Elements\n2", "$Elements\n4"), {"4 el", "after 2"}, 16},
        {"P15 smaller", replaced(gmsh22, "$Elements\n2", "$Elements\n1"), {"1 el", "has 2"}, 15},
        {"P15 zero", replaced(gmsh22, "$Elements\n2", "$Elements\n0"), {"0 el", "has 2"}, 14},
        {"P15 4.1", replaced(gmsh41, "1 2 1 2", "1 3 1 3"), {"3 elements", "hold 2"}},
    };
    for (const char* text : {"-1", "2.5", "abc", "1e3", "0x5"}) {
        files.push_back({"P16",
                         replaced(gmsh22, "$Nodes\n5", std::string("$Nodes\n") + text),
                         {quoted(text), "whole number >= 1"},
                         5});
        files.push_back({"P16 elements",
                         replaced(gmsh22, "$Elements\n2", std::string("$Elements\n") + text),
                         {quoted(text), "whole number >= 1"},
                         13});
        files.push_back({"P16 4.1",
                         replaced(gmsh41, "1 5 1 5", std::string("1 ") + text + " 1 5"),
                         {quoted(text), "whole number >= 1"},
                         9});
    }
    files.push_back(
        {"P16 empty", replaced(gmsh22, "$Nodes\n5\n", "$Nodes\n\n"), {"expected 1"}, 6});
    for (const char* text :
         {"2147483648", "4294967301", "9223372036854775808", "1000000000000000000000000000000"}) {
        const Words expected{text, "count exceeds what the file can hold"};
        files.push_back(
            {"P17", replaced(gmsh22, "$Nodes\n5", std::string("$Nodes\n") + text), expected, 5});
        files.push_back({"P17 elements",
                         replaced(gmsh22, "$Elements\n2", std::string("$Elements\n") + text),
                         expected, 13});
        files.push_back({"P17 4.1", replaced(gmsh41, "1 5 1 5", std::string("1 ") + text + " 1 5"),
                         expected, 9});
        files.push_back({"P17 4.1 blocks",
                         replaced(gmsh41, "1 2 1 2", std::string(text) + " 2 1 2"), expected, 23});
        files.push_back({"P17 4.1 block", replaced(gmsh41, "3 1 4 2", std::string("3 1 4 ") + text),
                         expected, 24});
        files.push_back({"P17 vtu points",
                         replaced(vtu, "Points=\"5\"", std::string("Points=\"") + text + "\""),
                         {text, "count exceeds what the file can hold"},
                         3});
    }
    files.push_back({"P17 vtu cells",
                     replaced(vtu, "Cells=\"2\"", "Cells=\"2000000000\""),
                     {"count exceeds what the file can hold"}});
    expect_refused(files);
}

TEST(BadMesh, gmsh_entries_are_checked) {  // P18 to P20, P23 to P28
    std::vector<BadFile> files{
        {"P18 three", replaced(gmsh22, "2 1 0 0", "2 1 0"), {"3 fields", "expected 4"}, 7},
        {"P18 six", replaced(gmsh22, "2 1 0 0", "2 1 0 0 0 0"), {"6 fields", "expected 4"}, 7},
        {"P18 4.1", replaced(gmsh41, "\n1 0 0\n", "\n1 0\n"), {"2 fields", "expected 3"}, 17},
        {"P20 token",
         replaced(gmsh22, "2 1 0 0", "2 1 0 " + std::string(300000, '1')),
         {"line longer than limit"},
         7},
        {"P20 line",
         replaced(gmsh22, "2 1 0 0", std::string(10'000'000, ' ') + "2 1 0 0"),
         {"line longer than limit"},
         7},
        {"P23 three",
         replaced(gmsh22, "1 4 2 7 1 1 2 3 4", "1 4 2 7 1 1 2 3"),
         {"3 node", "expected 4"},
         14},
        {"P23 five",
         replaced(gmsh22, "1 4 2 7 1 1 2 3 4", "1 4 2 7 1 1 2 3 4 5"),
         {"5 node", "expected 4"},
         14},
        {"P23 4.1", replaced(gmsh41, "1 1 2 3 4\n", "1 1 2 3\n"), {"4 fields", "expected 5"}, 25},
        {"P24 negative", replaced(gmsh22, "1 4 2 7 1", "1 4 -1 7 1"), {"tag count -1", "0 to"}, 14},
        {"P24 large",
         replaced(gmsh22, "1 4 2 7 1", "1 4 1000000000 7 1"),
         {"tag count 1000000000", "0 to"},
         14},
        {"P24 text", replaced(gmsh22, "1 4 2 7 1", "1 4 x 7 1"), {"tag count 'x'"}, 14},
        {"P26",
         replaced(replaced(gmsh22, "1 4 2 7 1 1 2 3 4", "1 2 2 7 1 1 2 3"), "2 4 2 7 1 2 3 4 5",
                  "2 2 2 7 1 2 3 4"),
         {"no tetrahedra in mesh", "2 triangles"}},
        {"P27",
         replaced(gmsh22, "1 4 2 7 1 1 2 3 4", "1 11 2 7 1 1 2 3 4 5 1 2 3 4 5"),
         {"10-node tetrahedra: use --linearise to read their corners"},
         14},
        {"P27 4.1",
         replaced(gmsh41, "3 1 4 2", "3 1 11 2"),
         {"10-node tetrahedra: use --linearise to read their corners"},
         24},
        {"P28 NUL", replaced(gmsh22, "2 1 0 0", std::string("2 1\0 0 0", 8)), {"'1\\x00'"}, 7},
        {"P28 escape", replaced(gmsh22, "2 1 0 0", "2 \x1b[31m1 0 0"), {"'\\x1b[31m1'"}, 7},
        {"entity dimension", replaced(gmsh41, "3 1 4 2", "4 1 4 2"), {"dimension 4", "0 to 3"}, 24},
        {"entity groups", replaced(gmsh41, "1 1 1 1 7 0", "1 1 1 9 7 0"), {"9 physical"}, 6},
    };
    for (const char* text : {"abc", "1,5", "0x1p3", "1e400", "nan", "inf", "1.0.0", "--1", "1d3"}) {
        const Words expected{quoted(text), "finite decimal number"};
        files.push_back(
            {"P19", replaced(gmsh22, "2 1 0 0", std::string("2 1 ") + text + " 0"), expected, 7});
        files.push_back({"P19 4.1",
                         replaced(gmsh41, "\n1 0 0\n", std::string("\n1 ") + text + " 0\n"),
                         expected, 17});
        files.push_back({"P19 vtu",
                         replaced(vtu, "0 0 0 1 0 0", std::string("0 0 0 1 ") + text + " 0"),
                         expected, 6});
    }
    for (const char* type : {"0", "-4", "99", "2147483648"}) {
        files.push_back({"P25",
                         replaced(gmsh22, "1 4 2 7", std::string("1 ") + type + " 2 7"),
                         {std::string("type ") + type, "supported: 4"},
                         14});
        files.push_back({"P25 4.1",
                         replaced(gmsh41, "3 1 4 2", std::string("3 1 ") + type + " 2"),
                         {std::string("type ") + type, "supported: 4"},
                         24});
        files.push_back({"P25 vtu",
                         replaced(vtu, "10 10", std::string("10 ") + type),
                         {"cell 1", std::string("type ") + type, "supported: 10"}});
    }
    expect_refused(files);
}

TEST(BadMesh, reports_the_column_of_a_wrong_number) {
    try {
        read_tet_mesh_text(replaced(gmsh22, "2 1 0 0", "2 1 abc 0"), "in.msh");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_STREQ(e.what(), "in.msh:7:5: error: 'abc'; expected a finite decimal number");
    }
}

TEST(BadMesh, reads_the_corners_of_quadratic_tets_when_asked) {  // P27
    std::string text = replaced(gmsh22, "1 4 2 7 1 1 2 3 4", "1 11 2 7 1 1 2 3 4 5 5 5 5 5 5");
    const LoadedMesh loaded = read_tet_mesh_text(text, "m", {.linearise = true});
    EXPECT_EQ(loaded.mesh.tets[0], (Tet{0, 1, 2, 3}));
}

TEST(BadMesh, node_ids_are_checked) {  // M01 to M06
    std::vector<BadFile> files;
    for (const char* node : {"0", "6", "-1", "4294967297"}) {
        const Words expected{"element 2", std::string("node ") + node, "1 to 5"};
        files.push_back(
            {"M01-M04",
             replaced(gmsh22, "2 4 2 7 1 2 3 4 5", std::string("2 4 2 7 1 2 3 4 ") + node),
             expected, 15});
        files.push_back({"M01-M04 4.1",
                         replaced(gmsh41, "\n2 2 3 4 5", std::string("\n2 2 3 4 ") + node),
                         expected, 26});
    }
    for (const char* node : {"5", "-1", "4294967297"})
        files.push_back({"M02-M04 vtu",
                         replaced(vtu, "1 2 3 4\n", std::string("1 2 3 ") + node + "\n"),
                         {"cell 1", std::string("node ") + node, "0 to 4"}});
    files.push_back({"M05", replaced(gmsh22, "5 1 1 1", "2 1 1 1"), {"node 2", "line 7"}, 10});
    files.push_back({"M05 4.1", replaced(gmsh41, "4\n5\n", "4\n2\n"), {"node 2", "line 12"}, 15});
    expect_refused(files);

    const std::string sparse = replaced(replaced(gmsh22, "5 1 1 1", "1000000000 1 1 1"),
                                        "2 3 4 5\n", "2 3 4 1000000000\n");
    const LoadedMesh loaded = read_tet_mesh_text(sparse, "m");  // M06
    EXPECT_EQ(loaded.mesh.node_ids.back(), 1000000000);
    EXPECT_EQ(loaded.mesh.tets[1][3], 4);
    EXPECT_THROW(read_tet_mesh_text(replaced(sparse, "2 3 4 1000000000\n", "2 3 4 77\n"), "m"),
                 InputError);
}

TEST(BadMesh, tets_are_checked) {  // M07 to M09, M16, M19 to M21
    const auto moved = [](const char* from, const char* to) { return replaced(gmsh22, from, to); };
    expect_refused({
        {"M07", moved("2 4 2 7 1 2 3 4 5", "2 4 2 7 1 2 3 4 4"), {"element 2", "node 4"}},
        {"M08", moved("2 4 2 7 1 2 3 4 5", "2 4 2 7 1 4 2 1 3"), {"elements 1 and 2"}},
        {"M09", moved("5 1 1 1", "5 0.2 0.3 0.5"), {"element 2", "zero volume"}},
        {"M16",
         replaced(moved("$Elements\n2", "$Elements\n3"), "$EndElements",
                  "3 4 2 7 1 2 3 4 6\n$EndElements")
             .replace(gmsh22.find("$Nodes\n5"), 8, "$Nodes\n6")
             .insert(gmsh22.find("$EndNodes"), "6 2 2 2\n"),
         {"face (2, 3, 4)", "1, 2 and 3"}},
        {"M19", moved("5 1 1 1", "5 1e200 1 1"), {"1e+200", "volume not representable"}},
        {"M20",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n0\n$EndNodes\n$Elements\n0\n"
         "$EndElements\n",
         {"no tetrahedra in mesh"}},
        {"M20 4.1",
         "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n"
         "0 0 0 0\n$EndElements\n",
         {"no tetrahedra in mesh"}},
    });
    const std::string one =
        replaced(moved("$Elements\n2", "$Elements\n1"), "2 4 2 7 1 2 3 4 5\n", "");
    const LoadedMesh single = read_tet_mesh_text(one, "m");  // M21; node 5 is left out, M14
    EXPECT_EQ(single.mesh.n_tets(), 1);
    EXPECT_EQ(single.report.n_unused, 1);
}

TEST(BadMesh, inverted_tets_are_turned_or_refused_when_strict) {  // M11, M12
    const std::string some = replaced(gmsh22, "2 4 2 7 1 2 3 4 5", "2 4 2 7 1 3 2 4 5");
    EXPECT_EQ(read_tet_mesh_text(some, "m").report.n_reoriented, 1);
    EXPECT_THROW(read_tet_mesh_text(some, "m", {.strict = true}), InputError);
}

TEST(BadMesh, vtu_structure_is_checked) {  // M24 and the like
    expect_refused({
        {"M24 offsets", replaced(vtu, "4 8", "4 4"), {"cell 1", "does not increase"}},
        {"M24 offsets back", replaced(vtu, "4 8", "8 4"), {"cell 1", "does not increase"}},
        {"M24 type", replaced(vtu, "10 10", "10 200"), {"cell 1", "type 200"}},
        {"M24 wrong size", replaced(vtu, "4 8", "5 8"), {"cell 0", "5 nodes", "expected 4"}},
        {"M24 quadratic", replaced(vtu, "10 10", "10 71"), {"cell 1", "--linearise"}},
        {"M24 only others", replaced(vtu, "10 10", "9 9"), {"no tetrahedra", "2 quadrangles"}},
        {"offset too large", replaced(vtu, "4 8", "4 900"), {"connectivity", "900"}},
        {"few values", replaced(vtu, "0 0 0 1 0 0", "0 0 0 1 0"), {"14 values", "expected 15"}},
        {"many values", replaced(vtu, "0 0 0 1 0 0", "0 0 0 1 0 0 0"), {"16 values"}},
        {"components", replaced(vtu, "Components=\"3\"", "Components=\"2\""), {"2", "expected 3"}},
        {"other type", replaced(vtu, "\"UnstructuredGrid\"", "\"PolyData\""), {"PolyData"}},
        {"byte order", replaced(vtu, "LittleEndian", "MiddleEndian"), {"MiddleEndian"}},
        {"header type", replaced(vtu, "version", "header_type=\"UInt16\" version"), {"UInt16"}},
        {"compressor", replaced(vtu, "version", "compressor=\"vtkLZ4\" version"), {"vtkLZ4"}},
        {"format", replaced(vtu, "format=\"ascii\"", "format=\"words\""), {"words"}},
        {"no piece", replaced(replaced(vtu, "<Piece", "<Peace"), "</Piece", "</Peace"), {"Piece"}},
        {"no types", replaced(vtu, "\"types\"", "\"kinds\""), {"'types'"}},
        {"not closed", replaced(vtu, "</Points>", ""), {"XML"}},
        {"P20 nesting",
         replaced(vtu, "<Points>",
                  [] {
                      std::string deep;
                      for (int i = 0; i < 10000; ++i) deep += "<a>";
                      return deep;
                  }()),
         {"nesting deeper than 64"}},
        {"appended without data",
         replaced(vtu, "</VTKFile>", "<AppendedData encoding=\"raw\"></VTKFile>"),
         {"AppendedData"}},
    });
}

/// Every prefix of a file is refused, whatever byte it ends with (P21).
void expect_every_cut_refused(const std::string& bytes, std::size_t whole) {
    for (std::size_t n = 0; n < whole; ++n)
        EXPECT_THROW(read_tet_mesh_text(std::string_view(bytes).substr(0, n), "cut"), InputError)
            << "cut after byte " << n;
}

TEST(BadMesh, cut_at_any_byte_is_refused) {  // P21
    for (const std::string& bytes : {gmsh22, gmsh41, vtu})
        expect_every_cut_refused(bytes, bytes.size() - 1);  // only the last line end may be missing
    const TempFolder folder;
    write_vtu(folder.path("raw.vtu"), make_box({1, 1, 1}, {1, 1, 1}));
    const std::string raw = read_file(folder.path("raw.vtu"));
    expect_every_cut_refused(raw, raw.size() - 1);
}

TEST(BadMesh, says_where_a_cut_file_ends) {  // P21
    expect_refused({
        {"nodes", gmsh22.substr(0, gmsh22.find("3 0 1 0") + 3), {"$Nodes", "line 4", "entry 2"}, 8},
        {"elements", gmsh22.substr(0, gmsh22.find("2 4 2 7")), {"$Elements", "after entry 1"}},
        {"nodes 4.1", gmsh41.substr(0, gmsh41.find("0 0 1\n1 1 1") + 2), {"$Nodes", "entry 3"}, 19},
    });
}

TEST(BadMesh, damaged_anywhere_is_read_or_refused_but_never_crashes) {
    const TempFolder folder;
    write_vtu(folder.path("raw.vtu"), make_box({1, 1, 1}, {1, 1, 1}));
    std::mt19937 random(12345);
    int refused = 0, taken = 0;
    for (const std::string& good : {gmsh22, gmsh41, vtu, read_file(folder.path("raw.vtu"))})
        for (int i = 0; i < 3000; ++i) {
            std::string bytes = good;
            const int n_changes = 1 + static_cast<int>(random() % 3);
            for (int k = 0; k < n_changes; ++k) {
                const std::size_t at = random() % bytes.size();
                switch (random() % 3) {
                    case 0:
                        bytes[at] = static_cast<char>(random());
                        break;
                    case 1:
                        bytes.erase(at, 1 + random() % 8);
                        break;
                    default:
                        bytes.insert(at, bytes.substr(random() % bytes.size(), 8));
                        break;
                }
                if (bytes.empty()) bytes.push_back(0);
            }
            try {
                const LoadedMesh loaded = read_tet_mesh_text(bytes, "damaged");
                EXPECT_GT(loaded.report.min_volume, 0);
                ++taken;
            } catch (const InputError&) {
                ++refused;
            }
        }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(taken, 100);  // a changed digit of a coordinate is still a mesh
}

}  // namespace
}  // namespace limber

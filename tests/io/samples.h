// SPDX-License-Identifier: Apache-2.0
#pragma once

// The same small meshes in every format: two tets on a common face, and a closed tetrahedron of
// four triangles.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

namespace limber::test {

struct Sample {
    const char* name;
    const char* format;  // name in the table of formats
    std::string bytes;
    std::string other = "";  // the .ele half of a TetGen pair
};

/// Appends numbers as bytes of one order.
class Bytes {
  public:
    explicit Bytes(bool big = false) : big_(big) {}
    template <class T>
    Bytes& put(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof raw);
        for (std::size_t i = 0; i < sizeof(T); ++i) text += raw[big_ ? sizeof(T) - 1 - i : i];
        return *this;
    }
    template <class T>
    Bytes& all(std::initializer_list<double> values) {
        for (double v : values) put(static_cast<T>(v));
        return *this;
    }
    Bytes& words(const std::string& words) {
        text += words;
        return *this;
    }
    std::string text;

  private:
    bool big_;
};

template <class T>
void put_points(Bytes& out) {
    out.all<T>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
}

inline std::string gmsh22_binary(bool big) {
    Bytes b(big);
    b.words("$MeshFormat\n2.2 1 8\n").put(std::int32_t{1}).words("\n$EndMeshFormat\n");
    b.words("$PhysicalNames\n1\n3 7 \"soft\"\n$EndPhysicalNames\n$Nodes\n5\n");
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (std::int32_t i = 0; i < 5; ++i) {
        b.put(i + 1);
        for (double c : x[i]) b.put(c);
    }
    b.words("\n$EndNodes\n$Elements\n3\n");
    b.all<std::int32_t>({2, 1, 2, 9, 4, 1, 1, 2, 3});  // a triangle
    b.all<std::int32_t>({4, 2, 2, 1, 7, 1, 1, 2, 3, 4, 2, 7, 1, 2, 3, 4, 5});
    return b.words("\n$EndElements\n").text;
}

inline std::string gmsh4_binary(bool big, bool v41) {
    Bytes b(big);
    b.words(v41 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4 1 8\n");
    b.put(std::int32_t{1}).words("\n$EndMeshFormat\n");
    b.words("$PhysicalNames\n1\n3 7 \"soft\"\n$EndPhysicalNames\n$Entities\n");
    b.all<std::int64_t>({1, 0, 0, 1});
    b.put(std::int32_t{3}).all<double>({0, 0, 0});
    if (!v41) b.all<double>({0, 0, 0});
    b.put(std::int64_t{0});
    b.put(std::int32_t{1}).all<double>({0, 0, 0, 1, 1, 1});
    b.put(std::int64_t{1}).put(std::int32_t{7}).put(std::int64_t{0});
    b.words("\n$EndEntities\n$Nodes\n").all<std::int64_t>({1, 5});
    if (v41) b.all<std::int64_t>({1, 5}).all<std::int32_t>({3, 1, 0});
    if (!v41) b.all<std::int32_t>({1, 3, 0});
    b.put(std::int64_t{5});
    if (v41) b.all<std::int64_t>({1, 2, 3, 4, 5});
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (std::int32_t i = 0; i < 5; ++i) {
        if (!v41) b.put(i + 1);
        for (double c : x[i]) b.put(c);
    }
    b.words("\n$EndNodes\n$Elements\n").all<std::int64_t>({1, 2});
    if (v41) {
        b.all<std::int64_t>({1, 2}).all<std::int32_t>({3, 1, 4}).put(std::int64_t{2});
        b.all<std::int64_t>({1, 1, 2, 3, 4, 2, 2, 3, 4, 5});
    } else {
        b.all<std::int32_t>({1, 3, 4}).put(std::int64_t{2});
        b.all<std::int32_t>({1, 1, 2, 3, 4, 2, 2, 3, 4, 5});
    }
    return b.words("\n$EndElements\n").text;
}

inline std::string vtk_binary(bool v51) {
    Bytes b(true);
    b.words(v51 ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 3.0\n");
    b.words("title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n");
    put_points<double>(b);
    b.words("\nMETADATA\nINFORMATION 0\n\n");
    if (v51) {
        b.words("CELLS 3 8\nOFFSETS vtktypeint64\n").all<std::int64_t>({0, 4, 8});
        b.words("\nCONNECTIVITY vtktypeint64\n").all<std::int64_t>({0, 1, 2, 3, 1, 2, 3, 4});
    } else {
        b.words("CELLS 2 10\n").all<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4});
    }
    b.words("\nCELL_TYPES 2\n").all<std::int32_t>({10, 10});
    b.words("\nCELL_DATA 2\nSCALARS material int 1\nLOOKUP_TABLE default\n");
    return b.all<std::int32_t>({7, 7}).words("\n").text;
}

inline std::string meshb(int version, bool big) {
    Bytes b(big);
    const auto whole = [&](std::int64_t v) {
        if (version < 4)
            b.put(static_cast<std::int32_t>(v));
        else
            b.put(v);
    };
    const auto keyword = [&](std::int32_t code, std::size_t data) {
        b.put(code);
        const std::size_t next = b.text.size() + (version < 3 ? 4 : 8) + data;
        if (version < 3)
            b.put(static_cast<std::int32_t>(next));
        else
            b.put(static_cast<std::int64_t>(next));
    };
    const std::size_t w = version < 4 ? 4 : 8, real = version == 1 ? 4 : 8;
    b.all<std::int32_t>({1, static_cast<double>(version)});
    keyword(3, 4);
    b.put(std::int32_t{3});
    keyword(4, w + 5 * (3 * real + w));
    whole(5);
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (const auto& p : x) {
        for (double c : p)
            if (version == 1)
                b.put(static_cast<float>(c));
            else
                b.put(c);
        whole(0);
    }
    keyword(13, 2 * w);  // Corners, which nobody reads
    whole(1);
    whole(1);
    keyword(8, w + 10 * w);
    whole(2);
    for (int v : {1, 2, 3, 4, 7, 2, 3, 4, 5, 7}) whole(v);
    b.put(std::int32_t{54});
    whole(0);
    return b.text;
}

/// Two tets; the formats that can say it have both in a group that ends in 7 or is called "soft".
inline std::vector<Sample> volume_samples() {
    return {
        {"gmsh 1", "gmsh1",
         "$NOD\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$ENDNOD\n"
         "$ELM\n2\n1 4 7 1 4 1 2 3 4\n2 4 7 1 4 2 3 4 5\n$ENDELM\n"},
        {"gmsh 2.2", "gmsh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
         "5 1 1 1\n$EndNodes\n$Elements\n2\n1 4 2 7 1 1 2 3 4\n2 4 2 7 1 2 3 4 5\n$EndElements\n"},
        {"gmsh 4.0", "gmsh",
         "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 7 0\n"
         "$EndEntities\n$Nodes\n1 5\n1 3 0 5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
         "$EndNodes\n$Elements\n1 2\n1 3 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n"},
        {"gmsh 2.2 binary", "gmsh", gmsh22_binary(false)},
        {"gmsh 2.2 big-endian", "gmsh", gmsh22_binary(true)},
        {"gmsh 4.0 binary", "gmsh", gmsh4_binary(false, false)},
        {"gmsh 4.0 big-endian", "gmsh", gmsh4_binary(true, false)},
        {"gmsh 4.1 binary", "gmsh", gmsh4_binary(false, true)},
        {"gmsh 4.1 big-endian", "gmsh", gmsh4_binary(true, true)},
        {"vtk 2.0", "vtk",
         "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
         "0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n"
         "CELL_DATA 2\nSCALARS material int\nLOOKUP_TABLE default\n7\n7\n"},
        {"vtk 5.1", "vtk",
         "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\n"
         "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\n"
         "CONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\nCELL_TYPES 2\n10\n10\n\n"
         "CELL_DATA 2\nFIELD FieldData 1\nmaterial 1 2 int\n7 7\n"},
        {"vtk 3.0 binary", "vtk", vtk_binary(false)},
        {"vtk 5.1 binary", "vtk", vtk_binary(true)},
        {"tetgen from 1", "tetgen",
         "# nodes\n5 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 0.5 0\n3 0 1 0 0.5 2\n4 0 0 1 0.5 2\n"
         "5 1 1 1 0.5 2 # last\n",
         "2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 7\n"},
        {"tetgen from 0", "tetgen", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n",
         "# tets\n\n2 4 1\n0 0 1 2 3 7\n1 1 2 3 4 7\n"},
        {"medit", "medit",
         "# a comment\nMeshVersionFormatted 2\nDimension\n3\nVertices 5\n0 0 0 0\n1 0 0 0\n"
         "0 1 0 0\n0 0 1 0\n1 1 1 0\nCorners\n1\n1\nTetrahedra\n2\n1 2 3 4 7\n2 3 4 5 7\nEnd\n"},
        {"meshb 1", "meshb", meshb(1, false)},
        {"meshb 2", "meshb", meshb(2, false)},
        {"meshb 2 big-endian", "meshb", meshb(2, true)},
        {"meshb 3", "meshb", meshb(3, false)},
        {"meshb 4 big-endian", "meshb", meshb(4, true)},
        {"abaqus", "abaqus",
         "*HEADING\nwords, 1, 2\n** a comment\n*Node, NSET=all\n1, 0., 0., 0.\n2, 1, 0, 0\n"
         "3, 0, 1, 0\n 4, 0, 0, 1\n5, 1, 1, 1\n*ELEMENT, type=c3d4, ELSET=soft\n1, 1, 2, 3, 4\n"
         "2, 2, 3,\n 4, 5\n*NSET, NSET=odd, GENERATE\n1, 5, 2\n*NSET, nset=more\nodd, 2\n*END\n"},
        {"vega", "vega",
         "# Vega\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n\n"
         "*ELEMENTS\nTET\n2 4 0\n1 1 2 3 4\n2 2 3 4 5\n\n*MATERIAL soft\nENU, 1000, 1e9, 0.45\n\n"
         "*SET both\n1, 2\n*REGION\nboth, soft\n"},
    };
}

inline std::string ply_binary(bool big) {
    Bytes b(big);
    b.words(big ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    b.words(
        "comment words\nelement vertex 4\nproperty uchar red\nproperty float z\n"
        "property double y\nproperty short x\nelement face 4\nproperty uchar flag\n"
        "property list ushort uint vertex_index\nelement edge 1\nproperty int a\nend_header\n");
    const int x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (const auto& p : x)
        b.put(std::uint8_t{9})
            .put(static_cast<float>(p[2]))
            .put(static_cast<double>(p[1]))
            .put(static_cast<std::int16_t>(p[0]));
    const std::uint32_t f[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    for (const auto& t : f) {
        b.put(std::uint8_t{1}).put(std::uint16_t{3});
        for (std::uint32_t i : t) b.put(i);
    }
    return b.put(std::int32_t{5}).text;
}

inline std::string stl_binary(const std::string& header = "made by hand") {
    Bytes b;
    b.words(header);
    b.text.resize(80, ' ');
    b.put(std::uint32_t{4});
    const float x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int f[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    for (const auto& t : f) {
        b.all<float>({0, 0, 0});
        for (int i : t)
            for (float c : x[i]) b.put(c);
        b.put(std::uint16_t{0});
    }
    return b.text;
}

inline std::string stl_ascii() {
    const char* x[4] = {"0 0 0", "1 0 0", "0 1 0", "0 0 1"};
    const int f[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    std::string text = "solid a name\n";
    for (const auto& t : f) {
        text += "facet normal 0 0 0\nouter loop\n";
        for (int i : t) text += std::string("vertex ") + x[i] + "\n";
        text += "endloop\nendfacet\n";
    }
    return text + "endsolid a name\n";
}

/// A tetrahedron of four triangles, outside out, volume 1/6.
inline std::vector<Sample> surface_samples() {
    const std::string off =
        "\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n"
        "3 0 3 2\n";
    return {
        {"obj", "obj",
         "# words\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1 1.0\nvt 0 0\nvn 0 0 "
         "1\n"
         "g a\ns off\nf 1 3 2\nf 1/1 2/1 4/1\nf 2//1 3//1 4//1\nf -4/1/1 -1/1/1 -2/1/1\n"},
        {"stl", "stl", stl_ascii()},
        {"stl binary", "stl", stl_binary()},
        {"stl binary that begins with solid", "stl", stl_binary("solid words")},
        {"off", "off", "OFF # words" + off},
        {"off on one line", "off",
         "OFF 4 4 0\n# words\n0 0 0\n1 0 0\n\n0 1 0\n0 0 1\n3 0 2 1 1 0 0\n3 0 1 3\n3 1 2 3\n"
         "3 0 3 2\n"},
        {"noff", "off",
         "NOFF\n4 4 0\n0 0 0 1 0 0\n1 0 0 1 0 0\n0 1 0 1 0 0\n0 0 1 1 0 0\n3 0 2 1\n3 0 1 3\n"
         "3 1 2 3\n3 0 3 2\n"},
        {"coff", "off",
         "COFF\n4 4 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n0 1 0 255 0 0 255\n0 0 1 1 1 1 1\n"
         "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"},
        {"ply", "ply",
         "ply\nformat ascii 1.0\ncomment words\nelement vertex 4\nproperty float x\n"
         "property float y\nproperty float z\nproperty uchar red\nelement face 4\n"
         "property list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n"
         "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"},
        {"ply binary", "ply", ply_binary(false)},
        {"ply big-endian", "ply", ply_binary(true)},
        {"vtk polydata", "vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 "
         "0 "
         "0 0 1\nPOLYGONS 4 16\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"},
        {"medit triangles", "medit",
         "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
         "Triangles\n4\n1 3 2 1\n1 2 4 1\n2 3 4 1\n1 4 3 1\nEnd\n"},
        {"gmsh triangles", "gmsh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
         "$EndNodes\n$Elements\n4\n1 2 0 1 3 2\n2 2 0 1 2 4\n3 2 0 2 3 4\n4 2 0 1 4 3\n"
         "$EndElements\n"},
    };
}

}  // namespace limber::test

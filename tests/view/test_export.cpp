// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/temp_folder.h"
#include "limber/io/file.h"
#include "limber/io/mesh_reader.h"
#include "limber/io/surface_animation.h"

namespace limber {
namespace {

/// Two tetrahedra-like surfaces, three frames, with numbers that floats cannot shorten.
SurfaceAnimation sample() {
    SurfaceAnimation a;
    a.times = {0, 0.1, 0.25};
    for (const char* name : {"left", "2-right"}) {
        AnimatedSurface body;
        body.name = name;
        body.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
        for (int f = 0; f < 3; ++f) {
            const float s = 1.0f / 3.0f + static_cast<float>(f);
            body.frames.push_back({0, 0, 0, s, 0, 0.1f, 0, s, 0, 0.1f, 0, s * 1e-7f});
        }
        a.bodies.push_back(body);
    }
    return a;
}

TEST(Export, obj_frames_keep_every_bit_and_their_order) {
    const TempFolder folder;
    const SurfaceAnimation a = sample();
    write_obj_frame(folder.path("a.obj"), a.bodies[0], 2);
    const LoadedSurface read = read_surface(folder.path("a.obj"));
    ASSERT_EQ(read.mesh.nodes.size(), 4u);
    EXPECT_EQ(read.mesh.triangles, a.bodies[0].triangles);
    for (std::size_t i = 0; i < 12; ++i)
        EXPECT_EQ(static_cast<float>(read.mesh.nodes[i / 3][static_cast<int>(i % 3)]),
                  a.bodies[0].frames[2][i]);
}

TEST(Export, mdd_is_big_endian_and_exact) {
    const TempFolder folder;
    const SurfaceAnimation a = sample();
    write_mdd(folder.path("a.mdd"), a.bodies[0], a.times);
    const std::string bytes = read_file(folder.path("a.mdd"));
    const auto word = [&](std::size_t k) {
        std::uint32_t out = 0;
        for (std::size_t i = 0; i < 4; ++i)
            out = out << 8 | static_cast<unsigned char>(bytes.at(4 * k + i));
        return out;
    };
    ASSERT_EQ(bytes.size(), 4 * (2 + 3 + 3 * 12u));
    EXPECT_EQ(word(0), 3u);
    EXPECT_EQ(word(1), 4u);
    for (std::size_t f = 0; f < 3; ++f) {
        EXPECT_EQ(std::bit_cast<float>(word(2 + f)), static_cast<float>(a.times[f]));
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_EQ(std::bit_cast<float>(word(5 + 12 * f + i)), a.bodies[0].frames[f][i]);
    }
}

TEST(Export, glb_morphs_to_every_frame) {
    const TempFolder folder;
    SurfaceAnimation a = sample();
    a.z_up = true;
    write_glb(folder.path("a.glb"), a);
    const std::string bytes = read_file(folder.path("a.glb"));
    std::uint32_t head[5];
    std::memcpy(head, bytes.data(), sizeof head);
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(head[2], bytes.size());
    const auto json = nlohmann::json::parse(bytes.substr(20, head[3]));
    EXPECT_EQ(json["meshes"].size(), 2u);
    const auto& primitive = json["meshes"][0]["primitives"][0];
    ASSERT_EQ(primitive["targets"].size(), 2u);
    const auto floats = [&](const nlohmann::json& accessor) {
        const auto& view =
            json["bufferViews"][json["accessors"][accessor.get<int>()]["bufferView"].get<int>()];
        std::vector<float> out(view["byteLength"].get<std::size_t>() / 4);
        std::memcpy(out.data(), bytes.data() + 28 + head[3] + view["byteOffset"].get<std::size_t>(),
                    4 * out.size());
        return out;
    };
    const auto base = floats(primitive["attributes"]["POSITION"]);
    for (std::size_t f = 1; f < 3; ++f) {
        const auto change = floats(primitive["targets"][f - 1]["POSITION"]);
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_FLOAT_EQ(base[i] + change[i], a.bodies[0].frames[f][i]);
    }
    const auto& sampler = json["animations"][0]["samplers"][0];
    EXPECT_EQ(floats(sampler["output"]), (std::vector<float>{0, 0, 1, 0, 0, 1}));
    EXPECT_NEAR(json["nodes"][0]["rotation"][0].get<double>(), -std::sqrt(0.5), 1e-12);
}

TEST(Export, the_validator_of_khronos_finds_nothing) {
    const TempFolder folder;
    SurfaceAnimation moving = sample(), still = sample();
    still.times.resize(1);
    for (AnimatedSurface& body : still.bodies) body.frames.resize(1);
    write_glb(folder.path("moving.glb"), moving);
    write_glb(folder.path("still.glb"), still);
    const std::string command = std::string("\"") + LIMBER_NODE +
                                "\" \"" LIMBER_SOURCE_DIR "/tests/view/validate_glb.mjs\" \"" +
                                folder.path("moving.glb") + "\" \"" + folder.path("still.glb") +
                                "\"";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Export, usd_names_every_body_once_and_every_frame) {
    const TempFolder folder;
    SurfaceAnimation a = sample();
    a.bodies[1].name = "left";
    write_usda(folder.path("a.usda"), a);
    const std::string text = read_file(folder.path("a.usda"));
    EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
    EXPECT_NE(text.find("upAxis = \"Y\""), std::string::npos);
    EXPECT_NE(text.find("endTimeCode = 15\n"), std::string::npos);
    EXPECT_NE(text.find("def Mesh \"left\""), std::string::npos);
    EXPECT_NE(text.find("def Mesh \"left_\""), std::string::npos);
    EXPECT_NE(text.find("            6: [(0, 0, 0), "), std::string::npos);
    EXPECT_NE(text.find("faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]"),
              std::string::npos);
    int depth = 0;
    for (const char c : text) depth += (c == '{') - (c == '}');
    EXPECT_EQ(depth, 0);
}

}  // namespace
}  // namespace limber

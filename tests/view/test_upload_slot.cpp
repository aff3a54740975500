// SPDX-License-Identifier: Apache-2.0
#include "limber/view/server/upload_slot.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temp_folder.h"
#include "limber/io/file.h"

namespace limber {
namespace {

RequestHead posted(const std::string& name) {
    RequestHead out;
    out.method = "POST";
    out.target = "/upload?token=T&name=" + name;
    return out;
}

struct Taken {
    Taken() { options.upload_folder = folder.path(""); }
    TempFolder folder;
    ServerOptions options;
    UploadSlot slot{options};
};

TEST(UploadSlot, takes_one_mesh_at_a_time_each_into_a_file_of_its_own) {
    Taken taken;
    ASSERT_FALSE(taken.slot.begin(posted("../a.obj")));
    const std::filesystem::path first = taken.slot.file();
    EXPECT_EQ(first.filename(), "upload_1.obj");
    EXPECT_TRUE(std::filesystem::equivalent(first.parent_path(), taken.folder.path("")));
    const auto busy = taken.slot.begin(posted("b.obj"));
    ASSERT_TRUE(busy);
    EXPECT_EQ(busy->status, 503);
    EXPECT_EQ(taken.slot.file(), first) << "that of the one on its way";
    write_file_atomic(first.string(), "v 0 0 0\n");
    EXPECT_FALSE(taken.slot.end(std::nullopt));
    EXPECT_TRUE(std::filesystem::exists(first));
    EXPECT_FALSE(taken.slot.begin(posted("b.stl")));
    EXPECT_EQ(std::filesystem::path(taken.slot.file()).filename(), "upload_2.stl");
}

TEST(UploadSlot, what_did_not_come_whole_is_gone_and_makes_room) {
    Taken taken;
    for (const std::string text : {"", "v 0 0 0\n"}) {
        ASSERT_FALSE(taken.slot.begin(posted("a.obj")));
        write_file_atomic(taken.slot.file(), text);
        const auto refusal = taken.slot.end(
            text.empty() ? std::nullopt : std::optional(Refusal{413, "the mesh is too large"}));
        ASSERT_TRUE(refusal);
        EXPECT_EQ(refusal->status, text.empty() ? 400 : 413);
        EXPECT_FALSE(std::filesystem::exists(taken.slot.file()));
    }
    ASSERT_FALSE(taken.slot.begin(posted("a.obj")));
    EXPECT_EQ(taken.slot.end(std::nullopt)->status, 400) << "no file was ever made";
}

TEST(UploadSlot, takes_meshes_by_post_alone_and_only_where_they_have_a_folder) {
    Taken taken;
    RequestHead got = posted("a.obj");
    got.method = "GET";
    EXPECT_EQ(taken.slot.begin(got)->status, 405);
    taken.options.upload_folder.clear();
    EXPECT_EQ(taken.slot.begin(posted("a.obj"))->status, 403);
}

}  // namespace
}  // namespace limber

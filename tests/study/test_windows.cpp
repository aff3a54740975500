// SPDX-License-Identifier: Apache-2.0
#include "limber/study/windows.h"

#include <gtest/gtest.h>

#include <fstream>

#include "study/study_scene.h"

namespace limber {
namespace {

using test::Folder;

struct Windows : testing::Test {
    Folder folder;
    StudyScene study = test::study_scene(folder);
    SceneDef scene = load_scene(study.path);
    Model model = test::model_of(study);
    std::vector<Snapshot> starts() {
        return window_starts(scene, model, 4, 20, folder.path("windows"));
    }
    static std::vector<std::filesystem::path> files(const std::string& dir) {
        std::vector<std::filesystem::path> out;
        for (const auto& entry : std::filesystem::directory_iterator(dir))
            out.push_back(entry.path());
        return out;
    }
};

TEST_F(Windows, are_states_of_the_run) {
    const std::vector<Snapshot> found = starts();
    ASSERT_EQ(found.size(), 4u);
    const auto world = make_world(scene, model);
    for (const Snapshot& s : found) {
        while (world->state().step < s.state.step) world->step();
        EXPECT_EQ(s.state.x, world->state().x) << "step " << s.state.step;
        EXPECT_EQ(s.state.v, world->state().v);
    }
    EXPECT_EQ(found.back().state.step, 15);
}

TEST_F(Windows, are_kept_and_made_anew_when_damaged) {
    const std::vector<Snapshot> first = starts();
    const auto kept = files(folder.path("windows"));
    ASSERT_EQ(kept.size(), 3u);  // the first is the start itself
    const auto written = std::filesystem::last_write_time(kept[0]);
    for (const auto& file : kept) std::filesystem::last_write_time(file, written);
    starts();
    for (const auto& file : kept) EXPECT_EQ(std::filesystem::last_write_time(file), written);
    std::ofstream(kept[1], std::ios::binary | std::ios::in | std::ios::out).seekp(100).put('x');
    std::ofstream(kept[2], std::ios::binary) << "cut";
    const std::vector<Snapshot> again = starts();
    ASSERT_EQ(again.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i].state.x, first[i].state.x);
}

TEST_F(Windows, of_another_scene_are_others) {
    starts();
    scene.materials["rubber"].young = 3e5;
    starts();
    EXPECT_EQ(files(folder.path("windows")).size(), 6u);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "limber/core/errors.h"
#include "limber/view/live.h"
#include "limber/view/upload.h"
#include "view/socket_client.h"
#include "view/view_scene.h"

namespace limber {
namespace {

using Json = nlohmann::json;

/// A box as OBJ, its top left open where `open`.
std::string box_text(double x, double y, double z, bool open = false) {
    std::string out;
    for (const double k : {0.0, z})
        for (const auto& [i, j] : {std::pair{0.0, 0.0}, {x, 0.0}, {x, y}, {0.0, y}})
            out += "v " + std::to_string(i) + ' ' + std::to_string(j) + ' ' +
                   (k > 0 && k < 1e-6 ? "1e-7" : std::to_string(k)) + '\n';
    for (const char* face : {"1 4 3 2", "1 2 6 5", "2 3 7 6", "3 4 8 7", "4 1 5 8"})
        out += std::string("f ") + face + '\n';
    return open ? out : out + "f 5 6 7 8\n";
}

struct Uploads {
    explicit Uploads() {
        LiveOptions o;
        o.scene = test::bar_scene(folder);
        o.upload_folder = folder.path("");
        session = std::make_unique<LiveSession>(o);
    }
    void drop(const std::string& name, const std::string& text) {
        session->uploaded(folder.file(name, text), server);
    }
    Json status() const { return Json::parse(session->status()); }
    std::string name() const { return session->world().model().bodies[0].name; }
    /// Until the scene has changed; throws what went wrong.
    void opened() {
        ASSERT_TRUE(test::eventually([&] {
            session->poll(server);
            return name() == "dropped";
        }));
    }

    TempFolder folder;
    ViewServer server{{}};
    std::unique_ptr<LiveSession> session;
};

TEST(Upload, a_dropped_file_is_opened_between_two_steps_and_never_inside_one) {
    Uploads up;
    up.drop("box.obj", box_text(1, 1, 1));
    for (int k = 0; k < 3; ++k) up.session->advance(up.server);
    EXPECT_EQ(up.name(), "bar") << "the steps went on";
    up.opened();
    EXPECT_EQ(up.status()["busy"], "");
    EXPECT_EQ(up.status()["command"], "") << "the file goes with the page";
    up.session->handle(parse_command(R"({"do":"reset"})"), up.server);
    EXPECT_EQ(up.status()["command"], "");
}

TEST(Upload, a_cancelled_file_changes_nothing_however_far_it_has_come) {
    Uploads up;
    for (int k = 0; k < 3; ++k) {
        up.drop("box" + std::to_string(k) + ".obj", box_text(1, 1, 1));
        if (k == 1) up.session->poll(up.server);
        up.session->handle(parse_command(R"({"do":"cancel"})"), up.server);
        EXPECT_EQ(up.status()["busy"], "");
        up.session->poll(up.server);
        EXPECT_EQ(up.name(), "bar");
        // Its thread ends by itself: then there is room for another.
        ASSERT_TRUE(test::eventually([&] {
            up.session->poll(up.server);
            return !up.session->working();
        }));
    }
    EXPECT_EQ(up.name(), "bar");
    up.drop("last.obj", box_text(1, 1, 1));
    up.opened();
}

TEST(Upload, the_newest_of_two_files_is_the_one_that_is_shown) {
    Uploads up;
    up.drop("first.obj", box_text(1, 1, 1));
    up.drop("second.obj", box_text(2, 1, 1));
    EXPECT_THROW(up.drop("third.obj", box_text(3, 1, 1)), InputError) << "two threads at most";
    up.opened();
    const Vec3d size = bounding_box(up.session->world().model().mesh.nodes).size();
    EXPECT_NEAR(size.x / size.y, 2, 0.01);
}

TEST(Upload, a_foil_is_refused_before_it_is_filled) {
    const TempFolder folder;
    std::set<std::string> stages;
    try {
        scene_of_upload(folder.file("foil.obj", box_text(1, 1, 1e-7)),
                        [&](std::string_view stage, double) { stages.insert(std::string(stage)); });
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(error.message().find("too thin to be filled"), std::string::npos)
            << error.message();
        EXPECT_NE(error.message().find("50000"), std::string::npos) << error.message();
    }
    EXPECT_EQ(stages.count("sampling"), 0u) << "the mesher has not begun";
    for (const double thin : {0.02, 0.2}) {
        const UploadedScene made = scene_of_upload(
            folder.file("plate" + std::to_string(thin) + ".obj", box_text(1, 1, thin)));
        EXPECT_NE(made.remark.find("filled with"), std::string::npos) << made.remark;
    }
}

TEST(Upload, a_progress_that_throws_ends_the_filling) {
    const TempFolder folder;
    struct Enough {};
    EXPECT_THROW(scene_of_upload(folder.file("box.obj", box_text(1, 1, 1)),
                                 [&](std::string_view stage, double) {
                                     if (stage == "sampling") throw Enough{};
                                 }),
                 Enough);
}

TEST(Upload, a_closed_hole_is_told) {
    const TempFolder folder;
    const UploadedScene made = scene_of_upload(folder.file("open.obj", box_text(1, 1, 1, true)));
    EXPECT_NE(made.remark.find("1 hole with 4 open edges was closed"), std::string::npos)
        << made.remark;
    const UploadedScene whole = scene_of_upload(folder.file("whole.obj", box_text(1, 1, 1)));
    EXPECT_EQ(whole.remark.find("hole"), std::string::npos) << whole.remark;
}

}  // namespace
}  // namespace limber

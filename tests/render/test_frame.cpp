// SPDX-License-Identifier: Apache-2.0
#include "limber/render/frame.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/io/vtk/vtu_writer.h"
#include "limber/mesh/shapes.h"

namespace limber {
namespace {

/// A run folder with frames of a box at steps 0 and 10, moved by its step.
struct SampleRun {
    SampleRun() {
        std::filesystem::create_directory(temp.path("vtu"));
        mesh = make_box({1, 1, 1}, {2, 2, 2});
        for (std::int64_t step : {0, 10}) write("bar", step);
        write("ball", 10);
        temp.file("vtu/series.pvd", "");
        temp.file("vtu/notes.txt", "");
        temp.file("vtu/bar_12.vtu", "");
    }
    std::string path(const std::string& body, std::int64_t step) const {
        return temp.path("vtu/" + body + (step == 0 ? "_000000.vtu" : "_000010.vtu"));
    }
    void write(const std::string& body, std::int64_t step) const {
        const double moved = static_cast<double>(step);
        std::vector<Vec3d> points = mesh.nodes, displacement(mesh.nodes.size(), {moved, 0, 0});
        for (Vec3d& p : points) p.x += moved;
        std::vector<double> stress;
        for (Index e = 0; e < mesh.n_tets(); ++e) stress.push_back(100.0 * e);
        VtuGrid grid;
        grid.points = points;
        grid.tets = mesh.tets;
        grid.point_data = {{"displacement", std::span<const Vec3d>(displacement)},
                           {"velocity", std::span<const Vec3d>(displacement)}};
        grid.cell_data = {{"von_mises", std::span<const double>(stress)}};
        write_vtu(path(body, step), grid);
    }
    TempFolder temp;
    TetMesh mesh;
};

TEST(Frame, steps_are_found_by_the_names_of_the_files) {
    const SampleRun run;
    EXPECT_EQ(frame_steps(run.temp.path("")), (std::vector<std::int64_t>{0, 10}));
}

TEST(Frame, reads_back_what_was_written) {
    const SampleRun run;
    const std::vector<FrameBody> bodies = read_frame(run.temp.path(""), 10);
    ASSERT_EQ(bodies.size(), 2u);
    EXPECT_EQ(bodies[0].name, "ball");
    EXPECT_EQ(bodies[1].name, "bar");
    ASSERT_EQ(bodies[1].points.size(), run.mesh.nodes.size());
    EXPECT_EQ(bodies[1].points[3].x, run.mesh.nodes[3].x + 10);
    EXPECT_EQ(bodies[1].tets, run.mesh.tets);
    EXPECT_EQ(bodies[1].von_mises[5], 500);
    EXPECT_EQ(bodies[1].displacement[2], (Vec3d{10, 0, 0}));
}

TEST(Frame, a_step_without_a_frame_names_its_neighbours) {
    const SampleRun run;
    try {
        read_frame(run.temp.path(""), 7);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("0 and 10"), std::string::npos) << error.what();
    }
    EXPECT_THROW(read_frame(run.temp.path("nowhere"), 0), SystemError);
}

TEST(Frame, a_file_cut_anywhere_is_refused) {
    const SampleRun run;
    const std::string whole = read_file(run.path("bar", 0));
    ASSERT_NO_THROW(read_frame_file(run.path("bar", 0)));
    // The arrays end before the closing tags: every cut up to there loses something.
    const std::size_t end = whole.rfind("</AppendedData>") - 8;
    for (std::size_t n = 0; n < end; n += 97)
        EXPECT_THROW(read_frame_file(run.temp.file("cut.vtu", whole.substr(0, n))), InputError)
            << n;
}

TEST(Frame, a_flipped_byte_in_the_head_never_crashes) {
    const SampleRun run;
    const std::string whole = read_file(run.path("bar", 0));
    const std::size_t head = whole.find("<AppendedData") + 40;
    for (std::size_t n = 0; n < head; n += 3) {
        std::string damaged = whole;
        damaged[n] = static_cast<char>(damaged[n] ^ 0x15);
        try {
            read_frame_file(run.temp.file("flip.vtu", damaged));
        } catch (const InputError&) {
        }
    }
}

TEST(Frame, bodies_are_coloured_by_one_scale) {
    const SampleRun run;
    Picture picture;
    add_bodies(read_frame(run.temp.path(""), 10), ColourBy::displacement, false, picture);
    ASSERT_EQ(picture.bodies.size(), 2u);
    EXPECT_EQ(picture.scale.hi, 10);
    EXPECT_EQ(picture.scale.title, "displacement [m]");
    for (const PictureBody& body : picture.bodies) {
        EXPECT_EQ(body.scalar.size(), body.points.size());
        EXPECT_EQ(body.scalar[0], 10);
        EXPECT_EQ(body.triangles.size(), 6u * 2 * 2 * 2);
    }
    Picture plain;
    add_bodies(read_frame(run.temp.path(""), 10), ColourBy::body, true, plain);
    EXPECT_TRUE(plain.bodies[0].scalar.empty());
    EXPECT_TRUE(plain.scale.title.empty());
    EXPECT_NE(plain.bodies[0].colour, plain.bodies[1].colour);
}

TEST(Frame, a_floor_lies_under_everything) {
    for (int up : {1, 2}) {
        const SampleRun run;
        Picture picture;
        picture.up_axis = up;
        add_bodies(read_frame(run.temp.path(""), 0), ColourBy::body, false, picture);
        add_floor(picture);
        const PicturePlane& floor = picture.planes.at(0);
        for (const Vec3d& p : picture.bodies[0].points)
            EXPECT_GT(dot(p - floor.point, floor.normal), 0);
        EXPECT_EQ(floor.normal[up], 1);
    }
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/render/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "io/temp_folder.h"
#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/io/file.h"
#include "limber/render/camera.h"
#include "limber/render/legend.h"
#include "limber/render/normals.h"
#include "limber/render/rasteriser.h"
#include "limber/render/tessellate.h"

namespace limber {
namespace {

PictureBody coloured(const TriangleSurface& surface, std::uint32_t hex) {
    PictureBody body;
    body.points = surface.points;
    body.triangles = surface.triangles;
    body.colour = rgb_from_hex(hex);
    return body;
}

/// A camera on the z axis that looks at the origin.
Picture front_view(int width = 120, int height = 90) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    picture.samples = 2;
    picture.camera.eye = Vec3d{0, 0, 10};
    picture.camera.target = Vec3d{0, 0, 0};
    return picture;
}

bool redder(const std::uint8_t* p) {
    return p[0] > p[2] + 30;
}
bool bluer(const std::uint8_t* p) {
    return p[2] > p[0] + 30;
}

TEST(Rasteriser, two_halves_of_a_square_cover_every_sample) {
    const Vec3d a{0, 0, 1}, b{16, 0, 1}, c{16, 16, 1}, d{0, 16, 1};
    std::vector<int> hits(16 * 16, 0);
    for (const auto& corners : {std::array{a, b, c}, std::array{a, c, d}})
        sample_triangle(
            setup_triangle(corners, 16, 16), 0, 16,
            [&](int x, int y, double, const std::array<double, 3>&) { ++hits[y * 16 + x]; });
    for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x) EXPECT_EQ(hits[y * 16 + x], x == y ? 2 : 1) << x << ' ' << y;
}

TEST(Rasteriser, barycentrics_and_depth_are_perspective_correct) {
    // Corners at depths 1, 2 and 4; (x w, y w, w).
    const std::array<Vec3d, 3> corner = {Vec3d{2, 2, 1}, Vec3d{60, 4, 2}, Vec3d{20, 120, 4}};
    int n = 0;
    sample_triangle(setup_triangle(corner, 32, 32), 0, 32,
                    [&](int x, int y, double w, const std::array<double, 3>& l) {
                        const Vec3d p = corner[0] * l[0] + corner[1] * l[1] + corner[2] * l[2];
                        EXPECT_NEAR(l[0] + l[1] + l[2], 1, 1e-12);
                        EXPECT_NEAR(p.z, w, 1e-9);
                        EXPECT_NEAR(p.x / w, x + 0.5, 1e-9);
                        EXPECT_NEAR(p.y / w, y + 0.5, 1e-9);
                        ++n;
                    });
    EXPECT_GT(n, 100);
}

TEST(Rasteriser, a_triangle_behind_the_eye_is_not_seen_and_one_through_it_only_in_front) {
    const auto behind = setup_triangle({Vec3d{1, 1, -1}, {5, 1, -1}, {1, 5, -2}}, 8, 8);
    EXPECT_FALSE(behind.visible);
    int n = 0;
    const auto through = setup_triangle({Vec3d{4, 4, 1}, {-8, 4, -1}, {4, 40, 1}}, 8, 8);
    sample_triangle(through, 0, 8, [&](int, int, double w, const std::array<double, 3>&) {
        EXPECT_GT(w, 0);
        ++n;
    });
    EXPECT_GT(n, 0);
}

TEST(Rasteriser, a_triangle_without_area_covers_nothing) {
    EXPECT_FALSE(setup_triangle({Vec3d{1, 1, 1}, {2, 2, 1}, {3, 3, 1}}, 8, 8).visible);
}

TEST(Picture, a_ball_covers_the_disk_it_projects_to) {
    Picture picture = front_view(200, 200);
    const double radius = 2;
    picture.bodies.push_back(coloured(tessellate_sphere(radius, 128), 0xe02020));
    const Image image = render_frame(picture);
    int covered = 0;
    for (int y = 0; y < 200; ++y)
        for (int x = 0; x < 200; ++x) covered += redder(image.pixel(x, y));
    const double pi = std::acos(-1.0);
    const double tan_half = std::tan(picture.camera.field_of_view * pi / 360);
    const double tangent = radius / std::sqrt(100 - radius * radius);  // of the silhouette cone
    const double expected = pi * std::pow(100 * tangent / tan_half, 2);
    // The rim is a pixel wide: half a pixel of doubt on each side.
    EXPECT_NEAR(covered, expected, 0.03 * expected);
    EXPECT_TRUE(redder(image.pixel(100, 100)));
    EXPECT_FALSE(redder(image.pixel(3, 3)));
}

TEST(Picture, the_nearer_body_hides_the_farther_one_in_either_order) {
    TriangleSurface near = tessellate_box({0.5, 0.5, 0.5}), far = tessellate_box({2, 2, 0.5});
    place(near, Mat3d::identity(), {0, 0, 2});
    place(far, Mat3d::identity(), {0, 0, -2});
    for (bool near_first : {true, false}) {
        Picture picture = front_view();
        const PictureBody red = coloured(near, 0xe02020), blue = coloured(far, 0x2020e0);
        picture.bodies = near_first ? std::vector{red, blue} : std::vector{blue, red};
        const Image image = render_frame(picture);
        EXPECT_TRUE(redder(image.pixel(60, 45)));
        EXPECT_TRUE(bluer(image.pixel(60, 25)));
    }
}

TEST(Picture, a_floor_hides_what_is_under_it) {
    Picture picture = front_view();
    picture.camera.eye = Vec3d{0, 8, 8};
    TriangleSurface under = tessellate_sphere(1);
    place(under, Mat3d::identity(), {0, -3, 0});
    picture.bodies.push_back(coloured(under, 0xe02020));
    int seen[2] = {0, 0};
    for (int with_floor : {0, 1}) {
        if (with_floor) picture.planes.push_back({{0, 0, 0}, {0, 1, 0}});
        const Image image = render_frame(picture);
        for (int y = 0; y < image.height; ++y)
            for (int x = 0; x < image.width; ++x) seen[with_floor] += redder(image.pixel(x, y));
    }
    EXPECT_GT(seen[0], 100);
    EXPECT_EQ(seen[1], 0);
}

TEST(Picture, a_body_throws_a_shadow_on_the_floor) {
    Picture picture = front_view(160, 120);
    picture.camera.eye = Vec3d{0, 9, 6};
    picture.planes.push_back({{0, 0, 0}, {0, 1, 0}});
    // A roof on no legs: what it hides of the floor is dark, the rest is not.
    TriangleSurface roof = tessellate_box({1.2, 0.05, 1.2});
    place(roof, Mat3d::identity(), {0, 0.7, 0});
    const auto darkest = [&] {
        const Image image = render_frame(picture);
        int least = 255;
        for (int y = 40; y < 110; ++y)
            for (int x = 20; x < 140; ++x) {
                const std::uint8_t* p = image.pixel(x, y);
                if (!redder(p)) least = std::min<int>(least, p[1]);
            }
        return least;
    };
    const int bright = darkest();
    picture.bodies.push_back(coloured(roof, 0xff0000));
    EXPECT_LT(darkest(), bright - 60);
}

TEST(Picture, is_the_same_for_any_number_of_threads) {
    Picture picture = front_view(150, 100);
    picture.bodies.push_back(coloured(tessellate_torus(1.5, 0.5), 0x30a060));
    picture.bodies[0].edges = true;
    picture.planes.push_back({{0, -2, 0}, {0, 1, 0}});
    std::vector<std::uint8_t> first;
    for (int threads : {1, 2, 4}) {
        const ThreadLimit limit(threads);
        const Image image = render_frame(picture);
        if (first.empty()) first = image.rgb;
        EXPECT_EQ(image.rgb, first) << threads;
    }
}

TEST(Picture, frames_everything_by_itself) {
    for (int up : {1, 2}) {
        Picture picture;
        picture.width = 160;
        picture.height = 90;
        picture.samples = 1;
        picture.up_axis = up;
        TriangleSurface beam = tessellate_box({40, 1, 1});
        place(beam, Mat3d::identity(), {100, 200, -300});
        picture.bodies.push_back(coloured(beam, 0xe02020));
        const Box3 bounds = picture_bounds(picture);
        const View view = make_view(picture, bounds, 1);
        double lo = 1e9, hi = -1e9;
        for (const Vec3d& p : beam.points) {
            const Vec3d q = view.project(p);
            ASSERT_GT(q.z, 0);
            EXPECT_TRUE(q.x / q.z > 0 && q.x / q.z < 160 && q.y / q.z > 0 && q.y / q.z < 90);
            lo = std::min(lo, q.x / q.z);
            hi = std::max(hi, q.x / q.z);
        }
        EXPECT_GT(hi - lo, 100) << "the beam fills most of the width";
        EXPECT_NEAR((hi + lo) / 2, 80, 2) << "and stands in the middle";
    }
}

TEST(Picture, of_nothing_is_the_backdrop) {
    Picture picture;
    picture.width = 20;
    picture.height = 10;
    EXPECT_EQ(render_frame(picture).rgb.size(), 600u);
}

TEST(Picture, edges_darken_the_lines_of_the_mesh) {
    Picture picture = front_view();
    picture.bodies.push_back(coloured(tessellate_box({2, 2, 2}), 0x40c0ff));
    const Image plain = render_frame(picture);
    picture.bodies[0].edges = true;
    const Image lined = render_frame(picture);
    int darker = 0, brighter = 0;
    for (std::size_t k = 0; k < plain.rgb.size(); ++k) {
        darker += lined.rgb[k] + 10 < plain.rgb[k];
        brighter += lined.rgb[k] > plain.rgb[k];
    }
    EXPECT_GT(darker, 50);
    EXPECT_EQ(brighter, 0);
}

TEST(Picture, a_size_no_memory_holds_is_refused) {
    Picture picture;
    picture.width = 100000;
    EXPECT_THROW(render_frame(picture), InputError);
    picture.width = 0;
    EXPECT_THROW(render_frame(picture), InputError);
    picture.width = 10;
    picture.samples = 99;
    EXPECT_THROW(render_frame(picture), InputError);
}

TEST(Picture, a_point_that_is_not_finite_is_our_mistake) {
    Picture picture = front_view();
    picture.bodies.push_back(coloured(tessellate_sphere(1), 0xffffff));
    picture.bodies[0].points[5].x = std::nan("");
    EXPECT_THROW(render_frame(picture), Bug);
}

TEST(ColourMap, brightens_all_the_way) {
    const auto luminance = [](Rgb c) { return 0.2126f * c.r + 0.7152f * c.g + 0.0722f * c.b; };
    float last = -1;
    for (int k = 0; k <= 50; ++k) {
        const float now = luminance(colour_map(static_cast<float>(k) / 50));
        EXPECT_GT(now, last);
        last = now;
    }
    const auto expect_same = [](Rgb a, Rgb b) {  // a clamped constant may be folded: float rounding
        EXPECT_NEAR(a.r, b.r, 1e-6f);
        EXPECT_NEAR(a.g, b.g, 1e-6f);
        EXPECT_NEAR(a.b, b.b, 1e-6f);
    };
    expect_same(colour_map(-1), colour_map(0));
    expect_same(colour_map(2), colour_map(1));
    expect_same(colour_map(std::nanf("")), colour_map(0));
}

TEST(Legend, is_drawn_only_where_there_is_a_title) {
    Picture picture = front_view(200, 150);
    picture.bodies.push_back(coloured(tessellate_sphere(1), 0xffffff));
    picture.bodies[0].scalar.assign(picture.bodies[0].points.size(), 0.5f);
    const Image without = render_frame(picture);
    picture.scale.title = "speed [m/s]";
    const Image with = render_frame(picture);
    int changed_left = 0, changed_right = 0;
    for (int y = 0; y < 150; ++y)
        for (int x = 0; x < 200; ++x)
            if (!std::equal(with.pixel(x, y), with.pixel(x, y) + 3, without.pixel(x, y)))
                ++(x < 100 ? changed_left : changed_right);
    EXPECT_EQ(changed_left, 0);
    EXPECT_GT(changed_right, 300);
}

TEST(Legend, text_outside_the_image_is_cut) {
    Image image{8, 8, std::vector<std::uint8_t>(192, 255)};
    draw_text("m8[", -3, -3, 2, Rgb{}, image);
    draw_text("\xff\x01", 0, 0, 1, Rgb{}, image);
    EXPECT_NE(image.rgb, std::vector<std::uint8_t>(192, 255));
}

TEST(Png, reads_back_to_the_same_pixels) {
    Image image{7, 5, {}};
    for (int k = 0; k < 7 * 5 * 3; ++k) image.rgb.push_back(static_cast<std::uint8_t>(37 * k));
    const TempFolder temp;
    write_png(temp.path("a.png"), image);
    const std::string file = read_file(temp.path("a.png"));
    EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
    std::vector<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    const Image back = decode_png(bytes, "a.png");
    EXPECT_EQ(back.width, 7);
    EXPECT_EQ(back.height, 5);
    EXPECT_EQ(back.rgb, image.rgb);
    bytes.resize(bytes.size() / 2);
    EXPECT_THROW(decode_png(bytes, "a.png"), InputError);
    EXPECT_THROW(write_png(temp.path("no/such/folder.png"), image), SystemError);
}

TEST(Strip, holds_its_pictures_in_order) {
    std::vector<Image> images;
    for (int k = 0; k < 3; ++k)
        images.push_back({2 + k, 2, std::vector<std::uint8_t>(std::size_t(6) * (2 + k), 10 * k)});
    const Image strip = side_by_side(images);
    EXPECT_EQ(strip.width, 9);
    EXPECT_EQ(strip.height, 2);
    const int of_column[] = {0, 0, 10, 10, 10, 20, 20, 20, 20};
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 9; ++x) EXPECT_EQ(strip.pixel(x, y)[2], of_column[x]);
}

TEST(Strip, of_fewer_bits_stays_near_and_keeps_black_and_white) {
    Image image{256, 1, std::vector<std::uint8_t>(768)};
    for (int k = 0; k < 768; ++k) image.rgb[k] = static_cast<std::uint8_t>(k / 3);
    Image six = image;
    keep_bits(six, 6);
    // 64 values 255/63 apart: half a step and the rounding to whole bytes.
    for (int k = 0; k < 768; ++k) EXPECT_NEAR(six.rgb[k], image.rgb[k], 2.6);
    EXPECT_EQ(std::set<int>(six.rgb.begin(), six.rgb.end()).size(), 64u);
    EXPECT_EQ(six.rgb[0], 0);
    EXPECT_EQ(six.rgb[767], 255);
    keep_bits(image, 8);
    EXPECT_EQ(image.rgb[384], 128);
}

TEST(Srgb, bytes_survive_the_way_to_linear_light_and_back) {
    for (std::uint32_t k = 0; k < 256; ++k) EXPECT_EQ(srgb_byte(rgb_from_hex(k << 8).g), k);
}

/// Volume inside a closed surface: positive when its triangles point outward.
double volume(const TriangleSurface& surface) {
    double sum = 0;
    for (const Triangle& t : surface.triangles)
        sum += dot(surface.points[t[0]], cross(surface.points[t[1]], surface.points[t[2]])) / 6;
    return sum;
}

TEST(Tessellate, surfaces_are_closed_and_point_outward) {
    const double pi = std::acos(-1.0);
    // A polygon of n sides has 1 - (2π/n)²/6 of its circle's area: under 1 % at 96 and more.
    EXPECT_NEAR(volume(tessellate_box({1, 2, 3})), 48, 1e-12);
    EXPECT_NEAR(volume(tessellate_sphere(2, 200)), 4.0 / 3 * pi * 8, 0.1);
    EXPECT_NEAR(volume(tessellate_cylinder(1, 2, 200)), 4 * pi, 0.01);
    EXPECT_NEAR(volume(tessellate_torus(2, 0.5, 200)), 2 * pi * pi * 2 * 0.25, 0.05);
    for (const TriangleSurface& s : {tessellate_box({1, 1, 1}), tessellate_sphere(1),
                                     tessellate_cylinder(1, 1), tessellate_torus(1, 0.2)}) {
        std::map<std::pair<Index, Index>, int> edges;
        for (const Triangle& t : s.triangles)
            for (int i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
        for (const auto& [edge, n] : edges) {
            EXPECT_EQ(n, 1);
            EXPECT_TRUE(edges.contains({edge.second, edge.first})) << "every edge has two sides";
        }
    }
}

TEST(CornerNormals, a_box_keeps_its_edges_and_a_ball_is_smooth) {
    const TriangleSurface box = tessellate_box({1, 1, 1});
    const std::vector<Vec3d> flat = corner_normals(box.points, box.triangles, 35);
    for (std::size_t k = 0; k < box.triangles.size(); ++k)
        for (int i = 0; i < 3; ++i) {
            const Vec3d n = flat[3 * k + i];
            EXPECT_NEAR(std::max({std::fabs(n.x), std::fabs(n.y), std::fabs(n.z)}), 1, 1e-12);
        }
    const TriangleSurface ball = tessellate_sphere(2, 64);
    const std::vector<Vec3d> round = corner_normals(ball.points, ball.triangles, 35);
    for (std::size_t k = 0; k < ball.triangles.size(); ++k)
        for (int i = 0; i < 3; ++i)
            EXPECT_GT(dot(round[3 * k + i], ball.points[ball.triangles[k][i]]) / 2, 0.99);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/render/frame.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include <pugixml.hpp>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/render/camera.h"

namespace limber {

namespace fs = std::filesystem;

namespace {

/// The arrays of a VTU file with appended raw data.
class VtuFrame {
  public:
    VtuFrame(const std::string& path, std::string bytes) : path_(path), bytes_(std::move(bytes)) {
        constexpr std::string_view marker = "<AppendedData encoding=\"raw\">";
        const std::size_t found = bytes_.find(marker);
        if (found == std::string::npos) fail("no appended raw data; not a frame of limber");
        data_ = bytes_.find('_', found + marker.size());
        if (data_ == std::string::npos) fail("no appended data");
        ++data_;
        const std::string head = bytes_.substr(0, found) + "</VTKFile>";
        const pugi::xml_parse_result parsed = document_.load_buffer(head.data(), head.size());
        if (!parsed) fail(std::string("damaged head: ") + parsed.description());
        const pugi::xml_node file = document_.child("VTKFile");
        if (std::string_view(file.attribute("header_type").value()) != "UInt64" ||
            std::string_view(file.attribute("byte_order").value()) != "LittleEndian")
            fail("not little-endian with UInt64 headers; not a frame of limber");
        piece_ = file.child("UnstructuredGrid").child("Piece");
        n_points = count("NumberOfPoints");
        n_cells = count("NumberOfCells");
    }

    /// `group` is Points, Cells, PointData or CellData; components * n values of T.
    template <class T>
    std::vector<T> array(const char* group, const char* name, const char* type,
                         std::size_t n_values) const {
        const pugi::xml_node node = piece_.child(group).find_child_by_attribute("Name", name);
        if (!node) fail(std::string("no array '") + name + "'");
        if (std::string_view(node.attribute("type").value()) != type)
            fail(std::string("array '") + name + "' is not " + type);
        const std::uint64_t offset = node.attribute("offset").as_ullong();
        const std::size_t left = bytes_.size() - data_;
        std::uint64_t length = 0;
        if (offset > left || left - offset < sizeof length)
            fail(std::string("array '") + name + "' is cut off");
        std::memcpy(&length, bytes_.data() + data_ + offset, sizeof length);
        if (length > left - offset - sizeof length)
            fail(std::string("array '") + name + "' is cut off");
        if (length != n_values * sizeof(T))
            fail(std::string("array '") + name + "' has " + std::to_string(length) +
                 " bytes; expected " + std::to_string(n_values * sizeof(T)));
        std::vector<T> out(n_values);
        if (length) std::memcpy(out.data(), bytes_.data() + data_ + offset + sizeof length, length);
        return out;
    }
    bool has(const char* group, const char* name) const {
        return static_cast<bool>(piece_.child(group).find_child_by_attribute("Name", name));
    }
    std::vector<Vec3d> vectors(const char* group, const char* name) const {
        const std::vector<double> flat = array<double>(group, name, "Float64", 3 * n_points);
        std::vector<Vec3d> out(n_points);
        for (std::size_t i = 0; i < n_points; ++i) {
            out[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
            if (!is_finite(out[i])) fail(std::string("array '") + name + "' is not finite");
        }
        return out;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError({path_, 0, 0, -1}, what);
    }

    std::size_t n_points = 0, n_cells = 0;

  private:
    /// Bounded by the file, so that a lie cannot ask for more memory than the file could fill.
    std::size_t count(const char* name) const {
        const std::uint64_t n = piece_.attribute(name).as_ullong();
        if (n > bytes_.size()) fail(std::string(name) + " is more than the file can hold");
        return static_cast<std::size_t>(n);
    }
    std::string path_, bytes_;
    std::size_t data_ = 0;  // where the appended data begins
    pugi::xml_document document_;
    pugi::xml_node piece_;
};

/// Whole only where it begins as a frame does.
std::string frame_bytes(const std::string& path) {
    if (read_head(path, 4096).find("<VTKFile") == std::string::npos)
        throw InputError({path, 0, 0, -1}, "does not begin with <VTKFile; not a frame of limber");
    return read_file(path);
}

/// <stem>_<digits>.vtu
bool split_name(const std::string& file, std::string& stem, std::int64_t& step) {
    const std::size_t bar = file.rfind('_');
    if (bar == std::string::npos || !file.ends_with(".vtu") || file.size() < bar + 11) return false;
    const char* end = file.data() + file.size() - 4;
    const auto [stop, error] = std::from_chars(file.data() + bar + 1, end, step);
    stem = file.substr(0, bar);
    return error == std::errc{} && stop == end && step >= 0;
}

template <class F>
void for_each_frame_file(const std::string& dir, F&& f, const char* kind = "vtu") {
    const fs::path folder = fs::path(dir) / kind;
    for (const std::string& name : names_in(folder.string())) {
        std::string stem;
        std::int64_t step = 0;
        if (split_name(name, stem, step)) f(folder / name, stem, step);
    }
}

/// Of a skin, or of cloth.
void read_triangles(const VtuFrame& file, const std::vector<std::uint8_t>& types, FrameBody& body) {
    if (std::any_of(types.begin(), types.end(), [](int type) { return type != 5; }))
        file.fail("a cell of a surface is not a triangle");
    const auto corners =
        file.array<std::int32_t>("Cells", "connectivity", "Int32", 3 * file.n_cells);
    body.triangles.resize(file.n_cells);
    for (std::size_t k = 0; k < corners.size(); ++k) {
        if (corners[k] < 0 || static_cast<std::size_t>(corners[k]) >= file.n_points)
            file.fail("a triangle uses a point that is not there");
        body.triangles[k / 3][k % 3] = corners[k];
    }
}

std::string nearest_steps(const std::vector<std::int64_t>& steps, std::int64_t wanted) {
    if (steps.empty()) return "the run has no frames";
    const auto above = std::lower_bound(steps.begin(), steps.end(), wanted);
    std::string out = "nearest: ";
    if (above != steps.begin()) out += std::to_string(*(above - 1));
    if (above != steps.begin() && above != steps.end()) out += " and ";
    if (above != steps.end()) out += std::to_string(*above);
    return out;
}

/// A value of each cell to its corners: the mean over the cells around a node.
std::vector<float> at_points(const FrameBody& body, const std::vector<double>& of_cell) {
    std::vector<double> sum(body.points.size(), 0);
    std::vector<int> n(body.points.size(), 0);
    const auto share = [&](const auto& cells) {
        for (std::size_t e = 0; e < cells.size(); ++e)
            for (Index i : cells[e]) {
                sum[i] += of_cell[e];
                ++n[i];
            }
    };
    share(body.tets);
    share(body.triangles);
    std::vector<float> out(sum.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
        out[i] = n[i] ? static_cast<float>(sum[i] / n[i]) : 0.0f;
    return out;
}

std::vector<float> lengths(const std::vector<Vec3d>& vectors) {
    std::vector<float> out;
    for (const Vec3d& v : vectors) out.push_back(static_cast<float>(norm(v)));
    return out;
}

std::vector<float> values_of(const FrameBody& body, ColourBy colour_by) {
    if (colour_by == ColourBy::von_mises) return at_points(body, body.von_mises);
    if (colour_by == ColourBy::displacement) return lengths(body.displacement);
    if (colour_by == ColourBy::speed) return lengths(body.velocity);
    return {};
}

}  // namespace

std::vector<std::int64_t> frame_steps(const std::string& dir) {
    std::set<std::int64_t> steps;
    for_each_frame_file(
        dir, [&](const fs::path&, const std::string&, std::int64_t step) { steps.insert(step); });
    return {steps.begin(), steps.end()};
}

bool has_frame_contacts(const std::string& dir) {
    return is_folder((fs::path(dir) / "contacts").string());
}

std::vector<FrameContact> read_frame_contacts(const std::string& dir, std::int64_t step) {
    std::vector<FrameContact> out;
    const auto read = [&](const fs::path& path, const std::string&, std::int64_t k) {
        if (k != step) return;
        const VtuFrame file(path.string(), frame_bytes(path.string()));
        const std::vector<Vec3d> points = file.vectors("Points", "Points");
        std::vector<Vec3d> force;
        if (file.has("PointData", "force")) {
            force = file.vectors("PointData", "force");
        } else {  // runs of limber 0.1.0 before 2026-11 have its two parts alone
            force = file.vectors("PointData", "normal_force");
            const std::vector<Vec3d> friction = file.vectors("PointData", "friction_force");
            for (std::size_t i = 0; i < force.size(); ++i) force[i] += friction[i];
        }
        for (std::size_t i = 0; i < points.size(); ++i) out.push_back({points[i], force[i]});
    };
    for_each_frame_file(dir, read, "contacts");
    return out;
}

SkinnedFrame read_skinned_frame(const std::string& dir, std::int64_t step) {
    SkinnedFrame out;
    std::vector<FrameBody> found_skins;
    for_each_frame_file(dir, [&](const fs::path& path, const std::string& stem, std::int64_t k) {
        if (k != step) return;
        FrameBody body = read_frame_file(path.string());
        body.name = stem;
        const bool skin = !body.triangles.empty() && body.von_mises.empty();
        (skin ? found_skins : out.bodies).push_back(std::move(body));
    });
    if (out.bodies.empty())
        throw InputError({dir, 0, 0, -1}, "no frame of step " + std::to_string(step) + "; " +
                                              nearest_steps(frame_steps(dir), step));
    std::sort(out.bodies.begin(), out.bodies.end(),
              [](const FrameBody& a, const FrameBody& b) { return a.name < b.name; });
    out.skins.resize(out.bodies.size());
    for (FrameBody& skin : found_skins)
        for (std::size_t b = 0; b < out.bodies.size(); ++b)
            if (skin.name == out.bodies[b].name + "_skin") {
                skin.name = out.bodies[b].name;
                out.skins[b] = std::move(skin);
                break;
            }
    return out;
}

std::vector<FrameBody> read_frame(const std::string& dir, std::int64_t step, bool skins) {
    SkinnedFrame frame = read_skinned_frame(dir, step);
    for (std::size_t b = 0; skins && b < frame.bodies.size(); ++b)
        if (!frame.skins[b].points.empty()) frame.bodies[b] = std::move(frame.skins[b]);
    return std::move(frame.bodies);
}

FrameBody read_frame_file(const std::string& path) {
    const VtuFrame file(path, frame_bytes(path));
    FrameBody body;
    body.points = file.vectors("Points", "Points");
    body.displacement = file.vectors("PointData", "displacement");
    body.velocity = file.vectors("PointData", "velocity");
    const auto types = file.array<std::uint8_t>("Cells", "types", "UInt8", file.n_cells);
    const bool surface = !types.empty() && types[0] == 5;
    if (!surface || file.has("CellData", "von_mises"))
        body.von_mises = file.array<double>("CellData", "von_mises", "Float64", file.n_cells);
    for (double value : body.von_mises)
        if (!std::isfinite(value)) file.fail("array 'von_mises' is not finite");
    if (surface) {
        read_triangles(file, types, body);
        return body;
    }
    if (std::any_of(types.begin(), types.end(), [](int type) { return type != 10; }))
        file.fail("a cell is not a tetrahedron");
    const auto corners =
        file.array<std::int32_t>("Cells", "connectivity", "Int32", 4 * file.n_cells);
    body.tets.resize(file.n_cells);
    for (std::size_t k = 0; k < corners.size(); ++k) {
        if (corners[k] < 0 || static_cast<std::size_t>(corners[k]) >= file.n_points)
            file.fail("a tet uses a point that is not there");
        body.tets[k / 4][k % 4] = corners[k];
    }
    return body;
}

FrameSurface frame_surface(const FrameBody& body) {
    FrameSurface out;
    out.triangles = body.triangles.empty() ? boundary_triangles(body.tets) : body.triangles;
    out.nodes = nodes_of(out.triangles);
    std::vector<Index> vertex(body.points.size(), -1);
    for (std::size_t k = 0; k < out.nodes.size(); ++k) vertex[out.nodes[k]] = static_cast<Index>(k);
    for (Triangle& t : out.triangles)
        for (Index& i : t) i = vertex[i];
    return out;
}

void add_bodies(const std::vector<FrameBody>& bodies, ColourBy colour_by, bool edges,
                Picture& picture) {
    float largest = 0;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        PictureBody body;
        body.points = bodies[b].points;
        body.triangles =
            bodies[b].triangles.empty() ? boundary_triangles(bodies[b].tets) : bodies[b].triangles;
        body.colour = body_colour(b);
        body.edges = edges;
        body.scalar = values_of(bodies[b], colour_by);
        for (float value : body.scalar) largest = std::max(largest, value);
        picture.bodies.push_back(std::move(body));
    }
    if (colour_by == ColourBy::body) return;
    constexpr std::array<const char*, 4> titles = {"", "von Mises [Pa]", "displacement [m]",
                                                   "speed [m/s]"};
    picture.scale = {0, largest, titles[static_cast<int>(colour_by)]};
}

void add_floor(Picture& picture) {
    const Box3 bounds = picture_bounds(picture);
    const Vec3d up = up_vector(picture);
    const double below = 0.02 * norm(bounds.size());
    picture.planes.push_back({up * (dot(bounds.lo, up) - below), up});
}

}  // namespace limber

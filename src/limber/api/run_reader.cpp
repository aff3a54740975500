// SPDX-License-Identifier: Apache-2.0
#include "limber/api/run_reader.h"

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/render/frame.h"

namespace limber::api {

namespace {

std::vector<double> flat(const std::vector<Vec3d>& values) {
    std::vector<double> out;
    out.reserve(3 * values.size());
    for (const Vec3d& v : values) out.insert(out.end(), {v.x, v.y, v.z});
    return out;
}

template <class Cell>
std::vector<std::int32_t> corners(const std::vector<Cell>& cells) {
    std::vector<std::int32_t> out;
    for (const Cell& cell : cells) out.insert(out.end(), cell.begin(), cell.end());
    return out;
}

}  // namespace

RunReader::RunReader(const std::string& folder) : folder_(folder) {
    if (!is_folder(folder))
        throw InputError({folder, 0, 0, -1}, "not a folder; allowed: a run folder");
    if (!is_regular_file(folder + "/scene.toml"))
        throw InputError({folder, 0, 0, -1}, "not a run folder: it has no scene.toml");
}

std::string RunReader::text(const std::string& name) const {
    if (name.find('/') != std::string::npos)
        throw InputError("'" + printable(name) +
                         "'; allowed: the name of a file in the run folder");
    return read_text_file(folder_ + '/' + name);
}

std::vector<std::int64_t> RunReader::frame_steps() const {
    return limber::frame_steps(folder_);
}

std::vector<Frame> RunReader::frame(std::int64_t step) const {
    std::vector<Frame> out;
    for (const FrameBody& body : read_frame(folder_, step, false))
        out.push_back({body.name, flat(body.points), flat(body.displacement), flat(body.velocity),
                       corners(body.tets), body.von_mises, corners(body.triangles)});
    return out;
}

}  // namespace limber::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "limber/render/picture.h"

namespace limber {

/// What a picture needs of one body in one frame of a run folder.
struct FrameBody {
    std::string name;  // the stem of its file
    std::vector<Vec3d> points;
    std::vector<Vec3d> displacement, velocity;  // one per point
    std::vector<Tet> tets;
    std::vector<double> von_mises;         // one per tet [Pa]
    std::vector<Triangle> triangles = {};  // of a skin, which has no tets
};

/// Steps that have frames, ascending.
std::vector<std::int64_t> frame_steps(const std::string& dir);
/// All bodies of one frame, by name, with skins in the place of the bodies that have one unless
/// `skins` is false. A step without a frame is an InputError that names the nearest ones.
std::vector<FrameBody> read_frame(const std::string& dir, std::int64_t step, bool skins = true);
/// All bodies of one frame, by name, and the skins beside them. Errors as read_frame().
struct SkinnedFrame {
    std::vector<FrameBody> bodies,
        skins;  // skins: one for each body, without points where it has none
};
SkinnedFrame read_skinned_frame(const std::string& dir, std::int64_t step);
/// One vtu/<body>_000123.vtu or vtu/<body>_skin_000123.vtu as limber writes it; whatever else is
/// refused with the reason.
FrameBody read_frame_file(const std::string& path);

/// A contact in one frame: where it is, and the force on the body that feels it.
struct FrameContact {
    Vec3d point, force;  // [m], [N]
};
/// Whether the run was asked for contacts.
bool has_frame_contacts(const std::string& dir);
/// contacts/contacts_000123.vtu; none where the step has no such file, as step 0.
std::vector<FrameContact> read_frame_contacts(const std::string& dir, std::int64_t step);

/// What is drawn of a body: its skin, or the boundary of its tets.
struct FrameSurface {
    std::vector<Index> nodes;         // points of the body that are used, ascending
    std::vector<Triangle> triangles;  // in numbers of `nodes`
};
FrameSurface frame_surface(const FrameBody& body);

enum class ColourBy { body, von_mises, displacement, speed };
constexpr std::array<std::string_view, 4> enum_names(ColourBy) {
    return {"body", "von_mises", "displacement", "speed"};
}

/// Adds the surfaces of the bodies, each in its colour or all by one scale from 0 to the largest
/// value, with a legend.
void add_bodies(const std::vector<FrameBody>& bodies, ColourBy colour_by, bool edges,
                Picture& picture);
/// A floor a little below everything, for scenes without a ground: shadows tell where things are.
void add_floor(Picture& picture);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/core/check.h"
#include "limber/mesh/shapes.h"
#include "limber/mesh/shapes/cloth.h"
#include "limber/mesh/shapes/stuffed_shape.h"

namespace limber {

namespace {

constexpr ShapeInfo shapes[] = {
    {ShapeKind::box, nullptr, "size cells", "a block, 1 x 1 x 1 m"},
    {ShapeKind::beam, nullptr, "size cells", "a block long in x, 1 x 0.2 x 0.2 m"},
    {ShapeKind::sheet, nullptr, "size cells",
     "a flat block, 1 x 1 m and 0.1 mm thick in y; six tets a cell"},
    {ShapeKind::cylinder, nullptr, "radius height cells", "along y, radius 0.5 m, height 1 m"},
    {ShapeKind::sphere, nullptr, "radius cells", "radius 0.5 m"},
    {ShapeKind::torus, make_ring_shape, "graded", "a ring of 1 m, 0.3 m thick"},
    {ShapeKind::three_torus, make_three_torus, "graded",
     "three rings grown together, 0.8 m: a body of genus 3"},
    {ShapeKind::sculpture, make_sculpture, "graded",
     "a maze of thin members in a ball of radius 0.8 m (Hecht et al. 2012, Fig. 8)"},
    {ShapeKind::double_helix, make_double_helix, "graded",
     "two strands with rungs, 1 m tall; regions strand_a, strand_b, rungs"},
    {ShapeKind::bear, make_bear, "graded", "a sitting teddy, 0.5 m tall; node group head"},
    {ShapeKind::dragon, make_dragon, "graded", "a winged dragon, 1.3 m long"},
    {ShapeKind::spider, make_spider, "graded",
     "on a thread, 0.42 m tall; regions thread, joints, body, legs; node group thread_top"},
    {ShapeKind::raptor, make_raptor, "graded", "a running theropod, 1.65 m long"},
    {ShapeKind::armadillo, make_armadillo, "graded", "an upright armoured creature, 1 m tall"},
    {ShapeKind::snowman, make_snowman, "graded", "1.2 m tall; regions hat, nose, arms, snow"},
    {ShapeKind::bowling_pin, make_bowling_pin, "graded",
     "0.381 m tall, the profile of the rule book"},
    {ShapeKind::bowling_ball, make_bowling_ball, "graded", "radius 0.108 m, three holes"},
    {ShapeKind::car, make_car, "graded", "4.2 m long; regions wheels, body"},
    {ShapeKind::bowl, make_bowl, "graded", "0.3 m wide, with a foot ring"},
    {ShapeKind::finger, make_finger, "graded",
     "a gripper's finger, 0.12 m; node groups base, tip, cavity, cable"},
    {ShapeKind::liver, make_liver, "graded", "0.26 m wide; regions vessels, tissue"},
    {ShapeKind::cloth_sheet, nullptr, "cells",
     "for cloth: triangles, 1 x 1 m in the plane y = 0; node groups x-, x+, z-, z+",
     make_cloth_sheet},
    {ShapeKind::dress, nullptr, "cells",
     "for cloth: a gown of triangles about y for a figure 1.7 m tall; node groups top, hem",
     make_dress},
};
static_assert(std::size(shapes) == enum_names(ShapeKind{}).size());

}  // namespace

std::span<const ShapeInfo> shape_table() {
    return shapes;
}

const ShapeInfo& shape_info(ShapeKind kind) {
    const ShapeInfo& info = shapes[static_cast<std::size_t>(kind)];
    LIMBER_CHECK(info.kind == kind, "the table of shapes follows the order of ShapeKind");
    return info;
}

bool ShapeInfo::reads(std::string_view key) const {
    if (key == "shape" || key == "cell") return true;
    if (key == "tets") return !surface;
    for (std::string_view rest = keys; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (rest.substr(0, end) == key) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
// The sides of WarpCancelingStepper that a step does not pass through: checkpoints, decisions and
// what it tells of itself.
#include <algorithm>
#include <cmath>

#include "limber/solve/warp_canceling.h"

namespace limber {

void WarpCancelingStepper::reset() {
    rotations_.reset(model_.elements);
    nodes_.reset(model_.n_nodes());
    frames_.reset(model_.elements);
    std::fill(last_change_.begin(), last_change_.end(), Vec3d{});
    contact_nodes_.clear();
    h_ = 0;
    age_.reset();
}

bool WarpCancelingStepper::clocked() const {
    const bool budget =
        options_.schedule == ScheduleKind::time || options_.schedule == ScheduleKind::hybrid;
    return budget && options_.costs == CostKind::clock;
}

void WarpCancelingStepper::replay(std::span<const Index> decisions) {
    replayed_.assign(decisions.begin(), decisions.end());
    replaying_ = clocked();
}

std::string WarpCancelingStepper::describe() {
    prepare_factor();
    return with_factor(
        [](const auto& factor) { return describe_factor(factor.memory(), factor.structure()); });
}

void WarpCancelingStepper::describe_cells(CellFields& out) const {
    if (!marks_) return;
    CellField supernode{"supernode", {}}, updated{"updated", {}}, badness{"badness", {}};
    for (Index t = 0; t < model_.n_tets(); ++t) {
        supernode.value.push_back(tet_supernode_[t]);
        updated.value.push_back(updated_[t]);
        badness.value.push_back(error_[t]);
    }
    out.insert(out.end(), {std::move(supernode), std::move(updated)});
    if (needs_estimate()) out.push_back(std::move(badness));
}

// The factor is not saved: it follows from the matrix, to the same bits (SupernodalCholesky).
void WarpCancelingStepper::save(ByteWriter& out) const {
    out.put_array("rotations", std::span<const RotationPacket>(rotations_.element));
    for (int c = 0; c < 3; ++c)
        out.put_array("node_rotations", std::span<const Vec3d>(nodes_.column[c]));
    out.put_array("warp_frames", std::span<const std::array<Mat3d, 4>>(frames_.tet));
    out.put_array("upright", std::span<const char>(upright_));
    out.put_array("last_change", std::span<const Vec3d>(last_change_));
    out.put_array("warp_contacts", std::span<const Index>(contact_nodes_));
    out.put_array("warped", std::span<const Mat3d>(warped_.blocks()));
    const auto age = age_.saved();
    out.put_array("factor_age", std::span<const double>(age));
    out.put_array("factor_step", std::span<const double>(&h_, 1));
}

void WarpCancelingStepper::load(ByteReader& in) {
    const auto finite = [&](const char* name, std::span<const double> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isfinite(values[i]))
                in.fail(name, "has a value that is not finite at index " + std::to_string(i));
    };
    const auto numbers = [](const auto& array) {
        return std::span<const double>(reinterpret_cast<const double*>(array.data()),
                                       array.size() * sizeof(array[0]) / sizeof(double));
    };
    auto rotations = rotations_.element;
    auto nodes = nodes_;
    auto frames = frames_.tet;
    auto upright = upright_;
    auto change = last_change_;
    std::vector<Mat3d> warped(warped_.blocks().size());
    std::array<double, FactorAge::n_saved> age;
    double h = 0;
    in.get_array("rotations", std::span<RotationPacket>(rotations));
    finite("rotations", numbers(rotations));
    for (int c = 0; c < 3; ++c) {
        in.get_array("node_rotations", std::span<Vec3d>(nodes.column[c]));
        finite("node_rotations", numbers(nodes.column[c]));
    }
    in.get_array("warp_frames", std::span<std::array<Mat3d, 4>>(frames));
    finite("warp_frames", numbers(frames));
    in.get_array("upright", std::span<char>(upright));
    in.get_array("last_change", std::span<Vec3d>(change));
    finite("last_change", numbers(change));
    auto contacts = in.get_vector<Index>("warp_contacts");
    for (const Index i : contacts)
        if (i < 0 || i >= model_.n_nodes())
            in.fail("warp_contacts", "names a node that is not there");
    in.get_array("warped", std::span<Mat3d>(warped));
    finite("warped", numbers(warped));
    in.get_array("factor_age", std::span<double>(age));
    finite("factor_age", age);
    in.get_array("factor_step", std::span<double>(&h, 1));
    finite("factor_step", {&h, 1});
    rotations_.element = std::move(rotations);
    nodes_ = std::move(nodes);
    frames_.tet = std::move(frames);
    upright_ = std::move(upright);
    last_change_ = std::move(change);
    contact_nodes_ = std::move(contacts);
    std::copy(warped.begin(), warped.end(), warped_.blocks().begin());
    age_.restore(age);
    rebuild_factor(h);
}

/// The factor of the matrix as it is, of a step h; the next step goes on from it.
void WarpCancelingStepper::rebuild_factor(double h) {
    h_ = h;
    if (!(h > 0)) return;
    prepare_factor();
    const bool fine =
        with_factor([&](auto& factor) { return !factor.factorize(warped_, model_.free).failed(); });
    if (!fine) h_ = 0;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/joints/cavity.h"

#include <algorithm>

namespace limber {

CavityWall::CavityWall(std::span<const Triangle> faces, const Vec3d& apex)
    : nodes_(nodes_of(faces)), faces_(faces.begin(), faces.end()), apex_(apex) {
    for (Triangle& face : faces_)
        for (Index& node : face)
            node = static_cast<Index>(std::lower_bound(nodes_.begin(), nodes_.end(), node) -
                                      nodes_.begin());
}

double CavityWall::area(std::span<const Vec3d> x) const {
    double sum = 0;
    for (const Triangle& f : faces_) {
        const Vec3d &a = x[nodes_[f[0]]], &b = x[nodes_[f[1]]], &c = x[nodes_[f[2]]];
        sum += 0.5 * norm(cross(b - a, c - a));
    }
    return sum;
}

double CavityWall::volume(std::span<const Vec3d> x) const {
    double sum = 0;
    for (const Triangle& f : faces_) {
        const Vec3d a = x[nodes_[f[0]]] - apex_, b = x[nodes_[f[1]]] - apex_,
                    c = x[nodes_[f[2]]] - apex_;
        sum -= dot(a, cross(b, c)) / 6;  // the faces look inwards
    }
    return sum;
}

void CavityWall::gradient(std::span<const Vec3d> x, std::span<Vec3d> out) const {
    std::fill(out.begin(), out.end(), Vec3d{});
    for (const Triangle& f : faces_) {
        const Vec3d third = third_of(f, x);
        for (const Index node : f) out[node] += third;
    }
}

Vec3d CavityWall::third_of(const Triangle& f, std::span<const Vec3d> x) const {
    const Vec3d &a = x[nodes_[f[0]]], &b = x[nodes_[f[1]]], &c = x[nodes_[f[2]]];
    return (-1.0 / 6) * cross(b - a, c - a);
}

void CavityWall::add_gradient(std::span<const Vec3d> x, double scale, std::span<Vec3d> out) const {
    for (const Triangle& f : faces_) {
        const Vec3d third = scale * third_of(f, x);
        for (const Index node : f) out[nodes_[node]] += third;
    }
}

void CavityVolume::constrain(const JointInput& in, ConstraintSet& out) {
    const CavityWall& wall = data_.wall;
    wall.gradient(in.x, gradient_);
    for (std::size_t k = 0; k < gradient_.size(); ++k)
        out.H.add(wall.nodes()[k], (1 / data_.area) * gradient_[k]);
    const double wanted = data_.volume * by_hand_.value_or(data_.ratio.value(in.time + in.h));
    out.end_row((wall.volume(in.x) - wanted) / (data_.area * in.h));
    out.end_group(ConstraintGroup::Kind::bilateral, 1);
}

void CavityVolume::read_back(const JointInput& in, std::span<const double> impulse) {
    readings_[0].value = data_.wall.volume(in.x);
    readings_[1].value = impulse[0] / (in.h * data_.area);
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/check/supports.h"

// GCC 12 takes the undefined pass-through operands in its own AVX-512 header for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <Eigen/Eigenvalues>
#pragma GCC diagnostic pop
#include <algorithm>
#include <numeric>

namespace limber {

namespace {

/// The part of each node: nodes that tets tie together, by their smallest node.
std::vector<Index> connected_parts(const Model& model) {
    const TetMesh& mesh = model.mesh;
    std::vector<Index> root(mesh.n_nodes());
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    const auto connect = [&](std::span<const Index> nodes) {
        for (Index node : nodes) {
            const Index a = find(nodes[0]), b = find(node);
            root[std::max(a, b)] = std::min(a, b);
        }
    };
    for (const Tet& tet : mesh.tets) connect(tet);
    for (const Body& body : model.bodies)
        if (body.cloth)
            for (const Triangle& triangle : body.cloth->triangles) connect(triangle);
    for (Index i = 0; i < mesh.n_nodes(); ++i) root[i] = find(i);
    return root;
}

/// What pins see of the six rigid motions of a part: Σ r rᵀ over the pinned degrees of freedom,
/// turns about `center` with arms in units of `size`.
Eigen::MatrixXd held_motions(const Model& model, std::span<const Index> nodes, const Vec3d& center,
                             double size) {
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(6, 6);
    for (Index i : nodes)
        for (int axis = 0; axis < 3; ++axis) {
            if (model.free[i][axis] != 0) continue;
            const Vec3d arm = (1 / size) * (model.mesh.nodes[i] - center);
            Eigen::VectorXd row = Eigen::VectorXd::Zero(6);
            row[axis] = 1;
            for (int k = 0; k < 3; ++k) {
                Vec3d turn_axis;
                turn_axis[k] = 1;
                row[3 + k] = cross(turn_axis, arm)[axis];
            }
            gram += row * row.transpose();
        }
    return gram;
}

const char* motion_name(const Eigen::VectorXd& motion) {
    static constexpr const char* names[] = {"move along x", "move along y", "move along z",
                                            "turn about x", "turn about y", "turn about z"};
    Eigen::Index largest = 0;
    motion.cwiseAbs().maxCoeff(&largest);
    return names[largest];
}

}  // namespace

void check_supports(const SceneDef& scene, const Model& model) {
    const std::vector<Index> part = connected_parts(model);
    for (const Body& body : model.bodies) {
        std::vector<Index> roots;
        for (Index i = body.node_begin; i < body.node_end; ++i)
            if (part[i] == i) roots.push_back(i);
        for (Index root : roots) {
            std::vector<Index> nodes;
            Vec3d center;
            for (Index i = body.node_begin; i < body.node_end; ++i)
                if (part[i] == root) {
                    nodes.push_back(i);
                    center += model.mesh.nodes[i];
                }
            center = (1.0 / static_cast<double>(nodes.size())) * center;
            double size = 0;
            for (Index i : nodes) size = std::max(size, norm(model.mesh.nodes[i] - center));
            if (!(size > 0)) size = 1;
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
                held_motions(model, nodes, center, size));
            if (eigen.eigenvalues()[0] > 1e-8) continue;
            throw InputError(
                scene.time.origin.at("analysis"),
                "time.analysis = \"" +
                    std::string(enum_names(Analysis{})[static_cast<int>(scene.time.analysis)]) +
                    "\": body '" + body.name + "'" +
                    (roots.size() > 1
                         ? " (one of its " + std::to_string(roots.size()) + " unconnected parts)"
                         : "") +
                    " may still " + motion_name(eigen.eigenvectors().col(0)) +
                    " as a whole, so it has no equilibrium of its own; allowed: pins that hold all "
                    "six rigid motions of every part (contact does not count)");
        }
    }
}

}  // namespace limber

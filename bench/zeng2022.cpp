// SPDX-License-Identifier: Apache-2.0
#include "zeng2022.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "limber/core/cpu_time.h"
#include "limber/core/parallel.h"
#include "limber/core/timer.h"
#include "limber/fem/assembly.h"
#include "limber/mesh/tet_mesh.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"

namespace limber::bench {

namespace {

/// Least CPU time of f() [ms].
template <class F>
double least(int repeats, F&& f) {
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < repeats; ++k) {
        const double before = process_cpu_ms();
        f();
        best = std::min(best, process_cpu_ms() - before);
    }
    return best;
}

Model at_rest(const BenchOptions& options, int n_tets, const ZengShape& shape) {
    LoadOptions load{shape.sets, false};
    load.sets.push_back(fmt::format("body.0.tets={}", n_tets));
    load.sets.push_back("output.formats=[]");
    BuildReport report;
    return build_model(load_scene(options.scenes + '/' + shape.scene + ".toml", load), report);
}

/// Mean CPU time of a step in which the contact moves on by one node.
template <class T>
double reuse_of(const ZengBody& body, const SupernodalCholesky<T>& factor, Index n_nodes,
                Index n_contacts, double* new_share, double* wall) {
    FactorCompliance<T> compliance(factor);
    Delassus delassus;
    DenseMatrix W;
    ConstraintRows H;
    constexpr int n_steps = 16;
    double sum = 0, n_new = 0, n_all = 0;
    *wall = 0;
    for (int step = 0; step < 1 + 2 * n_steps; ++step) {
        touch(body, step, n_nodes, n_contacts, H);
        const ThreadLimit limit(step <= n_steps ? 1 : 2);
        const double before = process_cpu_ms();
        const Timer timer;
        delassus.build(H, compliance, W);
        if (step == 0) continue;
        (step <= n_steps ? sum : *wall) += step <= n_steps ? process_cpu_ms() - before : timer.ms();
        n_new += compliance.work().n_solved;
        n_all += compliance.work().n_nodes;
    }
    *new_share = n_new / n_all;
    *wall /= n_steps;
    return sum / n_steps;
}

/// One solve a constraint, and many at a time, for as many constraints as `some` has.
void measure_columns(const ZengBody& body, const ConstraintRows& some, ZengCost& cost) {
    FactorCompliance<double> compliance(body.wide);
    Delassus delassus;
    DenseMatrix W, isolated;
    const double scale = static_cast<double>(cost.n_constraints) / some.n_rows();
    cost.blocked =
        scale * least(2, [&] { delassus.build(some, compliance, W, SchurMethod::blocked); });
    cost.columns =
        scale * least(1, [&] { delassus.build(some, compliance, W, SchurMethod::columns); });
    delassus.build(some, compliance, isolated);
    double off = 0, norm = 0;
    for (Index r = 0; r < W.n(); ++r)
        for (Index s = 0; s < W.n(); ++s) {
            off += std::pow(W(r, s) - isolated(r, s), 2);
            norm += std::pow(W(r, s), 2);
        }
    cost.difference = std::sqrt(off / norm);
}

template <class T>
double isolated_of(const SupernodalCholesky<T>& factor, const ConstraintRows& H, int repeats,
                   SchurWork* work, double* wall) {
    FactorCompliance<T> compliance(factor);
    Delassus delassus;
    DenseMatrix W;
    delassus.build(H, compliance, W);  // memory
    if (work) *work = compliance.work();
    const double best = least(repeats, [&] {
        compliance.forget();
        delassus.build(H, compliance, W);
    });
    const ThreadLimit two(2);
    for (int k = 0; wall && k < repeats; ++k) {
        compliance.forget();
        const Timer timer;
        delassus.build(H, compliance, W);
        *wall = k == 0 ? timer.ms() : std::min(*wall, timer.ms());
    }
    return best;
}

}  // namespace

ZengBody::ZengBody(const BenchOptions& options, int n_tets, const ZengShape& shape)
    : model(at_rest(options, n_tets, shape)) {
    SystemAssembler assembler(model.elements);
    A = assembler.make_matrix();
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({model.h, false, model.lumped}, rotations, A);
    wide.factorize(A, model.free);
    narrow.factorize(A, model.free);
    for (const auto& f : boundary_triangles(model.mesh.tets)) {
        faces.push_back({f[0], f[1], f[2]});
        lowest.insert(lowest.end(), {f[0], f[1], f[2]});
    }
    std::ranges::sort(lowest);
    lowest.erase(std::unique(lowest.begin(), lowest.end()), lowest.end());
    std::ranges::stable_sort(lowest, {}, [&](Index i) { return model.mesh.nodes[i].y; });
}

void touch(const ZengBody& body, Index first, Index n_nodes, Index n_contacts, ConstraintRows& H) {
    const Vec3d axes[] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};  // normal, two tangents
    std::vector<char> inside(body.model.n_nodes(), 0);
    H.clear();
    Index n = 0;
    for (Index k = first; k < first + n_nodes; ++k, ++n) {
        inside[body.lowest[k]] = 1;
        for (const Vec3d& axis : axes) {
            H.add(body.lowest[k], axis);
            H.end_row();
        }
    }
    for (const auto& face : body.faces) {
        if (n >= n_contacts) break;
        if (!inside[face[0]] || !inside[face[1]] || !inside[face[2]]) continue;
        ++n;
        for (const Vec3d& axis : axes) {
            for (Index node : face) H.add(node, (1.0 / 3) * axis);
            H.end_row();
        }
    }
}

ZengCost cost_of(const ZengBody& body, Index n_nodes, Index n_contacts, int repeats, bool last) {
    ZengCost cost;
    ConstraintRows H, some;
    touch(body, 0, n_nodes, n_contacts, H);
    touch(body, 0, 10, 10, some);
    cost.n_constraints = H.n_rows();
    cost.n_contact_dofs = 3 * n_nodes;
    const ThreadLimit one(1);
    cost.isolated = isolated_of(body.wide, H, repeats, &cost.work, &cost.wall_two);
    cost.isolated_float = isolated_of(body.narrow, H, repeats, nullptr, nullptr);
    double share = 0, wall = 0;
    cost.reuse =
        reuse_of(body, body.wide, n_nodes, n_contacts, &cost.new_share, &cost.reuse_wall_two);
    cost.reuse_float = reuse_of(body, body.narrow, n_nodes, n_contacts, &share, &wall);
    measure_columns(body, some, cost);

    FactorCompliance<double> compliance(body.wide);
    Delassus delassus;
    DenseMatrix W;
    delassus.build(H, compliance, W);
    cost.product = least(repeats, [&] { delassus.build(H, compliance, W); });
    UnbuiltDelassus unbuilt(H, compliance);
    std::vector<double> y(H.n_rows(), 1.0), z(y.size());
    cost.unbuilt_whole = least(repeats, [&] { unbuilt.apply(y, z, true); });
    cost.unbuilt_paths = least(repeats, [&] { unbuilt.apply(y, z); });

    if (!last) return cost;
    SupernodalOptions options;
    options.last.assign(body.lowest.begin(), body.lowest.begin() + n_nodes);
    std::ranges::sort(options.last);
    SupernodalCholesky<double> factor(options);
    factor.factorize(body.A, body.model.free);
    cost.partial_factor = least(2, [&] { factor.factorize(body.A, body.model.free); });
    cost.partial = isolated_of(factor, H, 2, nullptr, nullptr);
    return cost;
}

double exponent(const std::vector<double>& x, const std::vector<double>& y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    const auto n = static_cast<double>(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double u = std::log(x[k]), v = std::log(y[k]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace limber::bench

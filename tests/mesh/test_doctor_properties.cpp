// SPDX-License-Identifier: Apache-2.0
// Sound meshes of many shapes have no findings; one planted fault is found, by its id.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "limber/core/errors.h"
#include "limber/mesh/implicit.h"
#include "limber/mesh/shapes.h"
#include "limber/mesh/stuffing/stuffing.h"
#include "mesh/doctor_samples.h"

namespace limber {
namespace {

double between(double lo, double hi) {
    return lo + (hi - lo) * *rc::gen::inRange(0, 1'000'001) * 1e-6;
}

TetMesh random_box() {
    const auto n = [] { return *rc::gen::inRange<Index>(1, 6); };
    return make_box({between(0.5, 2), between(0.5, 2), between(0.5, 2)}, {n(), n(), n()});
}

TetMesh random_blob() {
    std::vector<Solid> balls;
    Vec3d centre{};
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
        balls.push_back(make_ball(centre, between(0.35, 0.6)));
        centre += Vec3d{between(-0.3, 0.3), between(-0.3, 0.3), between(-0.3, 0.3)};
    }
    const Solid blob = unite(std::move(balls));
    return stuff(*blob, {.cell = between(0.15, 0.3)}).mesh;
}

TetMesh random_sound_mesh() {
    switch (*rc::gen::inRange(0, 3)) {
        case 0:
            return random_box();
        case 1: {
            ShapeDef sphere;
            sphere.kind = ShapeKind::sphere;
            sphere.cells = {*rc::gen::inRange<Index>(2, 6)};
            return make_shape(sphere);
        }
        default:
            return random_blob();
    }
}

/// Turned, moved, and numbered otherwise; still the same mesh.
void shake(TetMesh& mesh) {
    const Mat3d R =
        rotation_about({0.6, 0, 0.8}, between(0, 6)) * rotation_about({0, 1, 0}, between(0, 6));
    const Vec3d shift{between(-3, 3), between(-3, 3), between(-3, 3)};
    for (Vec3d& p : mesh.nodes) p = R * p + shift;
    const Index first = *rc::gen::inRange<Index>(0, 1000);
    for (Index i = 0; i < mesh.n_tets(); ++i) mesh.tet_ids[i] = first + i;
}

TEST(DoctorProperty, sound_meshes_have_no_findings) {
    EXPECT_TRUE(rc::check([] {
        TetMesh mesh = random_sound_mesh();
        shake(mesh);
        const TetMesh before = mesh;
        const MeshReport report = examined(mesh);
        for (const Diagnosis& d : report.findings) RC_FAIL(d.code + ": " + d.text);
        RC_ASSERT(report.n_parts == 1);
        RC_ASSERT(report.shapes.worst.size() == std::min<std::size_t>(10, mesh.tets.size()));
    }));
}

/// The mesh with one thing wrong, and the ids that must be named.
struct Planted {
    std::string code;
    Ids elements, nodes;
};

Planted plant(TetMesh& mesh, int fault) {
    const Index tet = *rc::gen::inRange<Index>(0, mesh.n_tets());
    const FileId id = mesh.tet_ids[tet];
    Tet& t = mesh.tets[tet];
    const int i = *rc::gen::inRange(0, 4), j = (i + *rc::gen::inRange(1, 4)) % 4;
    switch (fault) {
        case 0:
            t[i] = t[j];
            return {"M07", {id}, {mesh.node_ids[t[j]]}};
        case 1: {
            const Tet again{t[1], t[2], t[0], t[3]};
            mesh.tets.push_back(again);
            mesh.tet_ids.push_back(5'000'000);
            return {"M08", {id, 5'000'000}, {}};
        }
        case 2: {  // a flat tet of its own, beside the mesh
            const Vec3d o = bounding_box(mesh.nodes).hi + Vec3d{1, 1, 1};
            const Index n = mesh.n_nodes();
            for (const Vec3d& p : {o, o + Vec3d{1, 0, 0}, o + Vec3d{0, 1, 0}, o + Vec3d{1, 1, 0}}) {
                mesh.nodes.push_back(p);
                mesh.node_ids.push_back(mesh.node_ids.back() + 1);
            }
            mesh.tets.push_back({n, n + 1, n + 2, n + 3});
            mesh.tet_ids.push_back(5'000'000);
            return {"M09", {5'000'000}, {}};
        }
        case 3:
            std::swap(t[i], t[j]);
            return {mesh.n_tets() == 1 ? "M11" : "M12", {id}, {}};
        case 4: {  // a tet of its own in the middle of another
            Vec3d centre{};
            for (const Index node : t) centre += 0.25 * mesh.nodes[node];
            const Index n = mesh.n_nodes();
            Tet inner;
            for (int k = 0; k < 4; ++k) {
                inner[k] = n + k;
                mesh.nodes.push_back(0.5 * (mesh.nodes[t[k]] + centre));
                mesh.node_ids.push_back(mesh.node_ids.back() + 1);
            }
            mesh.tets.push_back(inner);
            mesh.tet_ids.push_back(5'000'000);
            return {"M18", {id, 5'000'000}, {}};
        }
        case 5:
            mesh.nodes.push_back({0, 0, 0});
            mesh.node_ids.push_back(mesh.node_ids.back() + 1);
            return {"M14", {}, {mesh.node_ids.back()}};
        case 6: {  // a tet that hangs at the outermost corner
            Index tip = 0;
            for (Index k = 0; k < mesh.n_nodes(); ++k)
                if (mesh.nodes[k].x > mesh.nodes[tip].x) tip = k;
            const Vec3d o = mesh.nodes[tip];
            const Index n = mesh.n_nodes();
            for (const Vec3d& d : {Vec3d{0.2, 0, 0}, Vec3d{0.2, 0.2, 0}, Vec3d{0.2, 0, 0.2}}) {
                mesh.nodes.push_back(o + d);
                mesh.node_ids.push_back(mesh.node_ids.back() + 1);
            }
            mesh.tets.push_back({tip, n, n + 1, n + 2});
            mesh.tet_ids.push_back(5'000'000);
            return {"M17", {}, {mesh.node_ids[tip]}};
        }
        default: {  // a tet of its own whose corner is at the place of the outermost node
            Index tip = 0;
            for (Index k = 0; k < mesh.n_nodes(); ++k)
                if (mesh.nodes[k].x > mesh.nodes[tip].x) tip = k;
            const Vec3d o = mesh.nodes[tip];
            const Index n = mesh.n_nodes();
            for (const Vec3d& d :
                 {Vec3d{}, Vec3d{0.2, 0, 0}, Vec3d{0.2, 0.2, 0}, Vec3d{0.2, 0, 0.2}}) {
                mesh.nodes.push_back(o + d);
                mesh.node_ids.push_back(mesh.node_ids.back() + 1);
            }
            mesh.tets.push_back({n, n + 1, n + 2, n + 3});
            mesh.tet_ids.push_back(5'000'000);
            return {"M13", {}, {mesh.node_ids[tip], mesh.node_ids[n]}};
        }
    }
}

TEST(DoctorProperty, a_planted_fault_is_found_by_its_id) {
    for (int fault = 0; fault < 8; ++fault)
        EXPECT_TRUE(rc::check("fault " + std::to_string(fault), [fault] {
            TetMesh mesh = *rc::gen::inRange(0, 2) ? random_box() : random_blob();
            shake(mesh);
            const Planted planted = plant(mesh, fault);
            const MeshReport report = examined(mesh);
            const Diagnosis* d = finding(report, planted.code);
            RC_ASSERT(d != nullptr);
            // An inner tet may overlap none but the one it was put into.
            for (const FileId id : planted.elements)
                RC_ASSERT(std::find(d->elements.begin(), d->elements.end(), id) !=
                          d->elements.end());
            if (planted.code != "M07")
                for (const FileId id : planted.nodes)
                    RC_ASSERT(std::find(d->nodes.begin(), d->nodes.end(), id) != d->nodes.end());
            for (const Diagnosis& other : report.findings)
                RC_ASSERT(other.code == planted.code || other.severity == Severity::remark);
            if (d->severity != Severity::error) return;
            try {
                repair_mesh(mesh, "planted.msh");
                RC_FAIL("was taken");
            } catch (const InputError& e) {
                RC_ASSERT(e.place().file == "planted.msh");
                RC_ASSERT(e.message() == d->text);
            }
        })) << fault;
}

/// Few places and few nodes, so that everything that can go wrong does.
TetMesh random_garbage(std::mt19937& random) {
    const auto below = [&](int n) { return static_cast<int>(random() % n); };
    std::vector<Vec3d> nodes(static_cast<std::size_t>(4 + below(10)));
    const double step = below(2) ? 0.5 : 0.37;
    for (Vec3d& p : nodes) p = step * Vec3d{1.0 * below(4), 1.0 * below(4), 1.0 * below(4)};
    std::vector<Index> order(nodes.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::vector<Tet> tets(static_cast<std::size_t>(below(6)));
    for (Tet& t : tets) {
        std::shuffle(order.begin(), order.end(), random);
        t = {order[0], order[1], order[2], order[3]};
        if (below(20) == 0) t[3] = t[0];
    }
    return mesh_of(std::move(nodes), std::move(tets));
}

TEST(DoctorProperty, garbage_is_refused_exactly_where_there_are_errors) {
    std::mt19937 random(3);
    std::map<std::string, int> seen;
    for (int i = 0; i < 5000; ++i) {
        TetMesh mesh = random_garbage(random);
        const MeshReport report = examined(mesh);
        for (const Diagnosis& d : report.findings) {
            ++seen[d.code];
            EXPECT_FALSE(d.text.empty());
            EXPECT_EQ(d.text.find('\n'), std::string::npos);
            EXPECT_LE(d.elements.size(), 20u);  // ten pairs
        }
        bool refused = false;
        try {
            repair_mesh(mesh, "m");
        } catch (const InputError&) {
            refused = true;
        }
        ASSERT_EQ(refused, report.has_errors());
        if (refused) continue;
        // What is taken can be simulated: every tet has volume.
        for (const Tet& t : mesh.tets)
            ASSERT_GT(
                tet_volume(mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]], mesh.nodes[t[3]]),
                0);
        EXPECT_TRUE(std::isfinite(report.stiffness.static_condition));
    }
    for (const char* code : {"M07", "M09", "M11", "M12", "M13", "M14", "M15", "M17", "M18", "M20"})
        EXPECT_GT(seen[code], 0) << code;
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "gpu_cubes.h"

#include <algorithm>

#include "limber/gpu/device.h"
#include "limber/gpu/steppers.h"

namespace limber::bench {

namespace {

constexpr int warm_up = 5;  // steps

TetMesh make_lattice(Index n) {
    const Index side = n + 1;
    const auto node = [&](Index i, Index j, Index k) { return i + side * (j + side * k); };
    TetMesh mesh;
    std::uint64_t random = 12345;
    const auto jitter = [&] {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        return (static_cast<double>(random >> 40) / (1 << 24) - 0.5) * 0.2 / n;
    };
    for (Index k = 0; k < side; ++k)
        for (Index j = 0; j < side; ++j)
            for (Index i = 0; i < side; ++i) {
                Vec3d x{static_cast<double>(i) / n, static_cast<double>(j) / n,
                        static_cast<double>(k) / n};
                const auto inner = [&](Index a) { return a > 0 && a < n; };
                if (inner(i) && inner(j) && inner(k)) x += Vec3d{jitter(), jitter(), jitter()};
                mesh.nodes.push_back(x);
            }
    // Five tets a cube, in turn mirrored so that neighbours match.
    constexpr int corner[2][5][4] = {
        {{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 4, 6}, {3, 5, 6, 7}, {0, 3, 6, 5}},
        {{1, 0, 4, 2}, {1, 2, 7, 3}, {1, 4, 5, 7}, {2, 4, 7, 6}, {1, 2, 4, 7}}};
    for (Index k = 0; k < n; ++k)
        for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i)
                for (const auto& tet : corner[(i + j + k) % 2]) {
                    Tet out;
                    for (int c = 0; c < 4; ++c)
                        out[c] = node(i + (tet[c] & 1), j + (tet[c] >> 1 & 1), k + (tet[c] >> 2));
                    if (tet_volume(mesh.nodes[out[0]], mesh.nodes[out[1]], mesh.nodes[out[2]],
                                   mesh.nodes[out[3]]) < 0)
                        std::swap(out[2], out[3]);
                    mesh.tets.push_back(out);
                }
    std::vector<Index>& held = mesh.node_groups["x-"];
    for (Index k = 0; k < side; ++k)
        for (Index j = 0; j < side; ++j) held.push_back(node(0, j, k));
    std::sort(held.begin(), held.end());
    for (Index i = 0; i < mesh.n_nodes(); ++i) mesh.node_ids.push_back(i);
    for (Index t = 0; t < mesh.n_tets(); ++t) mesh.tet_ids.push_back(t);
    return mesh;
}

}  // namespace

bool is_without_card(BenchResult& out) {
    const gpu::Device device = gpu::device();
    if (!device.found) out.markdown = "Not run: " + device.missing + "\n";
    return !device.found;
}

Model held_cube(Index n, const Material& material, double h) {
    Model model = one_body("cube", make_lattice(n), material);
    model.pins.push_back({"held", model.mesh.node_groups.at("x-"), {true, true, true}, {}});
    model.h = h;
    finish_model(model);
    return model;
}

Material invertible_rubber() {
    Material material;
    material.name = "rubber";
    material.law = MooneyRivlin::from(Lame::from_young(1e6, 0.4));
    material.conversion.on = true;
    return material;
}
Material soft_neo_hookean() {
    Material material;
    material.name = "neo_hookean";
    material.law = NeoHookean::from(Lame::from_young(2.5e5, 0.25));
    return material;
}

std::unique_ptr<World> descent_on_device(const Model& model, const DescentOptions& options) {
    return world_by(model, [&](const Model& own) { return gpu::make_descent(own, options); });
}

DeviceSteps device_steps(const Model& model, int count) {
    DescentOptions descent;
    descent.direction = DirectionKind::jacobi;
    const auto world = descent_on_device(model, descent);
    DeviceSteps out;
    const std::string text = world->stepper().describe();  // "on a card, 16 MiB of its memory"
    const std::size_t unit = text.find(" MiB");
    out.mib = unit == std::string::npos ? "below 1"
                                        : text.substr(text.rfind(' ', unit - 1) + 1,
                                                      unit - text.rfind(' ', unit - 1) - 1);
    for (int k = 0; k < warm_up + count; ++k) {
        const StepReport r = world->step();
        out.failed += r.failed;
        if (k < warm_up) continue;
        out.ms.push_back(r.device.ms);
        out.whole_ms.push_back(r.wall_ms);
        out.use = r.device;
    }
    return out;
}

}  // namespace limber::bench

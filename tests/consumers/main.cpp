// SPDX-License-Identifier: Apache-2.0
// A program of somebody else's: builds a scene in code, runs it, pushes on it from outside, and
// prints what it came to.
#include <limber/limber.h>

#include <cstdio>

int main(int n, char** arguments) try {
    limber::Scene scene = limber::Scene::load(n > 1 ? arguments[1] : "scene.toml");
    limber::World world(scene);
    const double* x = world.x().data();
    const limber::StepReport report = world.step_many(20);
    std::printf("%s\n", world.state_hash().c_str());
    if (report.failed || world.x().data() != x) return 1;

    const std::vector<std::byte> checkpoint = world.save();
    world.control().force()[1] = 5;
    world.step();
    const std::string pushed = world.state_hash();
    world.restore(checkpoint);
    world.step();
    if (world.state_hash() == pushed || world.steps() != 21) return 2;

    try {
        scene.set("solver.kind=\"magic\"");
        scene.check();
        return 3;
    } catch (const limber::InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
}

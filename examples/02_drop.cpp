// SPDX-License-Identifier: Apache-2.0
//
// 02: a soft ball dropped on a floor, from a scene file.
//
// What it shows: loading a scene, overriding a value, and watching a run with an observer of your
// own. Run it:        build/release/example_02_drop Prints the lowest point of the ball whenever it
// touches the floor for the first time after a flight:
//     t = 0.28 s   touches the floor with 1 contacts
//
#include <algorithm>
#include <cstdio>
#include <memory>

#include "limber/core/errors.h"
#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"

using namespace limber;

// 1. An observer looks at every step: here it counts landings.
class Landings final : public Observer {
  public:
    explicit Landings(int& count) : count_(count) {}
    void after_step(const World&, const StepReport& report) override {
        if (report.contacts > 0 && !touching_) {
            ++count_;
            std::printf("t = %.2f s   touches the floor with %d contacts\n", report.time,
                        report.contacts);
        }
        touching_ = report.contacts > 0;
    }

  private:
    int& count_;
    bool touching_ = false;
};

int main() try {
    // 2. The scene file, with one value changed as on the command line by --set.
    const SceneDef scene =
        load_scene(LIMBER_SCENES_DIR "/sphere_drop.toml", {{"solver.max_iterations=20"}});

    // 3. Its model: meshes, materials, pins, obstacles; warnings are worth reading.
    BuildReport report;
    auto model = std::make_unique<const Model>(build_model(scene, report));
    for (const std::string& warning : report.warnings)
        std::printf("warning: %s\n", warning.c_str());

    // 4. A world with the solver and the contact method the scene names.
    auto stepper = make_stepper(scene, *model);
    auto contact = make_contact(scene, *model);
    World world(std::move(model), std::move(stepper), std::move(contact));
    int landings = 0;
    world.add(std::make_unique<Landings>(landings));

    // 5. Two seconds.
    double deepest = 0;
    while (world.state().time < 2) {
        const StepReport step = world.step();
        if (step.failed) throw std::runtime_error(step.failure.what);
        deepest = std::max(deepest, step.max_penetration);
    }
    std::printf("%d landing(s), deepest penetration %.3f mm\n", landings, 1000 * deepest);
    return landings > 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

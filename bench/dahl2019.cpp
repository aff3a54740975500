// SPDX-License-Identifier: Apache-2.0
#include "dahl2019.h"

#include <cmath>

#include "limber/core/check.h"
#include "limber/scene/build/model.h"
#include "limber/solve/corotational.h"
#include "limber/study/windows.h"

namespace limber::bench {

DahlScene load_dahl(const BenchOptions& options, const std::string& file) {
    DahlScene out;
    out.study = {
        options.scenes + '/' + file + ".toml",
        // The source's contact, and the same for every solver.
        {{"time.step=0.006666666666666667", "output.formats=[]", "contact.method=\"penalty\""},
         false}};
    const SceneDef scene = load_scene(out.study.path, out.study.load);
    BuildReport built;
    out.model = build_model(scene, built);
    out.n_steps = scene.time.n_steps();
    return out;
}

SolverSpec dahl_solver(std::string_view guess, std::string_view preconditioner, int cap) {
    SolverSpec spec;
    spec.kind = "corotational";
    spec.options = {{"guess", std::string(guess)},
                    {"preconditioner", std::string(preconditioner)},
                    {"max_iterations", std::to_string(cap > 0 ? cap : 10000)},
                    {"rel_tolerance", "1e-5"}};
    spec.text = spec.without("");
    return spec;
}

SolverSpec dahl_solver_per_body(std::string_view guess, int cap) {
    SolverSpec spec = dahl_solver(guess, "jacobi", cap);
    const OptionCase* solver = find_case(stepper_cases(), spec.kind);
    for (const FieldInfo& field : solver->describe().fields)
        if (field.key == "solves") spec.options.push_back({"solves", "islands"});
    spec.text = spec.without("");
    return spec;
}

namespace {

std::vector<Snapshot> states(const BenchOptions& options, const DahlScene& scene, int count,
                             std::int64_t n_steps) {
    const SceneDef converged =
        scene_with(scene.study, dahl_solver("velocity", "jacobi", 0), "the converged run");
    return window_starts(converged, scene.model, count, n_steps, options.out + "/windows");
}

}  // namespace

std::vector<Snapshot> dahl_starts(const BenchOptions& options, const DahlScene& scene, int count) {
    return states(options, scene, count, scene.n_steps);
}

Snapshot dahl_state(const BenchOptions& options, const DahlScene& scene, std::int64_t step) {
    return states(options, scene, 2, 2 * step).back();
}

PcgTrace trace_of_one_solve(const DahlScene& scene, const Snapshot& start, SolverSpec spec) {
    for (SolverSpec::Option& option : spec.options)
        if (option.key == "rel_tolerance") option.value = "1e-10";  // far beyond what is plotted
    const auto world = make_world(scene_with(scene.study, spec, "the traced solve"), scene.model);
    restart(*world, start);
    PcgTrace trace;
    const bool shown = world->stepper().watch([&](const Iterate& at) {
        trace.residual.push_back(at.residual);
        trace.kinetic.push_back(at.kinetic);
    });
    LIMBER_CHECK(shown, "the traced solver iterates");
    world->step();
    return trace;
}

int settled_after(const PcgTrace& trace, double share) {
    if (trace.kinetic.empty()) return 0;
    const double last = trace.kinetic.back();
    std::size_t k = trace.kinetic.size();
    while (k > 0 && std::fabs(trace.kinetic[k - 1] - last) <= share * std::fabs(last)) --k;
    return static_cast<int>(k);
}

}  // namespace limber::bench

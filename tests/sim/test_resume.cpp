// SPDX-License-Identifier: Apache-2.0
// A run that stops after any of its steps and goes on in a program started afresh has the bits of
// one that never stopped. Everything that is registered takes part by its name: solvers, contact
// methods, every choice among their options, laws, integrators. With LIMBER_LONG=1 in the
// environment every stop goes on to the end of the run; else a few steps, a few stops to the end.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>

#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/solve/warp_canceling/warp_canceling.h"
#include "sim/law_bars.h"

namespace limber {
namespace {

using Sets = std::vector<std::string>;
using Bytes = std::vector<std::byte>;
using MakeWorld = std::function<std::unique_ptr<World>()>;

bool everything() {
    return std::getenv("LIMBER_LONG") != nullptr;
}

/// A ball on a floor that falls away from under it and comes back, beside a bar whose end is turned
/// about: contact comes and goes, factors grow old, between bodies too.
constexpr const char* tumble = R"(
limber = 1
[time]
step = 0.01
steps = 1000
[material.soft]
kind = "corotated"
young = "20 kPa"
poisson = 0.3
density = 1000
damping = { mass = 0.1, stiffness = 0.002 }
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
cells = [2]
material = "soft"
translate = [0.02, 0.12, 0.01]
velocity = [0.5, -1, 0.2]
[[body]]
name = "bar"
shape = "beam"
size = [0.4, 0.1, 0.1]
cells = [4, 1, 1]
material = "soft"
translate = [0.35, 0.06, 0]
[[pin]]
body = "bar"
select = { side = "x+" }
motion = { times = [0, 0.1, 0.2], angle = [0, 0, 150], axis = [1, 0, 0], center = [0.35, 0.06, 0] }
[[obstacle]]
shape = "plane"
normal = [0, 1, 0]
motion = { times = [0, 0.12, 0.2, 0.24, 0.3], translate = [[0, 0, 0], [0, 0, 0], [0, -0.5, 0], [0, -0.5, 0], [0, 0, 0]] }
)";

SceneDef scene_of(const std::string& text, const Sets& sets) {
    return make_scene(parse_toml(text, "resume.toml"), "resume.toml", {sets, false});
}

Model model_of(const SceneDef& scene) {
    BuildReport report;
    return build_model(scene, report);
}

/// The mesh is made once; all that has a memory anew for each world.
MakeWorld builder(const SceneDef& scene) {
    return [scene, model = model_of(scene)] {
        auto own = std::make_unique<const Model>(model);
        auto stepper = make_stepper(scene, *own);
        auto contact = make_contact(scene, *own);
        return std::make_unique<World>(std::move(own), std::move(stepper), std::move(contact),
                                       WorldOptions{.measure_energy = false});
    };
}

Bytes bytes_of(const World& world) {
    ByteWriter out;
    world.save(out);
    return out.bytes();
}

/// The name of the first array in which two records of World::save differ.
std::string first_difference(const Bytes& a, const Bytes& b) {
    std::size_t at = 0;
    const auto size_at = [&](std::size_t place) {
        std::uint64_t n = 0;
        if (place + sizeof n <= a.size()) std::memcpy(&n, a.data() + place, sizeof n);
        return static_cast<std::size_t>(n);
    };
    while (at < a.size()) {
        const std::size_t length = size_at(at);
        const std::string name(reinterpret_cast<const char*>(a.data()) + at + 8, length);
        const std::size_t head = at + 8 + length;
        const std::size_t end = head + 16 + size_at(head) * size_at(head + 8);
        if (end > b.size() || !std::equal(a.begin() + at, a.begin() + end, b.begin() + at))
            return name;
        at = end;
    }
    return "the end";
}

struct Step {
    Bytes bytes;
    std::vector<int> decisions;
    StepReport report;
};

/// The run as it is; [k] after step k.
std::vector<Step> run_through(World& world, int n_steps) {
    std::vector<Step> out(1);
    out[0].bytes = bytes_of(world);
    for (int k = 1; k <= n_steps; ++k) {
        Step step;
        step.report = world.step();
        EXPECT_FALSE(step.report.failed) << "step " << k << ": " << step.report.failure.what;
        if (step.report.failed) break;
        step.bytes = bytes_of(world);
        step.decisions.assign(world.decisions().begin(), world.decisions().end());
        out.push_back(std::move(step));
    }
    return out;
}

/// Goes on from the state after step `stop` in a new world for `n` steps. False: other bits.
bool goes_on(const std::vector<Step>& run, const MakeWorld& make, std::size_t stop, std::size_t n) {
    const auto world = make();
    ByteReader in(run[stop].bytes, "stopped");
    world->load(in);
    const Bytes again = bytes_of(*world);
    EXPECT_EQ(again, run[stop].bytes) << "saved, loaded and saved again after step " << stop << ": "
                                      << first_difference(run[stop].bytes, again);
    for (std::size_t k = stop + 1; k < run.size() && k <= stop + n; ++k) {
        if (world->clocked()) world->replay(run[k].decisions);
        world->step();
        const Bytes now = bytes_of(*world);
        if (now == run[k].bytes) continue;
        ADD_FAILURE() << "stopped after step " << stop << ", other bits in '"
                      << first_difference(run[k].bytes, now) << "' after step " << k;
        return false;
    }
    return true;
}

/// Stops after every step. All that is remembered is compared, so that one that differs shows in
/// the first step, whenever it would first have moved a node.
std::vector<Step> expect_exact(const MakeWorld& make, int n_steps) {
    const std::vector<Step> run = run_through(*make(), n_steps);
    for (std::size_t stop = 0; stop < run.size(); ++stop) {
        const bool whole = everything() || stop == 1 || stop == run.size() / 2;
        if (!goes_on(run, make, stop, whole ? run.size() : 2)) break;
    }
    return run;
}

Sets solver_and_contact(const std::string& solver, const std::string& contact) {
    Sets sets = {"solver.kind=\"" + solver + "\"", "contact.method=\"" + contact + "\""};
    if (solver == "projective_dynamics")
        sets.insert(sets.end(), {"material.soft.kind=\"projective\"", "material.soft.poisson=0"});
    // Explicit forces too, which sink in here: how a run goes on is what counts.
    if (contact == "penalty") sets.emplace_back("contact.unsafe=true");
    return sets;
}

bool is_accepted(const Sets& sets) {
    try {
        scene_of(tumble, sets);
        return true;
    } catch (const InputError&) {
        return false;
    }
}

struct Case {
    std::string name;
    Sets sets;
    unsigned flags = 0;  // of StepFlag, that must come up in the run
    int n_steps = 36;    // the floor is back after 30
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
}
std::string name_of(const testing::TestParamInfo<Case>& info) {
    std::string out = info.param.name;
    for (char& c : out)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return out;
}

/// Every registered solver with every registered contact method that it accepts.
std::vector<Case> pairs() {
    std::vector<Case> out;
    for (const OptionCase& solver : stepper_cases())
        for (const OptionCase& contact : contact_cases()) {
            const Sets sets =
                solver_and_contact(std::string(solver.name), std::string(contact.name));
            if (is_accepted(sets))
                out.push_back({std::string(solver.name) + " " + std::string(contact.name), sets});
        }
    return out;
}

/// Every choice and every switch among the options of every solver and every contact method, one
/// at a time.
std::vector<Case> choices() {
    std::vector<Case> out;
    const auto add = [&](const OptionCase& options, const std::string& table, const Sets& start) {
        for (const FieldInfo& field : options.describe().fields) {
            std::vector<std::string> values;
            for (const std::string& choice : field.type.choices)
                values.push_back('"' + choice + '"');
            if (field.type.kind == FieldKind::boolean) values = {"true", "false"};
            for (const std::string& value : values) {
                Sets sets = start;
                sets.push_back(table + "." + field.key + "=" + value);
                if (field.key == "tune" || !is_accepted(sets)) continue;  // tune: before a run
                // Until the floor has gone: there are many of them.
                out.push_back(
                    {std::string(options.name) + " " + field.key + " " + value, sets, 0, 18});
            }
        }
    };
    for (const OptionCase& solver : stepper_cases()) {
        Sets sets = solver_and_contact(std::string(solver.name), "lagrange");
        if (!is_accepted(sets)) sets = solver_and_contact(std::string(solver.name), "penalty");
        add(solver, "solver", sets);
    }
    for (const OptionCase& contact : contact_cases()) {
        Sets sets = solver_and_contact("cholesky", std::string(contact.name));
        if (!is_accepted(sets)) sets = solver_and_contact("newton", std::string(contact.name));
        add(contact, "contact", sets);
    }
    return out;
}

/// What the defaults do not reach.
std::vector<Case> others() {
    const Sets warp = solver_and_contact("warp_canceling", "lagrange");
    const Sets async = solver_and_contact("async", "lagrange");
    const auto with = [](Sets sets, const Sets& more) {
        sets.insert(sets.end(), more.begin(), more.end());
        return sets;
    };
    const Sets source = with(solver_and_contact("warp_canceling", "penalty"),
                             {"solver.refine=0", "solver.precision=\"double\"",
                              "solver.linearise=false", "solver.form=\"dv\""});
    return {
        {"warp by quality", with(source, {"solver.schedule=\"quality\""})},
        {"warp by time", with(source, {"solver.schedule=\"time\"", "solver.budget_share=0.4"})},
        {"warp by both", with(source, {"solver.schedule=\"hybrid\"", "solver.budget_share=0.2"})},
        {"warp by the clock",
         with(warp,
              {"solver.schedule=\"hybrid\"", "solver.budget_share=0.3", "solver.costs=\"clock\""}),
         0, 60},  // until all that is updated is where the floor came back
        {"warp damped", with(source, {"solver.schedule=\"time\"", "solver.damping=\"rigid\"",
                                      "solver.damping_threshold=2"})},
        {"warp with few iterations", with(warp, {"solver.target_iterations=2"})},
        {"async with a watchdog", with(async, {"solver.lag=4", "solver.watchdog=2"}),
         static_cast<unsigned>(StepFlag::refactored)},
        {"async by the clock", with(async, {"solver.lag=\"auto\""})},
        {"lagrange by the clock",
         with(solver_and_contact("cholesky", "lagrange"), {"contact.deadline_ms=0.05"})},
        {"lagrange relinearised",
         with(solver_and_contact("cholesky", "lagrange"), {"contact.relinearise=2"})},
        {"descent with longer steps tried often",
         with(solver_and_contact("descent", "penalty"),
              {"solver.direction=\"jacobi\"", "solver.regrow=1"})},
        {"descent untangled", with(solver_and_contact("descent", "none"),
                                   {"material.soft.kind=\"stvk\"", "material.soft.invertible=true",
                                    "solver.direction=\"jacobi\"", "solver.untangle=3"})},
        {"warp between bodies",
         with(solver_and_contact("warp_canceling", "penalty"),
              {"solver.target_iterations=3", "body.ball.translate=[0.2, 0.22, 0]"})},
    };
}

class Resume : public testing::TestWithParam<Case> {};

TEST_P(Resume, is_exact_after_every_step) {
    const int n_steps = everything() ? 60 : GetParam().n_steps;
    const SceneDef scene = scene_of(tumble, GetParam().sets);
    const std::vector<Step> run = expect_exact(builder(scene), n_steps);
    unsigned flags = 0;
    bool came = false, went = false;
    for (std::size_t k = 1; k < run.size(); ++k) {
        flags |= run[k].report.flags;
        came |= run[k].report.contacts > run[k - 1].report.contacts;
        went |= run[k].report.contacts < run[k - 1].report.contacts;
    }
    EXPECT_EQ(flags & GetParam().flags, GetParam().flags);
    const bool touches = scene.contact.options.name != "none";
    EXPECT_EQ(came && went, touches) << "contact comes and goes";
}

INSTANTIATE_TEST_SUITE_P(Pairs, Resume, testing::ValuesIn(pairs()), name_of);
INSTANTIATE_TEST_SUITE_P(Choices, Resume, testing::ValuesIn(choices()), name_of);
INSTANTIATE_TEST_SUITE_P(Others, Resume, testing::ValuesIn(others()), name_of);

// ---- what one scene does not have

using test::law_names;

SceneDef bar(const std::string& solver, const std::string& law, const std::string& time) {
    return scene_of(test::law_bar(solver, law, time, 8, 3), {});
}

TEST(ResumeLaws, is_exact_with_every_law_and_integrator_that_a_solver_accepts) {
    int ran = 0;
    for (const OptionCase& solver : stepper_cases())
        for (const std::string& law : law_names())
            for (const char* time : {"", "integrator = \"trapezoid\"",
                                     "analysis = \"quasi_static\"", "analysis = \"static\""}) {
                SCOPED_TRACE(std::string(solver.name) + ", " + law + ", " + time);
                try {
                    expect_exact(builder(bar(std::string(solver.name), law, time)), 5);
                    ++ran;
                } catch (const InputError&) {
                }
            }
    EXPECT_GE(ran, 2 * 4 + 4 * static_cast<int>(law_names().size()));
}

/// A step that fails at first: what is remembered of it is forgotten, and goes on in parts.
class Stumbling final : public Stepper {
  public:
    Stumbling(std::unique_ptr<Stepper> stepper, double h) : own_(std::move(stepper)), h_(h) {}
    std::string_view name() const override { return own_->name(); }
    void free_motion(const StepInput& in, State& state, NodeForces& forces,
                     StepReport& report) override {
        own_->free_motion(in, state, forces, report);
        if (report.step % 7 == 3 && in.h > 0.4 * h_) report.solve.status = SolveStatus::not_finite;
    }
    Compliance* compliance() override { return own_->compliance(); }
    bool answers(const StepInput& in, std::span<const Vec3d> impulses, State& state,
                 StepReport& report) override {
        return own_->answers(in, impulses, state, report);
    }
    void correct_reactions(const StepInput& in, std::span<const Vec3d> v,
                           NodeForces& forces) override {
        own_->correct_reactions(in, v, forces);
    }
    void integrate(const StepInput& in, State& state) const override { own_->integrate(in, state); }
    void save(ByteWriter& out) const override { own_->save(out); }
    void load(ByteReader& in) override { own_->load(in); }
    void reset() override { own_->reset(); }

  private:
    std::unique_ptr<Stepper> own_;
    double h_;
};

class ResumeRejected : public testing::TestWithParam<Case> {};

TEST_P(ResumeRejected, is_exact_after_steps_that_were_rejected) {
    const SceneDef scene = scene_of(tumble, GetParam().sets);
    const auto run = expect_exact(
        [&] {
            auto model = std::make_unique<const Model>(model_of(scene));
            auto stepper = std::make_unique<Stumbling>(make_stepper(scene, *model), model->h);
            auto contact = make_contact(scene, *model);
            return std::make_unique<World>(std::move(model), std::move(stepper), std::move(contact),
                                           WorldOptions{.measure_energy = false});
        },
        everything() ? 40 : 12);
    for (std::size_t k = 1; k < run.size(); ++k)
        EXPECT_EQ(run[k].report.substeps, k % 7 == 3 ? 4 : 1) << "step " << k;
}

INSTANTIATE_TEST_SUITE_P(Pairs, ResumeRejected, testing::ValuesIn(pairs()), name_of);

/// Scenes of scenes/ made small: needles, cables, cavities, cloth; and rigid bodies.
TEST(ResumeScenes, is_exact_with_joints_cloth_and_rigid_bodies) {
    struct Small {
        std::string file;
        Sets sets;
        int n_steps;
    };
    const Small scenes[] = {
        {"needle", {"body.0.tets=400", "time.step=0.05"}, 40},
        {"soft_finger", {"body.0.tets=300"}, 12},
        {"pneunet", {"body.0.tets=600"}, 12},
        {"hanging_cloth", {"body.0.cells=[6,6]"}, 12},
        {"hanging_cloth", {"body.0.cells=[6,6]", "solver.kind=\"descent\""}, 12},
    };
    for (const Small& small : scenes) {
        SCOPED_TRACE(small.file);
        const std::string path = LIMBER_SOURCE_DIR "/scenes/" + small.file + ".toml";
        expect_exact(builder(load_scene(path, {small.sets, false})), small.n_steps);
    }
    Sets rigid = solver_and_contact("cholesky", "lagrange");
    rigid.insert(rigid.end(), {"body.ball.rigid=true", "body.ball.angular_velocity=[3,40,1]"});
    for (const char* solver : {"cholesky", "warp_canceling", "async", "newton"}) {
        SCOPED_TRACE(solver);
        rigid[0] = std::string("solver.kind=\"") + solver + '"';
        expect_exact(builder(scene_of(tumble, rigid)), 30);
    }
}

/// A bar pushed through itself and pulled out again.
constexpr const char* crumple = R"(
limber = 1
gravity = [0, 0, 0]
[time]
step = 0.01
steps = 1000
[solver]
kind = "warp_canceling"
[material.soft]
kind = "corotated"
young = "50 kPa"
poisson = 0.3
density = 1000
damping = { mass = 1, stiffness = 0.01 }
[[body]]
name = "bar"
shape = "beam"
size = [0.4, 0.1, 0.1]
cells = [6, 2, 2]
material = "soft"
[[pin]]
body = "bar"
select = { side = "x-" }
[[pin]]
body = "bar"
select = { side = "x+" }
motion = { times = [0, 0.2, 0.3, 0.5], translate = [[0, 0, 0], [-0.5, 0.02, 0], [-0.5, 0.02, 0], [0, 0, 0]], angle = [0, 60, 60, 0], axis = [1, 0, 0] }
[contact]
method = "none"
)";

TEST(ResumeWarp, is_exact_while_nodes_lose_their_rotations_and_get_them_back) {
    const SceneDef scene = scene_of(crumple, {});
    const auto n_upright = [](const World& world) {
        const auto& stepper = dynamic_cast<const WarpCancelingStepper&>(world.stepper());
        return std::count(stepper.upright().begin(), stepper.upright().end(), 1);
    };
    const MakeWorld make = builder(scene);
    const auto world = make();
    const auto pinned = n_upright(*world);
    auto most = pinned;
    for (int k = 0; k < 110; ++k) {
        ASSERT_FALSE(world->step().failed);
        most = std::max(most, n_upright(*world));
    }
    EXPECT_GT(most, pinned + 10);
    EXPECT_EQ(n_upright(*world), pinned);  // released: every node that is free turns again
    expect_exact(make, everything() ? 110 : 70);
}

TEST(ResumeNewton, is_exact_where_the_matrix_is_shifted_by_what_worked_last) {
    const MakeWorld make =
        builder(scene_of(crumple, {"solver.kind=\"newton\"", "solver.hessian=\"shift\"",
                                   "solver.max_iterations=8", "material.soft.kind=\"stvk\"",
                                   "body.bar.cells=[4,1,1]", "time.analysis=\"quasi_static\""}));
    const std::vector<Step> run = expect_exact(make, 24);
    const auto shifted = std::count_if(run.begin(), run.end(), [](const Step& step) {
        return step.report.has(StepFlag::indefinite);
    });
    EXPECT_GT(shifted, 2);
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/study/compare.h"
#include "limber/output/verdict_output.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "limber/scene/build/model.h"
#include "limber/study/converged_solver.h"
#include "limber/study/tables.h"

namespace limber {

namespace {

constexpr double sensitive_growth = 1000;
// A solver with a hundred times the energy there is makes its own. Going on would only take time:
// exploded bodies are all in contact.
constexpr double unstable = 100;

/// One solver and what is needed to judge it.
struct Contestant {
    std::unique_ptr<World> world;  // none: it cannot take the scene
    World* exact = nullptr;        // converged solver of its family; none: it is one itself
    StepTimes times;
    double iterations = 0;
    double motion = 0;  // largest kinetic + elastic energy [J]
    ContestantResult result;

    bool running() const { return world && result.failure.empty(); }
};

/// States and energies of the reference over one block of steps.
struct Block {
    std::vector<std::vector<Vec3d>> x;
    std::vector<double> energy;
};

class Comparison {
  public:
    Comparison(const LineUp& line, const CompareOptions& options);
    CompareResult run();

  private:
    SceneDef choose_reference();
    Contestant contestant_of(const SolverSpec& spec, const SceneDef& scene) const;
    void add_contestant(const LinedUp& solver);
    void add_models();
    void run_block(std::int64_t first, std::int64_t last, std::size_t turn);
    void run_reference(std::int64_t n_steps);
    void run_contestant(Contestant& c, std::int64_t n_steps);
    World* exact_for(const SceneDef& scene, std::string& name);
    bool advance(Contestant& c);
    double energy_in_reach() const;
    void run_windows();
    void finish(Contestant& c) const;
    void tell(std::int64_t step, const std::string& phase) const {
        if (options_.progress) options_.progress(step, phase);
    }

    const LineUp& line_;
    const CompareOptions& options_;
    CompareResult result_;
    Model model_;
    StateMeter meter_;
    Contestant reference_;
    std::unique_ptr<World> twin_;
    std::map<std::string, std::unique_ptr<World>> exact_;  // by solver, shared by those it fits
    std::vector<Contestant> contestants_;                  // those of the line-up, then the models
    std::vector<Snapshot> starts_;                         // of windows
    Block block_;
    double energy_scale_ = 0;  // [J]
};

Model model_of(const SceneDef& scene, std::vector<std::string>& warnings) {
    BuildReport built;
    Model model = build_model(scene, built);
    warnings = built.warnings;
    return model;
}

/// Why the scene's device does not take the model; empty: it does.
std::string device_refusal(const SceneDef& scene, const Model& model) {
    try {
        check_device(scene, model);
    } catch (const InputError& error) {
        return error.message();
    }
    return {};
}

Comparison::Comparison(const LineUp& line, const CompareOptions& options)
    : line_(line),
      options_(options),
      model_(model_of(line.first_scene(), result_.warnings)),
      meter_(model_) {
    const SceneDef scene = choose_reference();
    reference_ = contestant_of(result_.reference, scene);
    twin_ = make_world(scene, model_);
    perturb(meter_, model_, result_.nudge, twin_->state());
    for (const LinedUp& solver : line.solvers) add_contestant(solver);
    if (std::none_of(contestants_.begin(), contestants_.end(),
                     [](const Contestant& c) { return c.running(); }))
        throw InputError(SourcePlace{options.scene.path},
                         "no solver of the list can run: " + contestants_[0].result.refusal);
    add_models();
    result_.scene = options.scene.path;
    result_.steps = options.steps > 0 ? options.steps : line.first_scene().time.n_steps();
    if (result_.steps < 1) throw InputError("a comparison needs at least one step");
    result_.h = model_.h;
    result_.n_nodes = model_.n_nodes();
    result_.n_tets = model_.n_tets();
    result_.n_bodies = static_cast<std::int64_t>(model_.bodies.size());
    for (const Body& body : model_.bodies)
        result_.n_triangles += static_cast<std::int64_t>(body.triangles().size());
    const AnyOptions& contact = scene.contact.options;
    result_.contact = contact.name;
    result_.contact_settings = settings_of(*find_case(contact_cases(), contact.name), contact);
    result_.contact_note = line.contact_note;
}

/// The one asked for; else the converged solver of the solvers' family. Of two families it is the
/// minimising one: its step is the whole step, of which the other's is the first iteration.
SceneDef Comparison::choose_reference() {
    if (line_.reference) {
        result_.reference = line_.reference->spec;
        result_.reference_why = "as asked for";
        result_.reference_chosen = false;
        return *line_.reference->scene;
    }
    std::set<SolverFamily> families;
    for (const LinedUp& solver : line_.solvers)
        if (solver.scene) families.insert(measured_by(family_of(solver.spec)));
    const bool mixed = families.size() > 1;
    const ConvergedSolver converged = converged_solver(
        mixed ? SolverFamily::minimising : *families.begin(), line_.first_scene(), model_);
    result_.reference = converged.spec;
    result_.reference_why =
        (mixed ? "the solvers are of two families; this one linearises nothing; " : "") +
        converged.why;
    return scene_with(on_the_cpu(line_.study), converged.spec, "--reference");
}

Contestant Comparison::contestant_of(const SolverSpec& spec, const SceneDef& scene) const {
    Contestant c;
    c.world = make_world(scene, model_);
    c.result.spec = spec;
    c.result.family = family_of(spec);
    c.result.settings = settings_of(stepper_entry(spec.kind).options, scene.solver.options);
    if (scene.device != DeviceKind::cpu) c.result.settings.push_back({"device", "\"cuda\"", false});
    c.times.warm_up(2);
    return c;
}

void Comparison::add_contestant(const LinedUp& solver) {
    Contestant c;
    const std::string refusal =
        solver.scene ? device_refusal(*solver.scene, model_) : solver.refusal->message();
    if (refusal.empty()) {
        c = contestant_of(solver.spec, *solver.scene);
        c.exact = exact_for(*solver.scene, c.result.local_reference);
    } else {
        c.result.spec = solver.spec;
        c.result.family = family_of(solver.spec);
        c.result.refusal = refusal;
        if (solver.scene)  // those without are known before the model is
            result_.warnings.push_back(solver.spec.text + " is not run: " + refusal);
    }
    contestants_.push_back(std::move(c));
}

/// Converged solvers of the families that the reference is not of.
void Comparison::add_models() {
    std::set<SolverFamily> seen = {measured_by(family_of(result_.reference))};
    const StudyScene study = on_the_cpu(line_.study);
    for (const LinedUp& solver : line_.solvers) {
        const SolverFamily family = measured_by(family_of(solver.spec));
        if (!solver.scene || !seen.insert(family).second) continue;
        const SolverSpec spec = converged_solver(family, *solver.scene, model_).spec;
        contestants_.push_back(contestant_of(spec, scene_with(study, spec, "--solvers")));
    }
}

World* Comparison::exact_for(const SceneDef& scene, std::string& name) {
    const SolverSpec spec = converged_solver(scene, model_).spec;
    name = spec.text;
    std::unique_ptr<World>& world = exact_[name];
    if (!world) world = make_world(scene_with(on_the_cpu(line_.study), spec, "--solvers"), model_);
    return world.get();
}

/// What the reference has had in motion so far, or a fall by a thousandth of the largest body where
/// nothing moves [J].
double Comparison::energy_in_reach() const {
    double mass = 0, size = 0;
    for (double m : model_.mass) mass += m;
    for (double s : meter_.sizes()) size = std::max(size, s);
    return std::max(reference_.motion, 1e-3 * size * mass * norm(model_.gravity));
}

/// One step; false when the contestant is out.
bool Comparison::advance(Contestant& c) {
    const StepReport report = c.world->step();
    if (report.failed) {
        c.result.failure = report.failure.what;
        return false;
    }
    const double energy = report.kinetic + report.elastic;
    if (&c != &reference_ && energy > unstable * energy_in_reach()) {
        c.result.failure = fmt::format("step {}: unstable, {} J in motion against {} J",
                                       report.step, digits(energy), digits(reference_.motion));
        return false;
    }
    c.times.add(solve_ms(report));
    ++c.result.steps;
    c.result.rejected += report.has(StepFlag::substepped) ? 1 : 0;
    c.iterations += report.solve.iterations;
    c.result.max_iterations =
        std::max<std::int64_t>(c.result.max_iterations, report.solve.iterations);
    c.result.max_penetration = std::max(c.result.max_penetration, report.max_penetration);
    c.motion = std::max(c.motion, energy);
    c.result.energy.push_back(total_energy(report));  // made relative by finish()
    return true;
}

void Comparison::run_reference(std::int64_t n_steps) {
    block_ = {};
    reference_.times.warm_up();
    for (std::int64_t k = 0; k < n_steps; ++k) {
        if (!advance(reference_))
            throw ReferenceFailed("the reference " + result_.reference.text + " failed: " +
                                  reference_.result.failure + "; there is nothing to compare with");
        block_.x.push_back(reference_.world->state().x);
        block_.energy.push_back(reference_.result.energy.back());
    }
    for (std::int64_t k = 0; k < n_steps; ++k) {
        const StepReport report = twin_->step();
        if (report.failed)
            throw ReferenceFailed("the reference " + result_.reference.text +
                                  ", started 1e-9 beside itself, failed: " + report.failure.what +
                                  "; there is nothing to compare with");
        const StateError e = meter_(twin_->state().x, block_.x[static_cast<std::size_t>(k)]);
        result_.twin.time.push_back(report.time);
        result_.twin.max.push_back(e.max);
        result_.twin.rms.push_back(e.rms);
    }
}

void Comparison::run_contestant(Contestant& c, std::int64_t n_steps) {
    c.times.warm_up();  // another world has had the caches
    // The first step also by the converged solver of the family, from the contestant's own state.
    bool exact = false;
    if (c.exact) {
        restart(*c.exact, snapshot_of(*c.world));
        exact = is_converged(c.exact->step());
        c.result.local_left_out += exact ? 0 : 1;
    }
    for (std::int64_t k = 0; k < n_steps; ++k) {
        if (!advance(c)) return;
        const auto record = [&](std::span<const Vec3d> x, ErrorCurve& curve) {
            const StateError e = meter_(c.world->state().x, x);
            curve.time.push_back(c.world->state().time);
            curve.max.push_back(e.max);
            curve.rms.push_back(e.rms);
        };
        if (k == 0 && exact) record(c.exact->state().x, c.result.local);
        record(block_.x[static_cast<std::size_t>(k)], c.result.global);
        c.result.energy.back() -= block_.energy[static_cast<std::size_t>(k)];
    }
}

/// Steps first + 1 ... last of everybody; whose turn is first changes from block to block.
void Comparison::run_block(std::int64_t first, std::int64_t last, std::size_t turn) {
    run_reference(last - first);
    const std::size_t n = contestants_.size();
    for (std::size_t k = 0; k < n; ++k) {
        Contestant& c = contestants_[(k + turn) % n];
        if (c.running()) run_contestant(c, last - first);
    }
}

/// Every contestant from the same states of the reference, a few steps each time.
void Comparison::run_windows() {
    result_.windowed = true;
    result_.n_windows = static_cast<int>(starts_.size());
    for (const Snapshot& start : starts_) {
        tell(start.state.step, "windows");
        restart(*reference_.world, start);
        for (int k = 0; k < result_.window_steps; ++k)
            if (const StepReport report = reference_.world->step(); report.failed)
                throw ReferenceFailed("the reference " + result_.reference.text +
                                      " failed: " + report.failure.what);
        for (Contestant& c : contestants_) {
            if (!c.world) continue;
            restart(*c.world, start);
            bool failed = false;
            for (int k = 0; k < result_.window_steps && !failed; ++k) {
                const StepReport report = c.world->step();
                failed =
                    report.failed || report.kinetic + report.elastic > unstable * energy_in_reach();
            }
            if (failed) {
                ++c.result.windows.n_failed;
                continue;
            }
            const StateError e = meter_(c.world->state().x, reference_.world->state().x);
            c.result.windows.rms.push_back(e.rms);
            c.result.windows.max.push_back(e.max);
        }
    }
}

void Comparison::finish(Contestant& c) const {
    ContestantResult& r = c.result;
    r.ms = c.times.spread();
    if (c.world) r.verdict = verdict_lines(*c.world);
    if (r.steps > 0) r.mean_iterations = c.iterations / static_cast<double>(r.steps);
    if (&c != &reference_)
        for (double& e : r.energy) e = std::fabs(e) / energy_scale_;
}

CompareResult Comparison::run() {
    // A contestant keeps the caches for a block of steps; its first step after a change is compared
    // but not timed. Short runs have short blocks.
    const std::int64_t n = result_.steps;
    const std::int64_t block = std::clamp<std::int64_t>(n / 20, 2, 10);
    result_.window_steps = static_cast<int>(std::min<std::int64_t>(options_.window_steps, n));
    const std::int64_t stride = std::max<std::int64_t>(1, n / std::max(1, options_.n_windows));
    std::size_t turn = 0;
    for (std::int64_t step = 0; step < n; step += block, ++turn) {
        tell(step, "steps");
        const std::int64_t next = static_cast<std::int64_t>(starts_.size()) * stride;
        if (step >= next && step + result_.window_steps <= n)
            starts_.push_back(snapshot_of(*reference_.world));
        run_block(step, std::min(n, step + block), turn);
    }
    // Of the second half: what a contact that just begins does to the first steps may die away.
    for (std::size_t k = result_.twin.rms.size() / 2; k < result_.twin.rms.size(); ++k)
        result_.growth = std::max(result_.growth, result_.twin.rms[k] / result_.nudge);
    // The energy that moves: a scene at rest high above the ground has a large one that does not.
    const auto [low, high] =
        std::minmax_element(reference_.result.energy.begin(), reference_.result.energy.end());
    energy_scale_ = std::max({*high - *low, reference_.motion, 1e-300});
    finish(reference_);
    for (Contestant& c : contestants_) finish(c);
    const bool sensitive = result_.growth > sensitive_growth;
    if (options_.windows == WindowMode::always ||
        (options_.windows == WindowMode::automatic && sensitive))
        run_windows();
    result_.reference_run = reference_.result;
    for (std::size_t i = 0; i < contestants_.size(); ++i)
        (i < line_.solvers.size() ? result_.contestants : result_.models)
            .push_back(std::move(contestants_[i].result));
    return std::move(result_);
}

}  // namespace

double ErrorCurve::worst() const {
    double out = max.empty() ? std::nan("") : 0;
    for (double e : max) out = std::max(out, e);
    return out;
}

double ErrorCurve::mean_square() const {
    return rms.empty() ? std::nan("") : root_mean_square(rms);
}

double CompareResult::headline_error(const ContestantResult& contestant) const {
    return windowed ? spread_of(contestant.windows.rms).p50 : contestant.global.mean_square();
}

CompareResult compare(const LineUp& line, const CompareOptions& options) {
    return Comparison(line, options).run();
}

CompareResult compare(const CompareOptions& options) {
    return compare(line_up(options.scene, options.solvers, options.reference), options);
}

}  // namespace limber

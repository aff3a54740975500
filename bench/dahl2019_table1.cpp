// SPDX-License-Identifier: Apache-2.0
// Dahl & Bargteil 2019, Table 1: ms a frame of five steps of 1/150 s for the conjugate gradients at
// 1, 2, 5, 10 iterations and to convergence, from three initial guesses, Jacobi preconditioner; the
// iterations to convergence (the largest over the bodies, mean over the steps); and forces, system
// matrix and collisions of the converged run. A run that becomes unstable is marked, not timed.

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dahl2019.h"
#include "limber/output/summary.h"
#include "limber/study/converged_solver.h"
#include "limber/study/statistics.h"

namespace limber::bench {

namespace {

constexpr std::array<int, 5> caps = {1, 2, 5, 10, 0};  // 0: convergence

struct PaperRow {
    std::array<double, 5> solve;  // [ms] a frame
    double iterations, forces, matrix;
    std::optional<double> collision;
};
struct PaperScene {
    const char *name, *file;
    int vertices;
    std::array<PaperRow, 3> guess;  // in the order of dahl_guesses
};
const PaperScene paper[] = {
    {"Bowling",
     "bowling",
     475,
     {{{{0.565, 0.581, 0.944, 1.235, 6.689}, 78, 5.465, 1.653, 227.449},
       {{0.325, 0.364, 0.408, 1.105, 6.614}, 81, 5.422, 1.643, 226.681},
       {{0.515, 0.619, 0.845, 1.196, 6.082}, 75, 5.359, 1.478, 225.102}}}},
    {"Snowman",
     "snowman",
     508,
     {{{{0.334, 0.466, 0.840, 1.469, 8.991}, 71, 8.336, 2.898, {}},
       {{0.211, 0.216, 0.279, 1.465, 7.464}, 58, 8.293, 2.939, {}},
       {{0.334, 0.468, 0.840, 1.507, 7.771}, 60, 8.331, 2.920, {}}}}},
    {"Cars Spin",
     "cars_spin",
     4734,
     {{{{3.076, 4.270, 7.924, 13.613, 74.304}, 59, 87.863, 27.107, 781.055},
       {{1.935, 2.085, 2.520, 13.739, 74.579}, 60, 87.753, 26.710, 785.346},
       {{3.143, 4.304, 7.866, 13.745, 69.060}, 55, 87.878, 23.860, 782.972}}}},
};

/// Times of one frame [ms].
struct Frame {
    double solve = 0, forces = 0, matrix = 0, collision = 0, step = 0;
};
Frame fastest(const Frame& a, const Frame& b) {
    return {std::min(a.solve, b.solve), std::min(a.forces, b.forces), std::min(a.matrix, b.matrix),
            std::min(a.collision, b.collision), std::min(a.step, b.step)};
}

/// One cell of the table, filled frame by frame. The work of a frame is the same in every
/// repetition of its window: the fastest is the one that nothing disturbed.
struct Cell {
    std::unique_ptr<World> world;
    std::vector<Frame> frames, window;  // of all windows; of the one being repeated
    std::vector<double> iterations;     // a step
    std::vector<double> error;          // rms at the end of each window, parts of the body size
    bool unstable = false;

    Spread spread(double Frame::*member) const {
        std::vector<double> values;
        for (const Frame& frame : frames) values.push_back(frame.*member);
        return spread_of(values);
    }
    double mean(double Frame::*member) const { return spread(member).mean; }
};

/// The converged run of one window: what the cells are measured from.
struct Truth {
    std::vector<Vec3d> x;  // at its end
    double energy = 0;     // largest kinetic + elastic [J]
};

Truth run_truth(World& world, const Snapshot& start, int n_steps) {
    restart(world, start);
    Truth out;
    for (int k = 0; k < n_steps; ++k) {
        const StepReport report = world.step();
        out.energy = std::max(out.energy, report.kinetic + report.elastic);
    }
    out.x = world.state().x;
    return out;
}

void run_cell(Cell& cell, const Snapshot& start, std::span<const Vec3d> truth,
              double allowed_energy, const StateMeter& meter, int n_frames, bool first) {
    restart(*cell.world, start);
    for (int f = 0; f < n_frames; ++f) {
        Frame frame;
        for (int k = 0; k < steps_a_frame; ++k) {
            const StepReport r = cell.world->step();
            if (r.failed || r.has(StepFlag::substepped) || r.kinetic > allowed_energy) {
                cell.unstable = true;
                return;
            }
            frame.solve += r.ms(Stage::factor) + r.ms(Stage::free_motion);
            frame.forces += r.ms(Stage::rotate);
            frame.matrix += r.ms(Stage::assemble);
            frame.collision += r.ms(Stage::detect) + r.ms(Stage::resolve);
            frame.step += solve_ms(r);
            if (first) cell.iterations.push_back(r.solve.iterations);
        }
        if (first)
            cell.window.push_back(frame);
        else
            cell.window[static_cast<std::size_t>(f)] =
                fastest(cell.window[static_cast<std::size_t>(f)], frame);
    }
    if (first) cell.error.push_back(meter(cell.world->state().x, truth).rms);
}

/// The first frame after a restart only warms up.
void close_window(Cell& cell) {
    if (cell.window.size() > 1)
        cell.frames.insert(cell.frames.end(), cell.window.begin() + 1, cell.window.end());
    cell.window.clear();
}

struct SceneRun {
    const PaperScene* paper = nullptr;
    std::int64_t vertices = 0;
    std::array<std::array<Cell, caps.size()>, 3> cells;  // guess, cap

    double solve_ms(std::size_t guess, std::size_t cap) const {
        const Cell& c = cells[guess][cap];
        return c.unstable ? std::nan("") : c.mean(&Frame::solve);
    }
    double error(std::size_t guess, std::size_t cap) const {
        const Cell& c = cells[guess][cap];
        return c.unstable ? std::nan("") : spread_of(c.error).p50;
    }
    const Cell& converged(std::size_t guess) const { return cells[guess].back(); }
};

SceneRun run_scene(const BenchOptions& options, const PaperScene& row) {
    const DahlScene scene = load_dahl(options, row.file);
    const StateMeter meter(scene.model);
    SceneRun out;
    out.paper = &row;
    out.vertices = scene.model.n_nodes();
    // full: one window, the whole run.
    const int whole = static_cast<int>(scene.n_steps / steps_a_frame);
    const int n_frames = options.pick(3, 20, whole);
    options.tell(fmt::format("{}: states of the converged run", row.name));
    const std::vector<Snapshot> starts = dahl_starts(options, scene, options.pick(2, 5, 1));
    for (std::size_t g = 0; g < dahl_guesses.size(); ++g)
        for (std::size_t c = 0; c < caps.size(); ++c)
            out.cells[g][c].world = make_world(
                scene_with(scene.study, dahl_solver_per_body(dahl_guesses[g].ours, caps[c]),
                           "the table's solver"),
                scene.model);
    const auto truth_world = make_world(
        scene_with(
            scene.study,
            converged_solver(load_scene(scene.study.path, scene.study.load), scene.model).spec,
            "the converged run"),
        scene.model);
    // A kinetic energy ten times the most the converged run ever has in motion can only come from
    // the solver. Elastic energy does not count: a body that gives way under too few iterations
    // creeps.
    std::vector<Truth> truths;
    double energy = 0;
    for (const Snapshot& start : starts) {
        truths.push_back(run_truth(*truth_world, start, n_frames * steps_a_frame));
        energy = std::max(energy, truths.back().energy);
    }
    for (std::size_t w = 0; w < starts.size(); ++w) {
        options.tell(fmt::format("{}: window {} of {}", row.name, w + 1, starts.size()));
        for (int pass = 0; pass < options.pick(1, 3, 1); ++pass)
            for (auto& guess : out.cells)
                for (Cell& cell : guess)
                    if (!cell.unstable)
                        run_cell(cell, starts[w], truths[w].x, 10 * energy, meter, n_frames,
                                 pass == 0);
        for (auto& guess : out.cells)
            for (Cell& cell : guess) close_window(cell);
    }
    return out;
}

std::string beside(double ours, double theirs) {
    return (std::isfinite(ours) ? digits(ours) : "unstable") + " (" + digits(theirs) + ")";
}

std::string times_table(const std::vector<SceneRun>& runs) {
    MarkdownTable table({"scene", "guess", "1", "2", "5", "10", "convergence", "iterations",
                         "forces", "system matrix", "collision"});
    for (const SceneRun& run : runs)
        for (std::size_t g = 0; g < dahl_guesses.size(); ++g) {
            const PaperRow& theirs = run.paper->guess[g];
            std::vector<std::string> row = {
                g == 0 ? fmt::format("{}, {} vertices ({})", run.paper->name, run.vertices,
                                     run.paper->vertices)
                       : std::string(run.paper->name),
                std::string(dahl_guesses[g].paper)};
            for (std::size_t c = 0; c < caps.size(); ++c)
                row.push_back(beside(run.solve_ms(g, c), theirs.solve[c]));
            const Cell& cell = run.converged(g);
            row.push_back(beside(spread_of(cell.iterations).mean, theirs.iterations));
            row.push_back(beside(cell.mean(&Frame::forces), theirs.forces));
            row.push_back(beside(cell.mean(&Frame::matrix), theirs.matrix));
            row.push_back(
                beside(cell.mean(&Frame::collision), theirs.collision.value_or(std::nan(""))));
            table.add(row);
        }
    return table.text();
}

/// What does not depend on the machine.
std::string ratios_table(const std::vector<SceneRun>& runs) {
    MarkdownTable table({"scene", "guess", "convergence / 10 iterations", "forces / convergence",
                         "collision / convergence", "collision share of a step", "error at 1", "2",
                         "5", "10"});
    for (const SceneRun& run : runs)
        for (std::size_t g = 0; g < dahl_guesses.size(); ++g) {
            const PaperRow& p = run.paper->guess[g];
            const Cell& cell = run.converged(g);
            const double all = run.solve_ms(g, 4), collision = cell.mean(&Frame::collision);
            const auto ratio = [](double ours, double theirs) {
                return times(ours) + " (" + times(theirs) + ")";
            };
            std::vector<std::string> row = {
                run.paper->name,
                std::string(dahl_guesses[g].paper),
                ratio(all / run.solve_ms(g, 3), p.solve[4] / p.solve[3]),
                ratio(cell.mean(&Frame::forces) / all, p.forces / p.solve[4]),
                ratio(collision / all, p.collision.value_or(std::nan("")) / p.solve[4]),
                fmt::format("{:.1f} %", 100 * collision / cell.mean(&Frame::step))};
            for (std::size_t c = 0; c < 4; ++c)
                row.push_back(run.cells[g][c].unstable ? "unstable" : digits(run.error(g, c)));
            table.add(row);
        }
    return table.text();
}

std::string error_words(const SceneRun& run, std::size_t guess, std::size_t cap) {
    const double error = run.error(guess, cap);
    return std::isfinite(error) ? digits(100 * error) + " %" : "unstable";
}

std::vector<Claim> claims_of(const std::vector<SceneRun>& runs, const std::string& span) {
    constexpr std::size_t zero = 0, euler = 1, velocity = 2;
    constexpr double stated = 0.02;  // parts of the body size: what we take as "usable"
    std::string fewer, several, share, within;
    std::vector<std::string> unstable_zero, unstable_euler;
    bool all_fewer = true, all_several = true, small_share = true;
    int nearer = 0, cells = 0;
    double worst = 0;
    for (const SceneRun& run : runs) {
        const std::string name = run.paper->name, sep = fewer.empty() ? "" : ", ";
        const double n_v = spread_of(run.converged(velocity).iterations).mean;
        const double n_0 = spread_of(run.converged(zero).iterations).mean;
        all_fewer = all_fewer && n_v < n_0;
        fewer += sep + fmt::format("{} {:.1f} against {:.1f}", name, n_v, n_0);
        const double ratio = run.solve_ms(velocity, 4) / run.solve_ms(velocity, 3);
        all_several = all_several && ratio >= 2;
        several += sep + name + ' ' + times(ratio);
        for (std::size_t c = 0; c < 4; ++c) {
            ++cells;
            nearer += run.error(velocity, c) < run.error(zero, c) ? 1 : 0;
            if (run.cells[zero][c].unstable)
                unstable_zero.push_back(fmt::format("{} at {}", name, caps[c]));
            if (run.cells[euler][c].unstable)
                unstable_euler.push_back(fmt::format("{} at {}", name, caps[c]));
        }
        within += sep + fmt::format("{} {} and {}", name, error_words(run, velocity, 2),
                                    error_words(run, velocity, 3));
        for (const std::size_t c : {2, 3})
            worst = std::max(worst,
                             std::isfinite(run.error(velocity, c)) ? run.error(velocity, c) : 1e9);
        const Cell& cell = run.converged(velocity);
        const double part = cell.mean(&Frame::collision) / cell.mean(&Frame::step);
        small_share = small_share && part < 0.2;
        share += sep + fmt::format("{} {:.1f} %", name, 100 * part);
    }
    const auto list = [](const std::vector<std::string>& words) {
        std::string out;
        for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
        return out.empty() ? std::string("none") : out;
    };
    return {
        {"v(t) needs fewer iterations to convergence than 0", all_fewer, fewer},
        {"at the same number of iterations v(t) ends nearer to the converged run than 0",
         nearer == cells, fmt::format("{} of {} cells", nearer, cells)},
        {fmt::format("5 to 10 iterations from v(t) stay within {:.0f} % of the body size over {} "
                     "at h = 1/150",
                     100 * stated, span),
         worst <= stated, within},
        {"convergence costs several times ten iterations", all_several, several},
        {"0 is stable at every number of iterations", unstable_zero.empty(),
         "unstable: " + list(unstable_zero)},
        {"v(t)+f is unstable at few iterations", !unstable_euler.empty(),
         "unstable: " + list(unstable_euler)},
        {"collisions, detection and response, take less than a fifth of a converged step (ours; in "
         "the paper they cost 11 to 37 times the converged solve)",
         small_share, share},
    };
}

std::string json_of(const std::vector<SceneRun>& runs) {
    nlohmann::ordered_json out;
    const auto number = [](double v) {
        return std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json(nullptr);
    };
    for (const SceneRun& run : runs)
        for (std::size_t g = 0; g < dahl_guesses.size(); ++g)
            for (std::size_t c = 0; c < caps.size(); ++c) {
                const Cell& cell = run.cells[g][c];
                const Spread solve = cell.spread(&Frame::solve);
                out["cells"].push_back(
                    {{"scene", run.paper->file},
                     {"vertices", run.vertices},
                     {"guess", dahl_guesses[g].ours},
                     {"cap", caps[c]},
                     {"unstable", cell.unstable},
                     {"solve_ms_frame", number(run.solve_ms(g, c))},
                     {"solve_ms_frame_p99", number(cell.unstable ? std::nan("") : solve.p99)},
                     {"paper_solve_ms_frame", run.paper->guess[g].solve[c]},
                     {"iterations", number(spread_of(cell.iterations).mean)},
                     {"forces_ms_frame", number(cell.mean(&Frame::forces))},
                     {"matrix_ms_frame", number(cell.mean(&Frame::matrix))},
                     {"collision_ms_frame", number(cell.mean(&Frame::collision))},
                     {"step_ms_frame", number(cell.mean(&Frame::step))},
                     {"window_error_rms", number(run.error(g, c))}});
            }
    out["peak_rss_mb"] = peak_rss_mb();
    return out.dump();
}

}  // namespace

BenchResult dahl2019_table1(const BenchOptions& options) {
    std::vector<SceneRun> runs;
    for (const PaperScene& row : paper) runs.push_back(run_scene(options, row));
    BenchResult out;
    out.markdown =
        "Milliseconds a frame of five steps of 1/150 s: ours, the paper's in brackets; means over "
        "the "
        "frames.\n\n" +
        times_table(runs) +
        "\nRatios, which do not depend on the machine, and the rms position error at the end of a "
        "window, in parts of the body size:\n\n" +
        ratios_table(runs) + fmt::format("\nPeak memory {:.0f} MB.\n", peak_rss_mb());
    out.claims = claims_of(runs, options.pick("3 frames", "20 frames", "the whole run"));
    out.json = json_of(runs);
    return out;
}

}  // namespace limber::bench

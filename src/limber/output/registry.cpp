// SPDX-License-Identifier: Apache-2.0
#include "limber/output/registry.h"

#include <algorithm>

#include "limber/core/errors.h"
#include "limber/io/file.h"
#include "limber/output/contacts_output.h"
#include "limber/output/joints_csv.h"
#include "limber/output/probes_csv.h"
#include "limber/output/progress.h"
#include "limber/output/report.h"
#include "limber/output/run_folder.h"
#include "limber/output/solver_csv.h"
#include "limber/output/steps_csv.h"
#include "limber/output/summary.h"
#include "limber/output/vtu_series.h"

namespace limber {

namespace {

using Made = std::unique_ptr<Observer>;

// In the order they are told: the summary reads steps.csv when it resumes, the report reads both.
const ObserverEntry observers[] = {
    {"steps", false,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<StepsCsv>(o.dir); },
     "steps.csv: times, iterations, energies and contacts of every step"},
    {"solver", false,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<SolverCsv>(o.dir); },
     "a table of the solver's own, such as modes.csv"},
    {"probes", false,
     [](const RunOutputOptions& o) -> Made {
         return std::make_unique<ProbesCsv>(o.dir, o.probe_every);
     },
     "probes/<name>.csv: motion, centre of mass, forces and strain at the scene's probes"},
    {"joints", false,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<JointsCsv>(o.dir); },
     "joints.csv: forces, lengths and pressures of attachments, cables, cavities and needles"},
    {"vtu", true,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<VtuSeries>(o.dir, o.every); },
     "vtu/series.pvd and vtu/<body>_000123.vtu, for ParaView"},
    {"contacts", true,
     [](const RunOutputOptions& o) -> Made {
         return std::make_unique<ContactsOutput>(o.dir, o.every);
     },
     "contacts.csv and contacts/contacts_000123.vtu: where bodies touch and with what force"},
    {"summary", false,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<Summary>(o); },
     "summary.json: the run in one object"},
    {"report", false,
     [](const RunOutputOptions& o) -> Made { return std::make_unique<Report>(o.dir); },
     "report.html: plots that open offline"},
};

bool asked_for(const ObserverEntry& entry, const RunOutputOptions& options) {
    return !entry.format || std::find(options.formats.begin(), options.formats.end(), entry.name) !=
                                options.formats.end();
}

void check_formats(const RunOutputOptions& options) {
    for (const std::string& wanted : options.formats) {
        std::string known;
        bool found = false;
        for (const ObserverEntry& entry : observers)
            if (entry.format) {
                known += (known.empty() ? "" : ", ") + std::string(entry.name);
                found = found || entry.name == wanted;
            }
        if (!found)
            throw InputError("unknown output format '" + printable(wanted) +
                             "'; allowed: " + known);
    }
}

void prepare_folder(const World& world, const RunOutputOptions& options) {
    if (world.state().step == 0) {
        remove_earlier_run(options.dir);
        if (!options.scene_text.empty())
            write_file_atomic(options.dir + "/scene.toml", options.scene_text);
    }
    // One frame must fit, or the run would stop at its first output.
    require_free_space(options.dir, frame_bytes(world.model()));
}

}  // namespace

std::span<const ObserverEntry> observer_entries() {
    return observers;
}

void add_observers(World& world, const RunOutputOptions& options) {
    check_formats(options);
    if (!options.dir.empty()) {
        prepare_folder(world, options);
        for (const ObserverEntry& entry : observers)
            if (asked_for(entry, options)) world.add(entry.make(options));
    }
    // Last, so that a line is on the screen only when the files of its step are written.
    if (options.log != LogKind::none) world.add(std::make_unique<Progress>(options));
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "limber/fem/corotation.h"
#include "limber/output/csv_log.h"
#include "limber/sim/observer.h"
#include "limber/sim/world.h"

namespace limber {

/// probes/<name>.csv for every probe of the model: a row at the start and every `every` steps, with
/// means over the probe's nodes, their centre of mass, sums of the forces on them, and the mean
/// strain of the tets that touch them, weighted by their volume. Columns are in docs/results.md.
class ProbesCsv final : public Observer {
  public:
    explicit ProbesCsv(std::string dir, std::int64_t every = 1)
        : dir_(std::move(dir)), every_(every) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    /// The tets around one probe as a small mesh of their own: measuring all tets of a model for
    /// one node would cost more than the step.
    struct Neighbourhood {
        std::vector<Index> nodes;  // model indices
        ElementSet elements;
        std::vector<double> weight;  // of each tet, sum 1
        std::vector<Vec3d> x;
        std::vector<TetMeasure> measures;
        CsvLog log;
    };
    static void cut_out(const Model& model, const Probe& probe, Neighbourhood& part);
    void open_logs(const World& world);
    void append_rows(const World& world);

    std::string dir_, row_;
    std::int64_t every_;
    std::vector<std::unique_ptr<Neighbourhood>> probes_;  // one per Model::probes
};

std::string probe_header();

}  // namespace limber

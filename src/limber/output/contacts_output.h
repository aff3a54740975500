// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/io/vtk/vtu_writer.h"
#include "limber/output/csv_log.h"
#include "limber/sim/observer.h"

namespace limber {

/// The contacts of every frame: contacts.csv, a row each, and contacts/contacts_000123.vtu, a point
/// each, with contacts/series.pvd at the end of the run. Forces act on `body`: the whole, and its
/// parts along the normal and across it (friction). Columns and arrays are in docs/results.md.
class ContactsOutput final : public Observer {
  public:
    ContactsOutput(std::string dir, std::int64_t every) : dir_(std::move(dir)), every_(every) {}
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;
    void end(const World& world) override;

  private:
    void write_rows(const World& world);
    void write_frame(const World& world);

    std::string dir_, folder_, row_;
    std::int64_t every_;
    CsvLog log_;
    std::vector<PvdEntry> frames_;
    std::vector<Vec3d> point_, normal_, force_, normal_force_, friction_;
    std::vector<double> gap_;
    std::vector<std::int32_t> body_, other_, obstacle_, status_;
};

std::string contacts_header();

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/fem/corotation.h"
#include "limber/sim/observer.h"
#include "limber/sim/world.h"

namespace limber {

/// vtu/series.pvd and vtu/<body>_000123.vtu, every `every` steps from step 0 on; the skin of a body
/// beside it as vtu/<body>_skin_000123.vtu, vertices in the order of the skin's file. The arrays
/// are in docs/results.md.
class VtuSeries final : public Observer {
  public:
    VtuSeries(std::string dir, std::int64_t every);
    ~VtuSeries() override;
    void begin(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    void write_frame(const World& world);
    void write_body(const World& world, std::size_t b, const std::string& path);
    void measure_cloth(const Model& model, const Body& body, std::span<const Vec3d> x);
    void add_rigid(const Body& body);
    void write_skin(const World& world, std::size_t b, const std::string& path);
    void list_earlier_frames(const World& world);
    void start_pvd(const std::string& entries);
    std::string pvd_entries(std::int64_t step, double time) const;

    std::string dir_, folder_;
    std::int64_t every_;
    std::vector<std::string> stems_;    // file name of each body
    std::vector<TetMeasure> measures_;  // one per tet
    CellFields fields_;                 // of the solver
    std::vector<Vec3d> displacement_;
    std::vector<Vec3d> force_;  // external and contact forces together [N]
    std::vector<double> von_mises_, det_F_;
    std::vector<std::int32_t> material_;
    std::vector<Tet> tets_;            // of one body, counted from its first node
    std::vector<Triangle> triangles_;  // of a cloth, likewise
    std::vector<Vec3d> skin_x_, skin_v_, skin_u_;
    int pvd_ = -1;           // file descriptor
    std::int64_t tail_ = 0;  // where the next entry of the .pvd goes [bytes]
};

/// File names of the bodies of a model, in order: vtu/<stem>_000123.vtu.
std::vector<std::string> body_stems(const Model& model);
/// Of the skin of the body with this stem. A body of that very name would clash: see build_model.
std::string skin_stem(const std::string& stem);

/// Size of one frame of all bodies, about [bytes].
std::uint64_t frame_bytes(const Model& model);

}  // namespace limber

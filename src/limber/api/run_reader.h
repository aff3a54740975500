// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/core/export.h"

namespace limber::api {

/// A body in one frame of a run folder; n points, m tets, k triangles of a skin or a body without
/// tets.
struct LIMBER_API Frame {
    std::string body;
    std::vector<double> x, displacement, v;  // 3 n [m], [m/s]
    std::vector<std::int32_t> tets;          // 4 m
    std::vector<double> stress;              // von Mises, m [Pa]
    std::vector<std::int32_t> triangles;     // 3 k
};

/// What a run wrote (docs/results.md). Frames are read when they are asked for.
class LIMBER_API RunReader {
  public:
    /// InputError where the folder holds no run.
    explicit RunReader(const std::string& folder);
    const std::string& folder() const { return folder_; }
    /// A text file of the folder by its name: "summary.json", "steps.csv".
    std::string text(const std::string& name) const;
    std::vector<std::int64_t> frame_steps() const;
    /// All bodies at a step that has a frame.
    std::vector<Frame> frame(std::int64_t step) const;

  private:
    std::string folder_;
};

}  // namespace limber::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "limber/sim/world.h"
#include "limber/view/colours.h"
#include "limber/view/command.h"
#include "limber/view/describe.h"
#include "limber/view/display_surface.h"
#include "limber/view/frame_message.h"
#include "limber/view/hand.h"

namespace limber {

/// A world as the page sees and touches it: frames, statistics, colours, and the hand. Who steps it
/// and what else may be done to it is the business of others (LiveSession, ProgramView).
class WorldOnPage {
  public:
    /// From now on of this world, for the page a scene of a new number. Borrows both. Throws before
    /// anything changes.
    void show(const World& world, Hand& hand);

    const DisplaySurface& surface() const { return *surface_; }
    bool in_surface(const SurfacePick& pick) const {
        return pick.triangle < static_cast<Index>(surface_->triangles().size());
    }
    std::uint32_t scene() const { return scene_number_; }
    const std::string& colour() const { return colour_; }
    bool shows_contacts() const { return show_contacts_; }

    /// Pulls, pushes, and chooses what is seen. False: the command is none of these.
    bool handle(const Command& command);
    void stepped(const StepReport& report);
    void describe(SceneDescription& out) const;  // all that follows from the model
    std::string geometry() const;
    std::string frame();
    /// Of the steps since the last call; empty: there were none.
    std::string take_stats();

  private:
    void start_pull(const Command& command);

    const World* world_ = nullptr;
    Hand* hand_ = nullptr;
    std::unique_ptr<DisplaySurface> surface_;
    std::uint32_t scene_number_ = 0, frame_number_ = 0;
    bool show_contacts_ = false;
    std::string colour_;
    Colours colours_;
    std::vector<StepReport> reports_;
    std::vector<float> positions_;
    std::vector<ObstaclePose> poses_;
    std::vector<ForceArrow> arrows_;
    std::vector<std::array<Vec3d, 2>> cables_;
};

/// Whether the hand's springs can be terms of this solver's matrix.
bool takes_implicit_springs(const SceneDef& scene);

}  // namespace limber

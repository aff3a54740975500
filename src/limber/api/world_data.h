// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "limber/api/control_data.h"
#include "limber/api/world.h"
#include "limber/core/errors.h"
#include "limber/fem/corotation.h"
#include "limber/scene/scene.h"
#include "limber/sim/world.h"

namespace limber {
class ProgramView;
}  // namespace limber

namespace limber::api {

/// What a World is made of, for the sources beside its own.
struct World::Data {
    SceneDef scene;
    std::uint64_t hash = 0;
    std::vector<std::string> warnings;
    std::unique_ptr<limber::World> world;
    std::unique_ptr<Control> control;
    std::vector<std::unique_ptr<Observer>> observers;
    ProgramView* view = nullptr;  // one of the world's observers, from the first View on
    std::vector<BodyInfo> bodies;
    std::string solver;
    std::vector<ContactRecord> contacts;
    bool measuring = false;
    std::atomic<bool> in_use = false;
    std::vector<TetMeasure> measures;
    std::vector<double> stress, det_F;

    void measure();
    void begin_to_measure();
    const Body& body(const std::string& name) const;
};

/// A world is for one thread at a time: two would leave it in no state at all.
class World::InUse {
  public:
    explicit InUse(Data& data) : data_(data) {
        if (data_.in_use.exchange(true))
            throw InputError(
                "this world is in use by another thread; allowed: one thread at a time");
    }
    ~InUse() { data_.in_use = false; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

  private:
    Data& data_;
};

}  // namespace limber::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/core/export.h"

namespace limber::api {

struct LIMBER_API PinInfo {
    std::string label;                // "pin 0 (body 'bar')"
    std::vector<std::int32_t> nodes;  // of the world
    bool driven = false;
};

/// A cable's pull, a cavity's volume or pressure.
struct LIMBER_API DriveInfo {
    std::string name, what, unit;  // "tendon", "pull", "m"
    double value = 0;              // at the end of the last step, or what was asked for since
    bool driven = false;           // no longer along its key frames
};

/// The one way into a running world: written between steps, seen by the next one, part of its
/// checkpoints. Nothing is forgotten after a step.
class LIMBER_API Control {
  public:
    ~Control();
    /// On each node, three numbers a node, in addition to the scene's loads [N]. Stays where it is
    /// in memory.
    std::span<double> force();
    std::span<double> gravity();  // three numbers, in place of the scene's [m/s^2]

    std::vector<PinInfo> pins() const;
    /// The targets of a pin's nodes, three numbers each: where they are at the end of the next step
    /// [m]. From the first call on the pin follows them, from where it is, instead of key frames.
    std::span<double> pin_target(std::size_t pin);
    void release_pin(std::size_t pin);  // key frames again

    std::vector<DriveInfo> drives() const;
    /// Gone to within the next step along a straight line. InputError where there is no such drive.
    void drive(const std::string& name, double value);
    void release_drive(const std::string& name);

    void clear();  // as if nothing had ever been written
    /// InputError that names a value which no step can take.
    void check() const;

  private:
    friend class World;
    struct Data;
    explicit Control(const Data& data);
    std::size_t drive_index(const std::string& name) const;
    std::unique_ptr<Data> data_;
};

}  // namespace limber::api

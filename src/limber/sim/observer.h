// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/core/bytes.h"

namespace limber {

class World;
struct StepReport;

/// Looks at a run from outside: files, progress, viewer. Borrowed nothing, changes nothing but its
/// own output.
class Observer {
  public:
    virtual ~Observer() = default;
    /// Once, before the first step of this process; world.state().step > 0 when resuming.
    virtual void begin(const World&) {}
    virtual void before_step(const World&) {}
    virtual void after_step(const World&, const StepReport&) {}
    /// Once, after the last step, also after a failure or an interrupt.
    virtual void end(const World&) {}
};

}  // namespace limber

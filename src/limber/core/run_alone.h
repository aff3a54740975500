// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// While it lives, parallel work of this thread runs on this thread alone: for a thread that works
/// beside the one that has the others. Limits that come and go meanwhile do not touch it.
class RunAlone {
  public:
    RunAlone();
    ~RunAlone();
    RunAlone(const RunAlone&) = delete;
    RunAlone& operator=(const RunAlone&) = delete;

  private:
    bool outer_;
};

}  // namespace limber

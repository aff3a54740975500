// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/view/describe.h"
#include "limber/view/frame_message.h"
#include "limber/view/replay_run.h"
#include "limber/view/session.h"

namespace limber {

/// One run, or two side by side: the second follows the first in time, and colours may show how far
/// apart they are.
class ReplaySession final : public Session {
  public:
    explicit ReplaySession(const std::vector<std::string>& dirs);

    void announce(ViewServer& server) override;
    void handle(const Command& command, ViewServer& server) override;
    void uploaded(const std::string& file, ViewServer& server) override;
    void advance(ViewServer& server) override;
    double interval() const override;
    bool playing() const override { return playback_.playing; }
    double speed() const override { return playback_.speed; }
    bool changed() const override { return changed_; }
    std::string frame() override;
    std::string take_stats() override { return {}; }
    std::string status() const;

  private:
    /// A frame that cannot be read is told, and the picture before it stands in for it.
    void seek(std::size_t frame, ViewServer& server);
    void load_contacts(ViewServer& server);
    void fill_values();
    void show_contacts(bool on);

    std::vector<ReplayRun> runs_;
    bool comparable_ = false;  // the same vertices in both
    std::size_t at_ = 0;
    std::uint32_t frame_number_ = 0;
    Playback playback_;
    bool changed_ = true, show_contacts_ = false;
    std::string colour_;
    std::vector<float> positions_, values_;
    std::vector<ForceArrow> arrows_;
};

/// The rows of a run's steps.csv as a history message, thinned to at most `rows`; empty where the
/// run has none.
std::string history_message(const std::string& dir, std::size_t rows = 2000);

}  // namespace limber

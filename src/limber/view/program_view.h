// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "limber/scene/scene.h"
#include "limber/sim/world.h"
#include "limber/view/session.h"
#include "limber/view/world_on_page.h"

namespace limber {

/// The live page of a world that a program steps: an observer that does before a step what the page
/// asks for and sends after it what is there. The page pulls, pushes and drives; what needs another
/// model, and play and pause, which belong to the program, are refused in words.
///
/// Everything is done on the thread that steps or calls, but for the server's sending. open() and
/// update() are for between two steps; close() may come from any thread at any time.
class ProgramView final : public Observer {
  public:
    /// Borrows the world, which owns this as one of its observers, and puts a Hand around its
    /// contact method: one that does nothing, which is most of the time, changes no bit.
    ProgramView(World& world, const SceneDef& scene, std::vector<std::string> warnings);

    /// SystemError where the port is taken.
    void open(const ServerOptions& options);
    /// Waits for what the page is being sent, never for a client. The hand lets go.
    void close();
    bool is_open() const;
    /// Does what the page asks for and sends the state of now, whoever looks now or later.
    void update();
    std::string url() const;  // empty where it is closed
    int port() const;         // 0 where it is closed
    int clients() const;

    void before_step(const World& world) override;
    void after_step(const World& world, const StepReport& report) override;

  private:
    using Clock = std::chrono::steady_clock;
    /// A drive on its way to where the page wants it.
    struct Driven {
        std::size_t drive = 0;
        double target = 0, speed = 0;  // at most, in units of the drive over seconds
    };
    void handle(const Command& command);
    void drive(const std::string& name, double value);
    void lead_drives();
    void send_frame();
    void send_stats();
    std::string status() const;
    void announce();

    World& world_;
    SceneDef scene_;
    std::vector<std::string> warnings_;
    Hand* hand_ = nullptr;  // the world's contact method
    WorldOnPage page_;
    std::vector<Drive> drives_;  // of the scene, for names and ranges
    std::vector<Driven> driven_;
    std::int64_t since_ = 0;  // the step at which it was opened; the verdict counts from there
    std::string failure_, told_verdict_;
    bool by_hand_ = false;
    Clock::time_point next_frame_{}, next_stats_{};
    mutable std::mutex mutex_;            // of all that follows the server's being there
    std::unique_ptr<ViewServer> server_;  // null: closed
};

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "limber/scene/build/model.h"
#include "limber/scene/scene.h"
#include "limber/solve/model.h"

namespace limber {

/// A scene read and built, not yet running.
struct PreparedScene {
    std::string file;
    LoadOptions load;
    SceneDef scene;
    BuildReport built;
    std::unique_ptr<Model> model;
    std::string remark;  // of a dropped file: what was made of it
};
/// Throws InputError and SystemError as its parts do.
PreparedScene prepare_scene(const std::string& file, const LoadOptions& load);

/// A dropped file made into a scene on a thread of its own, so that the one that runs goes on.
class UploadWork {
  public:
    /// `done` is called from that thread at the end.
    UploadWork(std::string file, std::function<void()> done);
    /// Cancels, and waits for the thread.
    ~UploadWork();
    UploadWork(const UploadWork&) = delete;
    UploadWork& operator=(const UploadWork&) = delete;

    /// Its result is not wanted any more. It ends at its next look, which reading and building have
    /// only between them.
    void cancel() { cancelled_ = true; }
    bool cancelled() const { return cancelled_; }
    bool done() const { return done_; }
    /// "filling, 40 %"
    std::string progress() const;
    /// Once it is done: the scene. What went wrong is thrown.
    PreparedScene take();

  private:
    void work(const std::string& file);
    void tell(std::string_view stage, double share);

    std::atomic<bool> cancelled_{false}, done_{false};
    mutable std::mutex mutex_;
    std::string progress_;
    PreparedScene result_;
    std::exception_ptr wrong_;
    std::thread thread_;
};

}  // namespace limber

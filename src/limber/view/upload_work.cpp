// SPDX-License-Identifier: Apache-2.0
#include "limber/view/upload_work.h"

#include <utility>

#include "limber/core/errors.h"
#include "limber/core/run_alone.h"
#include "limber/view/upload.h"

namespace limber {

namespace {

struct Cancelled {};

}  // namespace

PreparedScene prepare_scene(const std::string& file, const LoadOptions& load) {
    PreparedScene out{file, load, load_scene(file, load), {}, nullptr, ""};
    if (out.scene.time.analysis != Analysis::dynamic)
        throw InputError(out.scene.time.origin.at("analysis"),
                         "the live page shows a dynamic analysis; limber run does the others");
    out.model = std::make_unique<Model>(build_model(out.scene, out.built));
    return out;
}

UploadWork::UploadWork(std::string file, std::function<void()> done) {
    thread_ = std::thread([this, file = std::move(file), done = std::move(done)] {
        const RunAlone beside_the_steps;
        try {
            work(file);
        } catch (const Cancelled&) {
            cancelled_ = true;
        } catch (...) {
            wrong_ = std::current_exception();
        }
        done_ = true;
        done();
    });
}

UploadWork::~UploadWork() {
    cancel();
    thread_.join();
}

void UploadWork::work(const std::string& file) {
    const UploadedScene made =
        scene_of_upload(file, [this](std::string_view stage, double share) { tell(stage, share); });
    tell("building the model", 0);
    result_ = prepare_scene(made.scene, {});
    result_.remark = made.remark;
    for (const std::string& warning : result_.built.warnings) result_.remark += '\n' + warning;
}

void UploadWork::tell(std::string_view stage, double share) {
    if (cancelled_) throw Cancelled{};
    const int percent = static_cast<int>(100 * share);
    const std::lock_guard lock(mutex_);
    progress_ = std::string(stage);
    if (percent > 0) progress_ += ", " + std::to_string(percent) + " %";
}

std::string UploadWork::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

PreparedScene UploadWork::take() {
    if (wrong_) std::rethrow_exception(wrong_);
    return std::move(result_);
}

}  // namespace limber

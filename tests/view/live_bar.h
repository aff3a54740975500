// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "limber/view/live.h"
#include "view/view_scene.h"

namespace limber::test {

/// The bar of bar.toml as a live session, without anybody who looks.
struct Live {
    explicit Live(const std::string& more = "", std::vector<std::string> sets = {})
        : file(bar_scene(folder, more)) {
        LiveOptions o;
        o.scene = file;
        o.load.sets = std::move(sets);
        o.gallery = {{"other", "another bar",
                      bar_scene(folder,
                                "[[body]]\nname = \"two\"\nshape = \"box\"\n"
                                "translate = [0, 2, 0]\n",
                                "other.toml")},
                     {"pneunet", "", LIMBER_SOURCE_DIR "/scenes/pneunet.toml"},
                     {"broken", "", folder.file("broken.toml", "limber = 1\nyoung = 3\n")}};
        session = std::make_unique<LiveSession>(o);
    }
    void tell(const std::string& json) { session->handle(parse_command(json), server); }
    void advance(int n) {
        for (int k = 0; k < n; ++k) session->advance(server);
    }
    const State& state() const { return session->world().state(); }
    nlohmann::json status() const { return nlohmann::json::parse(session->status()); }

    TempFolder folder;
    std::string file;
    ViewServer server{{}};
    std::unique_ptr<LiveSession> session;
};

/// A surface triangle at the free end of the bar.
inline SurfacePick free_end(const Live& live) {
    const DisplaySurface surface(live.session->world().model());
    for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
        const SurfacePick pick{static_cast<Index>(t), {1.0 / 3, 1.0 / 3, 1.0 / 3}};
        if (surface.stencil(pick).gather(live.session->world().model().mesh.nodes).x > 0.49)
            return pick;
    }
    throw std::runtime_error("no free end");
}
inline std::string pick_json(const SurfacePick& pick) {
    return "\"triangle\":" + std::to_string(pick.triangle) + ",\"weight\":[0.3333,0.3333,0.3334]";
}
inline double farthest(const Live& live) {
    double out = 0;
    for (std::size_t i = 0; i < live.state().x.size(); ++i)
        out = std::max(out, norm(live.state().x[i] - live.session->world().model().mesh.nodes[i]));
    return out;
}

}  // namespace limber::test

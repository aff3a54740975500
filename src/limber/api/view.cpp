// SPDX-License-Identifier: Apache-2.0
#include "limber/api/view.h"

#include "limber/api/world_data.h"
#include "limber/view/program_view.h"

namespace limber::api {

struct View::Data {
    World::Data& world;
    ProgramView& page;  // the world's
    std::string url;
    int port = 0;
    std::atomic<bool> closed = false;  // the page may be open again, by another View
};

View::View(World& world, const ViewOptions& options) {
    World::Data& d = *world.data_;
    if (options.port < 0 || options.port > 65535)
        throw InputError("port = " + std::to_string(options.port) + "; allowed: 0 to 65535");
    const World::InUse in_use(d);
    if (!d.view) {
        auto made = std::make_unique<ProgramView>(*d.world, d.scene, d.warnings);
        ProgramView* const view = made.get();
        d.world->add(std::move(made));
        d.view = view;
    }
    ServerOptions server;
    server.address = options.host;
    server.port = options.port;
    d.view->open(server);
    data_.reset(new Data{d, *d.view, d.view->url(), d.view->port()});
}

View::~View() {
    if (data_) close();
}
View::View(View&&) noexcept = default;
View& View::operator=(View&& other) noexcept {
    if (data_ && this != &other) close();
    data_ = std::move(other.data_);
    return *this;
}

const std::string& View::url() const {
    return data_->url;
}
int View::port() const {
    return data_->port;
}

void View::update() {
    if (data_->closed) throw InputError("this view is closed");
    const World::InUse in_use(data_->world);
    data_->page.update();
}

void View::close() {
    if (!data_->closed.exchange(true)) data_->page.close();
}

bool View::closed() const {
    return data_->closed;
}
int View::clients() const {
    return data_->closed ? 0 : data_->page.clients();
}

}  // namespace limber::api

// SPDX-License-Identifier: Apache-2.0
// In place of view.cpp where the live page is not built.
#include "limber/api/view.h"
#include "limber/core/errors.h"

namespace limber::api {

struct View::Data {
    std::string url;
};

View::View(World&, const ViewOptions&) {
    throw InputError(
        "this limber was built without the live page; install libboost-dev and build it again with "
        "-DLIMBER_VIEW=ON");
}
View::~View() = default;
View::View(View&&) noexcept = default;
View& View::operator=(View&&) noexcept = default;

// There is no View to call these on.
const std::string& View::url() const {
    return data_->url;
}
int View::port() const {
    return 0;
}
void View::update() {}
void View::close() {}
bool View::closed() const {
    return true;
}
int View::clients() const {
    return 0;
}

}  // namespace limber::api

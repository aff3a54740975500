// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "limber/api/world.h"
#include "limber/core/export.h"

namespace limber::api {

struct LIMBER_API ViewOptions {
    int port = 0;      // 0: any free one
    std::string host;  // address to listen on, "0.0.0.0" for all; empty: this machine only
};

/// The live page of a world that a program goes on stepping: each step does first what the page
/// asked for (pull, push, drives, colours) and sends afterwards what there is to see, without
/// waiting for whoever looks. What the program alone decides, play and pause or another solver, the
/// page is refused.
class LIMBER_API View {
  public:
    /// The world outlives the view, and has one at a time. InputError where this limber has no live
    /// page; SystemError where the port is taken.
    explicit View(World& world, const ViewOptions& options = {});
    ~View();  // closes
    View(View&&) noexcept;
    View& operator=(View&&) noexcept;

    const std::string& url() const;  // with the token that lets one in
    int port() const;
    /// Between two steps, where none are taken for a while or the state was changed: does what the
    /// page asks for and sends the state of now.
    void update();
    /// Ends serving. From any thread, also while another one steps.
    void close();
    bool closed() const;
    int clients() const;  // that look at it now

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace limber::api

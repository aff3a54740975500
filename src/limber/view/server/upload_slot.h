// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "limber/view/server/request_check.h"
#include "limber/view/server/server.h"

namespace limber {

/// The one mesh that may be on its way, and the file it goes to.
class UploadSlot {
  public:
    /// `options` must outlive it.
    explicit UploadSlot(const ServerOptions& options) : options_(options) {}

    /// Why this mesh is not taken; nothing: it is, into file(), and end() must follow.
    std::optional<Refusal> begin(const RequestHead& asked);
    /// Of the mesh that was begun last. Of the name that the client gave only the ending is in it.
    const std::string& file() const { return file_; }
    /// Nothing where the mesh has come whole. Otherwise what to answer, `wrong` or what is wrong
    /// with the file, and the file is gone.
    std::optional<Refusal> end(std::optional<Refusal> wrong);

  private:
    const ServerOptions& options_;
    std::string file_;
    int begun_ = 0;  // meshes so far
    bool busy_ = false;
};

}  // namespace limber

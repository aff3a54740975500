// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace limber {

/// One file of the page, compiled into the program.
struct PageFile {
    std::string_view path;  // "/page.js": what a browser asks for
    std::string_view type;  // of its content
    std::string_view bytes;
};

/// The whole page; written by view/page/bundle.mjs at build time. Nothing else is ever served.
std::span<const PageFile> page_files();
/// InputError that says how to add it where it is not there.
void require_page();

}  // namespace limber

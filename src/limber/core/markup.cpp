// SPDX-License-Identifier: Apache-2.0
#include "limber/core/markup.h"

namespace limber {

std::string markup_escaped(std::string_view text) {
    std::string out;
    for (char c : text) switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    return out;
}

}  // namespace limber

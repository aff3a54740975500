// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "limber/view/display_surface.h"

namespace limber {

enum class Verb {
    play,
    pause,
    step,
    reset,
    speed,
    pull,
    move,
    release,
    pin,
    unpin,
    tool,
    tool_off,
    drive,
    colour,
    contacts,
    set,
    open,
    record,
    seek,
    cancel,
};
std::string_view verb_name(Verb verb);

/// One command of the page (docs/view_protocol.md). Fields that its verb does not use are empty.
struct Command {
    Verb verb = Verb::pause;
    std::string text;     // colour, open, drive: a name; set: a path
    std::string literal;  // set: the value as TOML
    double value = 0;     // speed, pull stiffness, tool radius, drive, seek
    bool on = false;      // contacts, record
    Vec3d point;          // pull, move, tool [m]
    SurfacePick pick;     // pull, pin
};

/// Everything is checked: known verb, exactly its fields, their types, finite numbers in range. An
/// InputError says what was wrong.
Command parse_command(std::string_view json);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/errors.h"
#include "limber/scene/format/field_visitors.h"

namespace limber {

/// Of entries that have none.
struct NoOptions {};
template <class Visitor>
void fields(Visitor&, NoOptions&) {}

/// What names of scenes stand for: ours, and what a program adds before it reads scenes.
template <class Entry>
class EntryList {
  public:
    explicit EntryList(std::vector<Entry> entries) {
        entries_.reserve(room);
        cases_.reserve(room);
        for (const Entry& entry : entries) add(entry);
    }
    /// References to entries stay what they are.
    void add(const Entry& entry) {
        if (find_case(cases_, entry.options.name) || entries_.size() == room)
            throw Bug("'" + std::string(entry.options.name) + "' cannot be added");
        entries_.push_back(entry);
        cases_.push_back(entry.options);
    }
    std::span<const Entry> entries() const { return entries_; }
    std::span<const OptionCase> cases() const { return cases_; }
    const Entry& of(std::string_view name) const {
        for (const Entry& entry : entries_)
            if (entry.options.name == name) return entry;
        throw Bug("no entry '" + std::string(name) + "'");
    }

  private:
    static constexpr std::size_t room = 64;
    std::vector<Entry> entries_;
    std::vector<OptionCase> cases_;
};

}  // namespace limber

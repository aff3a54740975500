// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/error_list.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace limber {

namespace {

/// More would hide the first ones.
constexpr std::size_t max_shown = 20;

}  // namespace

void ErrorList::throw_if_any() const {
    if (errors_.empty()) return;
    std::map<std::string, std::size_t> file_order;
    for (const InputError& error : errors_)
        file_order.emplace(error.place().file, file_order.size());
    std::vector<const InputError*> sorted;
    std::set<std::string> seen;  // a default that many entries share is wrong once
    for (const InputError& error : errors_)
        if (seen.insert(error.what()).second) sorted.push_back(&error);
    std::stable_sort(sorted.begin(), sorted.end(), [&](const InputError* a, const InputError* b) {
        const auto key = [&](const InputError& e) {
            return std::tuple(file_order.at(e.place().file), e.place().line, e.place().column);
        };
        return key(*a) < key(*b);
    });
    std::string text = sorted[0]->message();
    for (std::size_t i = 1; i < std::min(sorted.size(), max_shown); ++i)
        text += std::string("\n") + sorted[i]->what();
    if (sorted.size() > max_shown)
        text += "\nand " + std::to_string(sorted.size() - max_shown + n_left_out_) + " more errors";
    throw InputError(sorted[0]->place(), text);
}

}  // namespace limber

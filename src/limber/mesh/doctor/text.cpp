// SPDX-License-Identifier: Apache-2.0
#include "limber/mesh/doctor/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace limber {

std::vector<FileId> first_ids(std::span<const Index> found, const std::vector<FileId>& ids) {
    std::vector<FileId> out;
    for (const Index i : found.first(std::min(found.size(), max_listed))) out.push_back(ids[i]);
    return out;
}

std::string listed(std::span<const Index> found, const std::vector<FileId>& ids) {
    std::string text = fmt::format("{}", fmt::join(first_ids(found, ids), ", "));
    if (found.size() > max_listed) text += fmt::format(", ... ({} in all)", found.size());
    return text;
}

namespace {
Pairs first_pairs(Pairs pairs) {
    return pairs.first(std::min(pairs.size(), max_listed));
}
}  // namespace

std::string listed_pairs(Pairs pairs, const std::vector<FileId>& ids, const char* between) {
    std::string text;
    for (const auto& [a, b] : first_pairs(pairs))
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", ids[a], between, ids[b]);
    if (pairs.size() > max_listed) text += ", ...";
    return text;
}

std::vector<FileId> pair_ids(Pairs pairs, const std::vector<FileId>& ids) {
    std::vector<FileId> out;
    for (const auto& [a, b] : first_pairs(pairs)) out.insert(out.end(), {ids[a], ids[b]});
    return out;
}

std::string tetrahedra(std::size_t n, const char* one, const char* many) {
    return n == 1 ? fmt::format("1 tetrahedron {}", one) : fmt::format("{} tetrahedra {}", n, many);
}
std::string plural(std::size_t n, const char* thing) {
    return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string and_others(std::span<const Index> found, const std::vector<FileId>& ids) {
    return found.size() < 2
               ? ""
               : fmt::format("; {} such: element {}", found.size(), listed(found, ids));
}

}  // namespace limber

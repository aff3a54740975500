// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/contact_system.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "limber/core/check.h"

namespace limber {

void ContactSystem::set_whole(const LinearOperator& A, std::span<const ContactTerm> terms) {
    whole_ = &A;
    rows_ = nullptr;
    n_nodes_ = A.n_nodes();
    ranges_.assign(1, {0, n_nodes_, 0});
    terms_.clear();
    for (const ContactTerm& term : terms) add(term);
}

void ContactSystem::set_bodies(const BlockCsr& A, const Model& model,
                               std::span<const Index> bodies) {
    whole_ = nullptr;
    rows_ = &A;
    n_nodes_ = 0;
    ranges_.clear();
    terms_.clear();
    for (const Index b : bodies) {
        const Body& body = model.bodies[b];
        // Neighbours in the model stay neighbours here.
        if (!ranges_.empty() && ranges_.back().end == body.node_begin)
            ranges_.back().end = body.node_end;
        else
            ranges_.push_back({body.node_begin, body.node_end, n_nodes_});
        n_nodes_ += body.node_end - body.node_begin;
    }
}

void ContactSystem::add(const ContactTerm& term) {
    if (term.at.n < 2 || term.block == Mat3d{}) return;
    ContactTerm local = term;
    for (int k = 0; k < term.at.n; ++k) {
        const auto range = std::upper_bound(ranges_.begin(), ranges_.end(), term.at.node[k],
                                            [](Index n, const Range& r) { return n < r.end; });
        LIMBER_CHECK(range != ranges_.end() && term.at.node[k] >= range->begin,
                     "a contact term stays within its island");
        local.at.node[k] = term.at.node[k] - range->begin + range->offset;
    }
    terms_.push_back(local);
}

double ContactSystem::apply(std::span<const Vec3d> x, std::span<Vec3d> y) const {
    double sum = 0;
    if (whole_) sum = whole_->apply(x, y);
    for (std::size_t r = 0; !whole_ && r < ranges_.size(); ++r) {
        const auto [begin, end, offset] = ranges_[r];
        const Index n = end - begin;
        sum += rows_->apply_rows(begin, x.subspan(offset, n), y.subspan(offset, n), partial_);
    }
    for (const ContactTerm& term : terms_) {
        const Vec3d u = term.at.gather(x), Bu = term.block * u;
        term.at.scatter(Bu, y);
        sum += dot(u, Bu);
    }
    return sum;
}

void ContactSystem::diagonal(std::span<Mat3d> blocks) const {
    if (whole_) whole_->diagonal(blocks);
    for (std::size_t r = 0; !whole_ && r < ranges_.size(); ++r)
        for (Index i = ranges_[r].begin; i < ranges_[r].end; ++i)
            blocks[i - ranges_[r].begin + ranges_[r].offset] =
                rows_->blocks()[rows_->diagonal_position(i)];
    for (const ContactTerm& term : terms_)
        for (int k = 0; k < term.at.n; ++k)
            blocks[term.at.node[k]] += (term.at.weight[k] * term.at.weight[k]) * term.block;
}

BlockCsr with_terms(const BlockCsr& A, std::span<const ContactTerm> terms) {
    const auto couples = [](const ContactTerm& t) { return t.at.n > 1 && t.block != Mat3d{}; };
    std::vector<std::pair<Index, Index>> extra;  // (row, column) that A has not
    for (const ContactTerm& term : terms | std::views::filter(couples))
        for (int k = 0; k < term.at.n; ++k)
            for (int l = 0; l < term.at.n; ++l)
                if (A.find(term.at.node[k], term.at.node[l]) < 0)
                    extra.emplace_back(term.at.node[k], term.at.node[l]);
    std::sort(extra.begin(), extra.end());
    extra.erase(std::unique(extra.begin(), extra.end()), extra.end());

    std::vector<Index> row_begin{0}, column;
    std::vector<Index> source;  // position in A, -1: new
    auto next = extra.begin();
    for (Index row = 0; row < A.n_nodes(); ++row) {
        for (Index k = A.row_begin()[row]; k < A.row_begin()[row + 1]; ++k) {
            for (; next != extra.end() && *next < std::pair(row, A.column()[k]); ++next) {
                column.push_back(next->second);
                source.push_back(-1);
            }
            column.push_back(A.column()[k]);
            source.push_back(k);
        }
        for (; next != extra.end() && next->first == row; ++next) {
            column.push_back(next->second);
            source.push_back(-1);
        }
        row_begin.push_back(static_cast<Index>(column.size()));
    }
    BlockCsr out(std::move(row_begin), std::move(column));
    for (std::size_t k = 0; k < source.size(); ++k)
        out.blocks()[k] = source[k] < 0 ? Mat3d{} : A.blocks()[source[k]];
    for (const ContactTerm& term : terms | std::views::filter(couples))
        for (int k = 0; k < term.at.n; ++k)
            for (int l = 0; l < term.at.n; ++l)
                out.blocks()[out.find(term.at.node[k], term.at.node[l])] +=
                    (term.at.weight[k] * term.at.weight[l]) * term.block;
    return out;
}

Islands::Islands(const Model& model) {
    const Index n = static_cast<Index>(model.bodies.size());
    body_of_node_.resize(model.n_nodes());
    for (Index b = 0; b < n; ++b)
        std::fill(body_of_node_.begin() + model.bodies[b].node_begin,
                  body_of_node_.begin() + model.bodies[b].node_end, b);
    root_.resize(n);
    island_.resize(n);
    begin_.reserve(n + 1);
    members_.resize(n);
    find({});
}

void Islands::find(std::span<const ContactTerm> terms) {
    const Index n = static_cast<Index>(root_.size());
    for (Index b = 0; b < n; ++b) root_[b] = b;
    const auto root = [&](Index b) {
        while (root_[b] != b) b = root_[b] = root_[root_[b]];
        return b;
    };
    for (const ContactTerm& term : terms) {
        if (term.at.n < 2 || term.block == Mat3d{}) continue;
        for (int k = 1; k < term.at.n; ++k) {
            const Index a = root(body_of_node_[term.at.node[0]]);
            const Index b = root(body_of_node_[term.at.node[k]]);
            root_[std::max(a, b)] = std::min(a, b);
        }
    }
    // Roots are the first bodies of their groups, so islands come out in their order.
    begin_.assign(1, 0);
    Index n_islands = 0, next = 0;
    for (Index b = 0; b < n; ++b)
        if (root(b) == b) island_[b] = n_islands++;
    for (Index i = 0; i < n_islands; ++i) {
        for (Index b = 0; b < n; ++b)
            if (island_[root(b)] == i) {
                island_[b] = i;
                members_[next++] = b;
            }
        begin_.push_back(next);
    }
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contact terms that tie several nodes together, inside and between bodies, and the linear systems
// that follow from them.

#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/linalg/block_csr.h"
#include "limber/solve/model.h"

namespace limber {

/// A of some bodies plus the contact terms of more than one node between them. Those are applied
/// one after the other, without a matrix: contacts come and go, the pattern of A stays. Nodes are
/// numbered locally, body after body.
class ContactSystem final : public LinearOperator {
  public:
    /// All nodes; A may be assembled or matrix-free. Keeps a reference to it.
    void set_whole(const LinearOperator& A, std::span<const ContactTerm> terms);
    /// The rows of these bodies alone. `terms` must not reach beyond them.
    void set_bodies(const BlockCsr& A, const Model& model, std::span<const Index> bodies);
    /// One more term, in the nodes of the model; terms of one node belong into A.
    void add(const ContactTerm& term);

    Index n_nodes() const override { return n_nodes_; }
    double apply(std::span<const Vec3d> x, std::span<Vec3d> y) const override;
    void diagonal(std::span<Mat3d> blocks) const override;

    /// Consecutive nodes of the model, the first of which is `offset` here.
    struct Range {
        Index begin = 0, end = 0, offset = 0;
    };
    std::span<const Range> ranges() const { return ranges_; }
    std::span<const ContactTerm> terms() const { return terms_; }  // in local numbers

  private:
    const LinearOperator* whole_ = nullptr;  // either all of this ...
    const BlockCsr* rows_ = nullptr;         // ... or these rows of that
    std::vector<Range> ranges_;
    std::vector<ContactTerm> terms_;
    Index n_nodes_ = 0;
    mutable std::vector<double> partial_;  // chunk sums of a product
};

/// A with the terms of several nodes added, in a pattern that has room for them: for
/// factorisations.
BlockCsr with_terms(const BlockCsr& A, std::span<const ContactTerm> terms);

/// Which bodies hang together through terms that act on A: groups in order of their first body,
/// bodies ascending. Each is a linear system of its own.
class Islands {
  public:
    explicit Islands(const Model& model);
    void find(std::span<const ContactTerm> terms);

    Index n() const { return static_cast<Index>(begin_.size()) - 1; }
    std::span<const Index> bodies(Index island) const {
        return std::span(members_).subspan(begin_[island], begin_[island + 1] - begin_[island]);
    }
    Index of_node(Index node) const { return island_[body_of_node_[node]]; }

  private:
    std::vector<Index> body_of_node_;
    std::vector<Index> root_;     // per body: the first body of its group
    std::vector<Index> island_;   // per body
    std::vector<Index> begin_;    // per island: its first entry of members_
    std::vector<Index> members_;  // bodies, island after island
};

}  // namespace limber

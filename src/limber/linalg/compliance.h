// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/linalg/constraint_rows.h"
#include "limber/linalg/dense_matrix.h"
#include "limber/linalg/supernodal.h"

namespace limber {

/// A⁻¹ of a step, as constraints need it: how nodes answer impulses [1/kg]. Symmetric positive
/// semidefinite; 0 on prescribed degrees of freedom.
class Compliance {
  public:
    virtual ~Compliance() = default;
    virtual Index n_nodes() const = 0;
    /// v = A⁻¹ f on all nodes.
    virtual void apply(std::span<const Vec3d> f, std::span<Vec3d> v) = 0;
    /// The isolated compliance (24) of Zeng et al. 2022: block (i, j) of `out` is the 3x3 block of
    /// A⁻¹ between nodes[i] and nodes[j]. Nodes are ascending, each once.
    virtual void between(std::span<const Index> nodes, DenseMatrix& out) = 0;
};

/// That of a factor.
template <class T>
class FactorCompliance final : public Compliance {
  public:
    explicit FactorCompliance(const SupernodalCholesky<T>& factor) : factor_(factor) {}
    Index n_nodes() const override { return factor_.n_nodes(); }
    void apply(std::span<const Vec3d> f, std::span<Vec3d> v) override { factor_.solve(f, v); }
    void between(std::span<const Index> nodes, DenseMatrix& out) override;

  private:
    const SupernodalCholesky<T>& factor_;
    std::vector<Vec3d> unit_, answer_;
};

extern template class FactorCompliance<double>;
extern template class FactorCompliance<float>;

/// W = H A⁻¹ Hᵀ by isolated nodes: what row r sees of an impulse on row s [1/kg].
class Delassus {
  public:
    void build(const ConstraintRows& H, Compliance& A, DenseMatrix& W);

  private:
    std::vector<Index> nodes_, slot_;
    DenseMatrix isolated_, half_;
};

}  // namespace limber

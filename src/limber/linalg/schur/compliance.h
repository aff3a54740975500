// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "limber/linalg/dense_matrix.h"
#include "limber/linalg/schur/constraint_rows.h"
#include "limber/linalg/schur/schur.h"
#include "limber/linalg/supernodal/cholesky.h"

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

    /// The matrix behind apply(), where it is one; it outlives the step's use. null: apply() is
    /// turned by rotations, of a stale factor, or has rigid bodies in it.
    struct Inverted {
        const BlockCsr* A = nullptr;
        FreeMask free;
        double flops = 0;  // of its factor
    };
    virtual Inverted inverted() const { return {}; }

    /// apply() to n vectors, one after the other in f and in v.
    virtual void apply_many(Index n, std::span<const Vec3d> f, std::span<Vec3d> v);
    /// What apply() gives at `nodes` for forces at `nodes`: f and v have one entry each.
    virtual void apply_between(std::span<const Index> nodes, std::span<const Vec3d> f,
                               std::span<Vec3d> v);

  private:
    std::vector<Vec3d> f_, v_;
};

/// That of a factor, or R (L Lᵀ)⁻¹ Rᵀ with a rotation of each node (Hecht et al. 2012, (4)). What
/// between() solved is kept in the frame of the factor until that changes: rotations may be new
/// every step.
template <class T>
class FactorCompliance final : public Compliance {
  public:
    explicit FactorCompliance(const SupernodalCholesky<T>& factor) : factor_(factor) {}
    Index n_nodes() const override { return factor_.n_nodes(); }
    /// One rotation a node, frame of the factor -> world, that outlives its use; none: no rotation.
    void set_rotations(std::span<const Mat3d> rotations) { rotations_ = rotations; }

    /// What was factorised, where the owner keeps it as long as the factor.
    void set_matrix(const BlockCsr* A) { A_ = A; }

    Inverted inverted() const override;
    void apply(std::span<const Vec3d> f, std::span<Vec3d> v) override { apply_many(1, f, v); }
    void apply_many(Index n, std::span<const Vec3d> f, std::span<Vec3d> v) override;
    void between(std::span<const Index> nodes, DenseMatrix& out) override;
    void apply_between(std::span<const Index> nodes, std::span<const Vec3d> f,
                       std::span<Vec3d> v) override;

    /// Of the last between().
    const SchurWork& work() const { return columns_.work(); }
    double kept_bytes() const { return columns_.kept_bytes(); }
    void forget() { columns_.forget(); }

  private:
    std::span<const Vec3d> turned_back(std::span<const Vec3d> f, std::span<const Index> nodes);

    const SupernodalCholesky<T>& factor_;
    std::span<const Mat3d> rotations_;
    const BlockCsr* A_ = nullptr;
    IsolatedColumns<T> columns_;
    std::vector<Vec3d> turned_;
};

extern template class FactorCompliance<double>;
extern template class FactorCompliance<float>;

/// A⁻¹ by partial factorisation: between() factorises A anew with its nodes eliminated last, so
/// that W̄ = (L_cc L_ccᵀ)⁻¹ with the last columns of L alone (Petra et al. 2014, as cited by Zeng et
/// al. 2022). It pays where a matrix serves one set of nodes only.
class PartialCompliance final : public Compliance {
  public:
    /// A and free outlive this.
    PartialCompliance(const BlockCsr& A, FreeMask free) : A_(A), free_(free) {}
    Index n_nodes() const override { return A_.n_nodes(); }
    void apply(std::span<const Vec3d> f, std::span<Vec3d> v) override;
    void between(std::span<const Index> nodes, DenseMatrix& out) override;

  private:
    void factorize(std::span<const Index> last);

    const BlockCsr& A_;
    FreeMask free_;
    SupernodalCholesky<double> factor_;
};

/// W = H A⁻¹ Hᵀ: what row r sees of an impulse on row s [1/kg]. Exactly symmetric.
class Delassus {
  public:
    /// `partial` is `isolated` for a PartialCompliance.
    void build(const ConstraintRows& H, Compliance& A, DenseMatrix& W,
               SchurMethod method = SchurMethod::isolated);
    /// In single precision, from sums in double.
    void build(const ConstraintRows& H, Compliance& A, DenseMatrixF& W,
               SchurMethod method = SchurMethod::isolated);

  private:
    template <class T>
    void build_by(const ConstraintRows& H, Compliance& A, DenseMatrixOf<T>& W, SchurMethod method);
    template <class T>
    void build_columns(const ConstraintRows& H, Compliance& A, DenseMatrixOf<T>& W, Index n_block);
    template <class T>
    void multiply(const ConstraintRows& H, DenseMatrixOf<T>& W);
    void multiply_rows(const ConstraintRows& H, Index r0, double* rows, double* lines) const;

    std::vector<Index> nodes_, slot_;
    std::vector<Index> entry_slot_;  // per entry of H
    DenseMatrix isolated_;           // W̄
    std::vector<Vec3d> forces_, answers_;
    std::vector<double> scratch_;
};

/// W y without W (Zeng et al. 2022, Alg. 2): H (A⁻¹ (Hᵀ y)), one solve a product.
class UnbuiltDelassus {
  public:
    /// H and A outlive this.
    UnbuiltDelassus(const ConstraintRows& H, Compliance& A);
    Index n_rows() const { return H_.n_rows(); }
    /// z = W y. Along the paths of the constrained nodes, or through the whole factor as the source
    /// does.
    void apply(std::span<const double> y, std::span<double> z, bool whole = false);

  private:
    const ConstraintRows& H_;
    Compliance& A_;
    std::vector<Index> nodes_, entry_slot_;
    std::vector<Vec3d> force_, answer_;
};

}  // namespace limber

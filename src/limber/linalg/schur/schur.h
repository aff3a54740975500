// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "limber/linalg/dense_matrix.h"
#include "limber/linalg/supernodal/cholesky.h"

namespace limber {

/// How W = H A⁻¹ Hᵀ is built (Zeng et al. 2022, sections 3.4 to 5). All give the same W.
enum class SchurMethod {
    columns,   // one solve a constraint (Alg. 1)
    blocked,   // the same for many constraints at a time
    isolated,  // A⁻¹ between the constrained nodes alone, then Ĥ W̄ Ĥᵀ (Alg. 3)
    partial,   // isolated, with a factor that eliminates the constrained nodes last
};
constexpr std::array<std::string_view, 4> enum_names(SchurMethod) {
    return {"columns", "blocked", "isolated", "partial"};
}

/// What the last IsolatedColumns::solve() did.
struct SchurWork {
    Index n_nodes = 0;         // asked for
    Index n_solved = 0;        // solved now; the others were kept from before
    double forward_flops = 0;  // S̄ = L⁻¹ Īᵀ, one multiply-add counts two
    double product_flops = 0;  // W̄ = S̄ᵀ S̄
    double factor_bytes = 0;   // of L on the paths, each supernode once
    double flops() const { return forward_flops + product_flops; }
};

/// What IsolatedColumns does for the nodes where f is not 0 when none of their columns is kept, in
/// operations of a whole factorisation. f has an entry a node, or none.
double columns_share(const SupernodalStructure& tree, std::span<const Vec3d> f,
                     std::vector<double>& scratch);

/// The isolated compliance W̄ = Ī A⁻¹ Īᵀ of a set of nodes (24), by S̄ = L⁻¹ Īᵀ and W̄ = S̄ᵀ S̄
/// (Alg. 3). A column of S̄ is zero outside the path from its node to the root, so only the
/// supernodes on the paths take part; at each of them the columns of all nodes below it are dense
/// and go through the strip kernels of the factor.
///
/// Columns and products are kept while the factor stays what it is, body by body (26)-(30): only
/// nodes that are new are solved, and only their rows of W̄ multiplied. Every entry is a sum in an
/// order that depends on its two nodes and the factor alone, so what was kept has the bits that
/// solving afresh would give, whatever the history and the number of threads.
template <class T>
class IsolatedColumns {
  public:
    IsolatedColumns();
    ~IsolatedColumns();
    IsolatedColumns(IsolatedColumns&&) noexcept;
    IsolatedColumns& operator=(IsolatedColumns&&) noexcept;

    /// Nodes are named once each. They stay those of gather() until the next call.
    void solve(const SupernodalCholesky<T>& factor, std::span<const Index> nodes);
    /// Block (i, j) of `out` is R_i W̄_ij R_jᵀ, with one rotation a node of the factor; none: W̄.
    void gather(DenseMatrix& out, std::span<const Mat3d> rotation = {});
    /// Drops all that is kept.
    void forget();
    const SchurWork& work() const;
    /// Memory of what is kept [B].
    double kept_bytes() const;

  private:
    struct Store;
    std::unique_ptr<Store> store_;
};

extern template class IsolatedColumns<double>;
extern template class IsolatedColumns<float>;

}  // namespace limber

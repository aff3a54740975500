// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of S̄ = L⁻¹ Īᵀ that are solved together, transposed: a row is a column of S̄, rows come in
// strips as those of the factor do, so that S̄ᵀ is to a front what further rows of L21 would be.

#include <cstdint>
#include <vector>

#include "limber/linalg/supernodal/numeric.h"

namespace limber {

// Columns of S̄ in a chunk: enough that a number of L that comes from memory is multiplied often,
// and few enough that a product of two chunks stays in the second-level cache.
constexpr Index chunk_nodes = 32;
constexpr Index chunk_columns = 3 * chunk_nodes;

/// Memory of strips that keeps what it has when less is asked for.
template <class T>
class GrowingStrips {
  public:
    T* reserve(std::size_t n) {
        if (n > size_) {
            memory_ = StripMemory<T>(n + n / 4);
            size_ = n + n / 4;
        }
        return memory_.data();
    }
    T* data() const { return memory_.data(); }
    double bytes() const { return static_cast<double>(size_ * sizeof(T)); }

  private:
    StripMemory<T> memory_;
    std::size_t size_ = 0;
};

template <class T>
struct ColumnChunk {
    static constexpr Index S = strip_lanes<T>;

    /// A supernode on the paths, and the strips that are not zero there: those of the nodes in its
    /// subtree.
    struct Place {
        Index s = 0;
        Index above = -1;       // place of the parent, -1: root
        Index q0 = 0, q1 = 0;   // strips
        Index c = 0;            // columns of the front
        std::size_t begin = 0;  // of strip q0
    };

    bool used = false;
    bool fresh = false;        // not solved yet
    std::vector<Index> nodes;  // in the order of elimination; node k has rows 3 k to 3 k + 2
    std::vector<Place> path;   // ascending
    GrowingStrips<T> rows;
    std::size_t size = 0;  // scalars in the rows
    Index root = -1;
    std::uint64_t stamp = 0;  // of the root when this was solved
    Index n_live = 0;         // nodes of the set now asked for
    int n_idle = 0;           // calls since one was

    Index n_strips() const { return (3 * static_cast<Index>(nodes.size()) + S - 1) / S; }
    T* strip(const Place& p, Index q) const {
        return rows.data() + p.begin + static_cast<std::size_t>(q - p.q0) * S * p.c;
    }
};

/// Paths of chunk.nodes, all of one body, and memory for the rows. `mark` has an entry a supernode,
/// all -1 before and after.
template <class T>
void find_paths(const SupernodalStructure& t, ColumnChunk<T>& chunk, std::vector<Index>& mark);

/// rows = (L⁻¹ Īᵀ)ᵀ. A prescribed degree of freedom has a row of zeros. Returns the flops.
template <class T>
double solve_chunk(const SupernodalCholesky<T>& factor, ColumnChunk<T>& chunk);

/// product = a.rows b.rowsᵀ in strips of a's rows; below the diagonal only where a and b are the
/// same. Returns the flops.
template <class T>
double multiply_chunks(const ColumnChunk<T>& a, const ColumnChunk<T>& b, T* product);

}  // namespace limber

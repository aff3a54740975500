// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "limber/core/simd_math.h"
#include "limber/fem/elements/tet_store.h"
#include "limber/fem/materials.h"

namespace limber {

template <class Law>
struct PointLaw;

/// The numbers of tets that laws with n_tet_data read, beside a TetStore of the same order. Apart
/// from the store, so that laws without such numbers read no more memory than before.
template <class Real, int W>
class TetDataStore {
  public:
    /// `data` is empty or has an entry a tet of the mesh; tets without one get their material's.
    void fill(const TetOrder& order, std::span<const Material> materials,
              std::span<const Index> tet_material, std::span<const TetData> data);

    /// The law as the tets of a packet have it; a law without numbers of tets is returned itself.
    template <class Law>
    decltype(auto) of_packet(const PointLaw<Law>& law, Index packet) const {
        if constexpr (n_tet_data<Law> == 0) {
            return (law);
        } else {
            Packet<Real, W> numbers[n_tet_data<Law>];
            for (int i = 0; i < n_tet_data<Law>; ++i)
                numbers[i] = Packet<Real, W>::load(packets_[packet].number[i]);
            return law.with(numbers);
        }
    }

  private:
    struct alignas(std::min<std::size_t>(64, W * sizeof(Real))) Rows {
        Real number[most_tet_data][W];
    };
    std::vector<Rows> packets_;  // empty where no material's law reads any
};

}  // namespace limber

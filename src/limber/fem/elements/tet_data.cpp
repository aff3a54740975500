// SPDX-License-Identifier: Apache-2.0
#include "limber/fem/elements/tet_data.h"

#include "limber/fem/elements/element_set.h"
#include "limber/fem/point_law.h"

namespace limber {

template <class Real, int W>
void TetDataStore<Real, W>::fill(const TetOrder& order, std::span<const Material> materials,
                                 std::span<const Index> tet_material,
                                 std::span<const TetData> data) {
    std::vector<TetData> own;  // of each material
    for (const Material& material : materials)
        own.push_back(visit_law(material, []<class Law>(const PointLaw<Law>& law) -> TetData {
            if constexpr (n_tet_data<Law> == 0) {
                return {};
            } else {
                double numbers[n_tet_data<Law>];
                law.law.own_data(numbers);
                TetData out{std::in_place};
                std::copy(std::begin(numbers), std::end(numbers), out->begin());
                return out;
            }
        }));
    packets_.clear();
    if (std::none_of(own.begin(), own.end(), [](const TetData& d) { return d.has_value(); }))
        return;
    packets_.assign(order.entry.size() / W, Rows{});
    for (std::size_t place = 0; place < order.entry.size(); ++place) {
        // Lanes without a tet repeat the first of their packet, as EmptyLanes::repeat does.
        Index entry = order.entry[place];
        if (entry == TetOrder::none) entry = order.entry[place / W * W];
        const Index tet = entry / 4;
        const TetData& of_material = own[tet_material[tet]];
        if (!of_material) continue;
        const TetData& numbers = !data.empty() && data[tet] ? data[tet] : of_material;
        for (int i = 0; i < most_tet_data; ++i)
            packets_[place / W].number[i][place % W] = static_cast<Real>((*numbers)[i]);
    }
}

template class TetDataStore<double, lanes_of<double>>;
template class TetDataStore<float, lanes_of<float>>;

}  // namespace limber

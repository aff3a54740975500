// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "limber/core/errors.h"
#include "limber/core/parallel.h"
#include "limber/mesh/stuffing/warp.h"

namespace limber {

namespace {

constexpr Index block_octants = 16;  // a side of the blocks the lattice is cut into

/// Octants lo <= i < hi along each axis.
struct SampleBlock {
    std::array<Index, 3> lo, hi;
    bool is_single() const {
        return hi[0] - lo[0] == 1 && hi[1] - lo[1] == 1 && hi[2] - lo[2] == 1;
    }
};

class Sampler {
  public:
    Sampler(const BccLattice& lattice, const Implicit& f, std::vector<float>& values)
        : lattice_(lattice), f_(f), lipschitz_(f.lipschitz()), values_(values) {}

    void sample(const SampleBlock& block) const {
        const LatticePoint lo{2 * block.lo[0], 2 * block.lo[1], 2 * block.lo[2]};
        const LatticePoint hi{2 * block.hi[0], 2 * block.hi[1], 2 * block.hi[2]};
        const Vec3d a = lattice_.position(lo), b = lattice_.position(hi);
        const double middle = evaluate(0.5 * (a + b));
        // The margin covers rounding in f and in the float the values are kept in.
        const double reach = 1.0001 * lipschitz_ * norm(b - a) / 2;
        if (std::fabs(middle) > reach) {
            const double rest = std::fabs(middle) - reach;
            const float value = static_cast<float>(middle < 0 ? -rest : rest);
            for_each_point(block, [&](const LatticePoint& p) { values_[lattice_.id(p)] = value; });
        } else if (block.is_single()) {
            for_each_point(block, [&](const LatticePoint& p) {
                const bool is_middle = p[0] & 1;
                values_[lattice_.id(p)] =
                    static_cast<float>(is_middle ? middle : evaluate(lattice_.position(p)));
            });
        } else {
            split(block);
        }
    }

  private:
    double evaluate(const Vec3d& p) const {
        const double value = f_.value(p);
        if (std::isnan(value))
            throw InputError("the shape's function is not a number at (" + std::to_string(p.x) +
                             ", " + std::to_string(p.y) + ", " + std::to_string(p.z) + ")");
        return value;
    }

    void split(const SampleBlock& block) const {
        std::array<Index, 3> mid;
        for (int a = 0; a < 3; ++a) mid[a] = (block.lo[a] + block.hi[a] + 1) / 2;
        for (int part = 0; part < 8; ++part) {
            SampleBlock child;
            bool empty = false;
            for (int a = 0; a < 3; ++a) {
                const bool upper = part >> a & 1;
                child.lo[a] = upper ? mid[a] : block.lo[a];
                child.hi[a] = upper ? block.hi[a] : mid[a];
                empty |= child.lo[a] >= child.hi[a];
            }
            if (!empty) sample(child);
        }
    }

    /// The points a block owns: the centres of its octants and their lower corners, and the upper
    /// ones where the lattice ends.
    template <class Use>
    void for_each_point(const SampleBlock& block, Use use) const {
        const auto& n = lattice_.octants();
        std::array<Index, 3> last;
        for (int a = 0; a < 3; ++a) last[a] = block.hi[a] == n[a] ? n[a] : block.hi[a] - 1;
        for (Index k = block.lo[2]; k <= last[2]; ++k)
            for (Index j = block.lo[1]; j <= last[1]; ++j)
                for (Index i = block.lo[0]; i <= last[0]; ++i) {
                    use({2 * i, 2 * j, 2 * k});
                    if (i < n[0] && j < n[1] && k < n[2]) use({2 * i + 1, 2 * j + 1, 2 * k + 1});
                }
    }

    const BccLattice& lattice_;
    const Implicit& f_;
    double lipschitz_;
    std::vector<float>& values_;
};

}  // namespace

std::vector<float> sample_lattice(const BccLattice& lattice, const Implicit& f,
                                  const StuffingProgress& progress) {
    std::vector<float> values(static_cast<std::size_t>(lattice.size()),
                              std::numeric_limits<float>::max());
    const Sampler sampler(lattice, f, values);
    const auto& n = lattice.octants();
    std::array<Index, 3> blocks;
    for (int a = 0; a < 3; ++a) blocks[a] = (n[a] + block_octants - 1) / block_octants;
    for (Index layer = 0; layer < blocks[2]; ++layer) {
        parallel_chunks(blocks[0] * blocks[1], [&](Index chunk) {
            // Neighbouring blocks go to different threads: the surface is rarely spread evenly.
            const std::array<Index, 3> at{chunk % blocks[0], chunk / blocks[0], layer};
            SampleBlock block;
            for (int a = 0; a < 3; ++a) {
                block.lo[a] = at[a] * block_octants;
                block.hi[a] = std::min(n[a], block.lo[a] + block_octants);
            }
            sampler.sample(block);
        });
        if (progress) progress("sampling", double(layer + 1) / blocks[2]);
    }
    return values;
}

}  // namespace limber

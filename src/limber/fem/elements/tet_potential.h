// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/fem/block_scatter.h"
#include "limber/fem/corner_sum.h"
#include "limber/fem/elements/tet_data.h"
#include "limber/fem/elements/tet_store.h"
#include "limber/fem/materials.h"
#include "limber/fem/potential.h"
#include "limber/mesh/tet_mesh.h"

namespace limber {

/// E(x) = Σ V Ψ(F) over tets of any laws. Tets of one material are packed together, eight doubles
/// or sixteen floats wide, so that the law is chosen once for a chunk and never inside a loop.
template <class Real>
class TetPotential final : public Potential<Real> {
  public:
    static constexpr int W = lanes_of<Real>;
    using Lanes = Packet<Real, W>;
    using typename Potential<Real>::Positions;

    /// Borrows the mesh, the materials, their indices and the numbers of tets, none or an entry a
    /// tet.
    TetPotential(const TetMesh& mesh, std::span<const Material> materials,
                 std::span<const Index> tet_material, std::span<const TetData> tet_data = {});

    void hold(Positions x) override;
    void begin_step(Positions x) override;
    std::vector<char> kept() const override;
    void set_kept(std::span<const char> kept) override;
    double energy(Positions x) override;
    void add_gradient(Positions x, std::span<Vec3<Real>> g) override;
    bool begin_gradient(Positions x, bool hold) override;
    void add_gradient_range(Index begin, Index end, std::span<Vec3<Real>> g) override;
    bool converted() const override;
    double rounding_scale() const override { return rounding_scale_; }
    /// V 2k g gᵀ with 2k = 2μ + 3λ and what fibres add, of small strains: it bounds their Hessian.
    bool add_projective_matrix(BlockCsr& A) override;
    void add_diagonal(Positions x, std::span<Vec3<Real>> d) override;
    void add_diagonal_blocks(Positions x, HessianKind kind, std::span<Mat3<Real>> D) override;
    void add_pairs(std::vector<std::array<Index, 2>>& pairs) const override;
    void add_hessian(Positions x, HessianKind kind, double scale, BlockCsr& A) override;
    bool add_tangent(Positions x, BlockRows<float>& A) override;
    bool add_tangent(Positions x, BlockRows<double>& A) override;
    void add_damping(Positions x, std::span<const double> b, double scale, BlockCsr& A) override;

    bool has_conversion() const { return converts_; }
    /// The interpolant l of each tet of the mesh, 0 (its law) to 1 (projective), Wang & Yang (17).
    std::vector<double> interpolants() const;

  private:
    struct ConversionLanes {
        Real interpolant[W];
        Real kept[W];  // 1 where the interpolant stays 1 in this step of time, else 0
    };
    using Store = TetStore<Real, W, ConversionLanes>;  // packets of one material each
    using Group = typename Store::Lanes;
    Mat3<Lanes> gradient_of(const Group& group, const Vec3<Real>* x) const;
    template <class Law>
    bool sweep_stress(const PointLaw<Law>& law, bool hold, Index first, Index last,
                      const Vec3<Real>* x, Vec4<Real>* sum);
    template <class Law>
    double sum_energy(const PointLaw<Law>& law, Index first, Index last, const Vec3<Real>* x) const;
    template <class Law>
    void sweep_diagonal(const PointLaw<Law>& law, Index first, Index last, const Vec3<Real>* x,
                        Vec4<Real>* sum) const;
    template <class Law, class Out>
    void sweep_tangent(const PointLaw<Law>& law, Index first, Index last, const Vec3<Real>* x,
                       std::span<BlockScatter<4>::BlocksOf<Out>> blocks) const;
    template <class Out>
    bool assemble_tangent(Positions x, BlockRows<Out>& A);
    template <class Matrix>
    void ensure_scatter(const Matrix& A);
    template <class Weight>
    void assemble(Positions x, HessianKind kind, Weight&& weight, BlockCsr& A);

    /// Of one tet in double, whatever Real is: from the mesh, to the last bit.
    struct Rest {
        Mat3d Dm_inv;
        double volume;
    };
    Rest rest_of(Index tet) const;
    Mat3d deformation(Index tet, const Rest& rest, Positions x) const;
    const Material& material_of(Index tet) const { return materials_[tet_material_[tet]]; }

    const TetMesh& mesh_;
    std::span<const Material> materials_;
    std::span<const Index> tet_material_;
    std::span<const TetData> tet_data_;
    Store store_;
    TetDataStore<Real, W> data_;
    std::vector<Index> place_;         // of each tet: packet * W + lane
    std::vector<Index> tet_of_place_;  // -1: no tet in this lane
    std::vector<Index> chunk_material_;
    CornerSumOf<W> plan_;
    CornerSumScratchOf<Real> scratch_, diagonal_scratch_;
    std::vector<double> chunk_energy_;
    double rounding_scale_ = 0;
    bool converts_ = false;              // some material has the conversion on
    std::vector<char> chunk_converted_;  // some interpolant of the chunk is above 0
    NodeTets incidence_;                 // tet * 4 + corner
    std::vector<std::array<Mat3d, 4>> diagonal_;
    BlockScatter<4> scatter_;
    bool has_scatter_ = false;
    std::vector<BlockScatter<4>::Blocks> blocks_;
    std::vector<BlockScatter<4>::BlocksOf<float>> rounded_blocks_;
};

}  // namespace limber

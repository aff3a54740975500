// SPDX-License-Identifier: Apache-2.0
#include "limber/solve/modal.h"

// GCC 12 takes the undefined pass-through operands in its own AVX-512 header for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <Spectra/SymGEigsShiftSolver.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.h"
#include "limber/linalg/linear_solver.h"
#include "limber/solve/model_potentials.h"

namespace limber {

namespace {

/// K, M and (K + s M)⁻¹ on the free degrees of freedom.
class ModalSystem {
  public:
    explicit ModalSystem(const Model& model)
        : model_(model), solver_(make_linear_solver({}, model.mesh.nodes)) {
        const Index n = model.n_nodes();
        auto potentials = make_potentials<double>(model);
        std::vector<std::array<Index, 2>> pairs;
        for (auto& part : potentials) part->add_pairs(pairs);
        K_ = matrix_of_pairs(n, std::move(pairs));
        for (auto& part : potentials)
            part->add_hessian(model.mesh.nodes, HessianKind::exact, 1, K_);
        double stiffness = 0, mass = 0;
        for (Index i = 0; i < n; ++i) {
            for (int axis = 0; axis < 3; ++axis)
                if (model.free[i][axis] != 0) dofs_.push_back(3 * i + axis);
            stiffness += trace(K_.blocks()[K_.diagonal_position(i)]);
            mass += 3 * model.mass[i];
        }
        // The traces' ratio is near the highest ω²; the lowest lie many orders below it.
        shift_ = 1e-6 * stiffness / mass;
        shifted_ = K_;
        for (Index i = 0; i < n; ++i) add_mass(i, i, model.lumped[i]);
        if (model.consistent_mass)
            for (Index t = 0; t < model.n_tets(); ++t)
                for (Index a : model.mesh.tets[t])
                    for (Index b : model.mesh.tets[t])
                        add_mass(a, b, model.elements.tet_mass[t] / (a == b ? 10 : 20));
        for (std::vector<Vec3d>* array : {&in_, &out_}) array->resize(n);
        const SolveStats stats = solver_->prepare(shifted_, model.free);
        if (stats.failed())
            throw InputError(
                "modal analysis: the stiffness of the model at rest is not positive "
                "(node masses or moduli of zero?); nothing to decompose");
    }
    Index n_dofs() const { return static_cast<Index>(dofs_.size()); }
    double shift() const { return shift_; }

    void solve(const double* x, double* y) const {
        spread(x, in_);
        std::fill(out_.begin(), out_.end(), Vec3d{});
        solver_->solve(shifted_, in_, model_.free, out_);
        collect(out_, y);
    }
    void mass(const double* x, double* y) const {
        spread(x, in_);
        mass_times(in_, out_);
        collect(out_, y);
    }
    void mass_times(const std::vector<Vec3d>& u, std::vector<Vec3d>& Mu) const {
        for (Index i = 0; i < model_.n_nodes(); ++i) Mu[i] = model_.lumped[i] * u[i];
        if (model_.consistent_mass) add_consistent_mass(model_.elements, u, 1, false, Mu);
    }
    Mode mode(double omega2, const double* vector) const {
        Mode mode;
        mode.omega2 = omega2;
        mode.shape.resize(model_.n_nodes());
        spread(vector, mode.shape);
        std::vector<Vec3d> Ku(mode.shape.size()), Mu(mode.shape.size());
        mass_times(mode.shape, Mu);
        double modal_mass = 0;
        for (std::size_t i = 0; i < Mu.size(); ++i) modal_mass += dot(Mu[i], mode.shape[i]);
        double total = 0;
        for (double m : model_.mass) total += m;
        const double scale = 1 / std::sqrt(modal_mass);
        for (std::size_t i = 0; i < Mu.size(); ++i) {
            mode.shape[i] *= scale;
            Mu[i] *= scale;
            mode.participation += Mu[i];
        }
        for (int k = 0; k < 3; ++k)
            mode.participation[k] = mode.participation[k] * mode.participation[k] / total;
        K_.apply(mode.shape, Ku);
        double rest = 0, size = 0;
        for (Index dof : dofs_) {
            const double k = Ku[dof / 3][dof % 3], m = Mu[dof / 3][dof % 3];
            rest += (k - omega2 * m) * (k - omega2 * m);
            size += (k + shift_ * m) * (k + shift_ * m);
        }
        mode.residual = std::sqrt(rest / size);
        return mode;
    }

  private:
    void add_mass(Index a, Index b, double m) {
        shifted_.blocks()[shifted_.find(a, b)] += (shift_ * m) * Mat3d::identity();
    }
    void spread(const double* x, std::vector<Vec3d>& u) const {
        std::fill(u.begin(), u.end(), Vec3d{});
        for (std::size_t k = 0; k < dofs_.size(); ++k) u[dofs_[k] / 3][dofs_[k] % 3] = x[k];
    }
    void collect(const std::vector<Vec3d>& u, double* x) const {
        for (std::size_t k = 0; k < dofs_.size(); ++k) x[k] = u[dofs_[k] / 3][dofs_[k] % 3];
    }

    const Model& model_;
    std::unique_ptr<LinearSolver> solver_;
    BlockCsr K_, shifted_;
    double shift_ = 0;
    std::vector<Index> dofs_;
    mutable std::vector<Vec3d> in_, out_;
};

// What Spectra asks of its operators.
struct ShiftInverse {
    using Scalar = double;
    const ModalSystem& system;
    Eigen::Index rows() const { return system.n_dofs(); }
    Eigen::Index cols() const { return system.n_dofs(); }
    void set_shift(const double&) const {}
    void perform_op(const double* x, double* y) const { system.solve(x, y); }
};
struct MassProduct {
    using Scalar = double;
    const ModalSystem& system;
    Eigen::Index rows() const { return system.n_dofs(); }
    Eigen::Index cols() const { return system.n_dofs(); }
    void perform_op(const double* x, double* y) const { system.mass(x, y); }
};

}  // namespace

double Mode::frequency() const {
    return std::sqrt(std::max(omega2, 0.0)) / (2 * std::numbers::pi);
}

std::vector<Mode> lowest_modes(const Model& model, int n_modes) {
    const ModalSystem system(model);
    if (n_modes >= system.n_dofs())
        throw InputError("modal analysis: " + std::to_string(n_modes) +
                         " modes wanted of a model with " + std::to_string(system.n_dofs()) +
                         " free degrees of freedom; allowed: fewer than those");
    ShiftInverse inverse{system};
    MassProduct mass{system};
    const Eigen::Index basis = std::min<Eigen::Index>(system.n_dofs(), std::max(3 * n_modes, 24));
    Spectra::SymGEigsShiftSolver<ShiftInverse, MassProduct, Spectra::GEigsMode::ShiftInvert>
        lanczos(inverse, mass, n_modes, basis, -system.shift());
    lanczos.init();
    const Eigen::Index found = lanczos.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12);
    if (lanczos.info() != Spectra::CompInfo::Successful)
        throw InputError("modal analysis: the iteration found " + std::to_string(found) + " of " +
                         std::to_string(n_modes) + " modes; ask for fewer");
    const Eigen::VectorXd values = lanczos.eigenvalues();
    const Eigen::MatrixXd vectors = lanczos.eigenvectors();
    std::vector<Mode> modes;
    for (Eigen::Index k = 0; k < values.size(); ++k)
        modes.push_back(system.mode(values[k], vectors.col(k).data()));
    std::stable_sort(modes.begin(), modes.end(),
                     [](const Mode& a, const Mode& b) { return a.omega2 < b.omega2; });
    return modes;
}

std::span<const Mode> ModalStepper::modes() {
    if (modes_.empty()) modes_ = lowest_modes(model_, n_modes_);
    return modes_;
}

std::string ModalStepper::describe() {
    const auto all = modes();
    return std::to_string(all.size()) + " modes, " + std::to_string(all.front().frequency()) +
           " to " + std::to_string(all.back().frequency()) + " Hz";
}

void ModalStepper::free_motion(const StepInput& in, State& state, NodeForces& forces,
                               StepReport& report) {
    const auto all = modes();
    const Mode& mode = all[static_cast<std::size_t>(
        std::min<std::int64_t>(report.step, static_cast<std::int64_t>(all.size())) - 1)];
    const Box3 box = bounding_box(model_.mesh.nodes);
    double largest = 0;
    for (const Vec3d& u : mode.shape) largest = std::max(largest, norm(u));
    const double amplitude = 0.1 * norm(box.hi - box.lo) / largest;
    shown_ = model_.mesh.nodes;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        shown_[i] += amplitude * mode.shape[i];
        state.v[i] = (1 / in.h) * (shown_[i] - state.x[i]);
        forces.reaction[i] = {};
    }
    report.solve = {SolveStatus::direct, 0, mode.residual, 0};
    table_.row = {{"frequency_hz", mode.frequency()},
                  {"omega2", mode.omega2},
                  {"residual", mode.residual},
                  {"mass_share_x", mode.participation.x},
                  {"mass_share_y", mode.participation.y},
                  {"mass_share_z", mode.participation.z}};
}

void ModalStepper::integrate(const StepInput&, State& state) const {
    state.x = shown_;
    std::fill(state.v.begin(), state.v.end(), Vec3d{});
}

}  // namespace limber

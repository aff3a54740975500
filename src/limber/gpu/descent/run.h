// SPDX-License-Identifier: Apache-2.0
#pragma once

// Descent on the device as its stepper sees it, in either precision, on the device or on the host.

#include <memory>
#include <span>
#include <vector>

#include "limber/contact/contact_method.h"
#include "limber/gpu/descent/control.h"
#include "limber/gpu/descent/decisions.h"
#include "limber/solve/step_report.h"

namespace limber {
struct Model;
}

namespace limber::gpu {

template <class Real>
struct DescentData;

/// Which arrays a run of steps needs.
enum class DescentMethod { jacobi, block_jacobi, vertex_block };

/// What a run of steps is made for.
struct DescentSetup {
    DescentMethod method = DescentMethod::jacobi;
    DescentRules rules;
    int iterations = 96;
    int refresh = 32;
    bool at_start = false;      // initial = "position"
    double least_share = 0.05;  // of a node's stiffness at rest, below no diagonal
    double probe = 0;           // of power iteration: a hundredth of the typical edge [m]
    Index n_tets = 0;
    std::vector<double> rho;  // of chebyshev, one a phase
    std::vector<int> phase_end;
    DescentControl control;  // its rules and constants
};

/// Contact of a step: its terms, and the nodes in them with their entries, term * 4 + place.
struct TouchedNodes {
    std::span<const ContactTerm> terms;
    std::vector<Index> node, begin, entry;
};

class DescentRun {
  public:
    virtual ~DescentRun() = default;
    virtual void put_state(std::span<const Vec3d> x, std::span<const Vec3d> v) = 0;
    virtual void put_velocity_before(std::span<const Vec3d> v) = 0;
    virtual void get_velocity_before(std::span<Vec3d> v) = 0;
    virtual void put_loads(std::span<const Vec3d> at_end, std::span<const Vec3d> at_start) = 0;
    virtual void put_pins(std::span<const Vec3d> velocity) = 0;
    virtual void put_contact(const TouchedNodes& contact) = 0;
    /// One step, from the state that is there to the next. `with_spectrum`: the longest step is
    /// found again first.
    virtual void run(const StepNumbers& numbers, bool with_spectrum) = 0;
    virtual DescentControl control() = 0;  // waits for the step
    virtual void put_control(DescentControl control) = 0;
    /// At the end of the step.
    virtual void get_positions(std::span<Vec3d> x) = 0;
    /// Copies go there faster from now on; as long as this run lives the memory stays in place.
    virtual void pin(std::span<Vec3d> host) = 0;
    virtual void get_reactions(std::span<Vec3d> reaction) = 0;
    /// Of the invertible conversion, or whether they are kept, a tet of the model each.
    virtual std::vector<double> interpolants(bool kept) = 0;
    virtual void put_kept(std::span<const char> kept) = 0;
    virtual std::int64_t bytes() const = 0;  // of device memory
    /// Since it was asked for the last time.
    virtual DeviceUse take_use() = 0;
};

/// The method's bodies one after the other on the host: its twin for tests.
std::unique_ptr<DescentRun> make_host_descent(const Model& model, const DescentSetup& setup,
                                              Precision precision);
/// On the device: InputError where there is none, SystemError where its memory does not suffice.
std::unique_ptr<DescentRun> make_cuda_descent(const Model& model, const DescentSetup& setup,
                                              Precision precision);
/// The same of data at hand, without a look at the memory; defined by nvcc.
std::unique_ptr<DescentRun> start_on_cuda(DescentData<float> data, const DescentSetup& setup);
std::unique_ptr<DescentRun> start_on_cuda(DescentData<double> data, const DescentSetup& setup);
/// What it will take [bytes].
std::int64_t descent_bytes(const Model& model, const DescentSetup& setup, Precision precision);

}  // namespace limber::gpu

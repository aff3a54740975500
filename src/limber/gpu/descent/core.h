// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all methods of descent have in common as lists of bodies (gpu/queue.h), the same on the
// device and on the host: what the host hands in and reads, the start of a step, values, gradients,
// and the end. What comes between is the method's own step().

#include <limits>
#include <optional>

#include "limber/gpu/descent/arrays.h"
#include "limber/gpu/descent/decisions.h"
#include "limber/gpu/descent/run.h"

namespace limber::gpu {

template <class Queue, class Real>
class DescentCore : public DescentRun {
  public:
    template <class T>
    using Array = typename Queue::template Array<T>;

    DescentCore(Queue& queue, DescentData<Real> data, const DescentSetup& setup)
        : queue_(queue), data_(std::move(data)), setup_(setup) {
        a_.make(queue_, data_, setup_);
        fill(queue_, a_.rho, setup_.rho);
        fill(queue_, a_.phase_end, setup_.phase_end);
        control_ = a_.control.data();
        numbers_ = a_.numbers.data();
        DescentCore::put_control(setup_.control);
    }

    void put_state(std::span<const Vec3d> x, std::span<const Vec3d> v) override {
        queue_.put(x, a_.x_n);
        queue_.put(v, a_.v_n);
    }
    void put_velocity_before(std::span<const Vec3d> v) override { queue_.put(v, a_.v_before); }
    void get_velocity_before(std::span<Vec3d> v) override { queue_.get(a_.v_before, v); }
    void put_loads(std::span<const Vec3d> at_end, std::span<const Vec3d> at_start) override {
        queue_.put(at_end, a_.external);
        if (data_.trapezoid) queue_.put(at_start, a_.external_start);
    }
    void put_pins(std::span<const Vec3d> velocity) override {
        queue_.put(velocity, a_.pin_velocity);
    }
    void put_contact(const TouchedNodes& contact) override;
    void run(const StepNumbers& numbers, bool with_spectrum) override;
    DescentControl control() override {
        DescentControl out;
        queue_.get(a_.control, std::span(&out, 1));
        return out;
    }
    void put_control(DescentControl control) override {
        control.momentum.chebyshev.rho = a_.rho.data();
        control.momentum.chebyshev.end = a_.phase_end.data();
        control.rounding_scale = data_.rounding_scale;
        control.unit = std::numeric_limits<Real>::epsilon();
        queue_.put(std::span<const DescentControl>(&control, 1), a_.control);
    }
    void get_positions(std::span<Vec3d> x) override { queue_.get(a_.x_n, x); }
    void pin(std::span<Vec3d> host) override { queue_.pin(host); }
    void get_reactions(std::span<Vec3d> reaction) override { queue_.get(a_.reaction, reaction); }
    std::vector<double> interpolants(bool kept) override;
    void put_kept(std::span<const char> kept) override;
    std::int64_t bytes() const override { return queue_.bytes(); }
    DeviceUse take_use() override { return queue_.take_use(); }

  protected:
    /// Puts a whole step into the queue. `spectrum`: with what is done in some steps only.
    virtual void step(bool contact, bool spectrum) = 0;
    /// There is room for `terms` of contact and the `nodes` they touch from now on.
    virtual void make_room_for_contact(std::size_t terms, std::size_t nodes) = 0;

    template <class F>
    void each_group(F&& f) {
        for (auto& group : a_.groups)
            visit_law(group.material, [&](const auto& law) { f(group, law.template in<Real>()); });
    }
    template <class F>
    void each_cloth(F&& f) {
        if (a_.springs.n > 0) f(a_.springs, Spring{});
        if (a_.membranes.n > 0) f(a_.membranes, Membrane{});
        if (a_.flat_hinges.n > 0) f(a_.flat_hinges, FlatHinge{});
        if (a_.hinges.n > 0) f(a_.hinges, Hinge{});
    }
    void open(bool contact);
    void begin();
    void guess();
    void end();
    void finish();
    void hold(const Vec3<Real>* x);
    void gradient(const Vec3<Real>* x, bool hold);
    template <class Then>
    void value(const Vec3<Real>* x, const Then& then);
    void elastic(const Vec3<Real>* x);

    Queue& queue_;
    DescentData<Real> data_;
    DescentSetup setup_;
    DescentArrays<Queue, Real> a_;
    DescentControl* control_ = nullptr;
    StepNumbers* numbers_ = nullptr;
    NodeView<Real> nodes_;  // of the program that is being listed
    ContactView contact_;
    Index room_ = 0, node_room_ = 0;  // for terms of contact, and for nodes they touch

  private:
    struct Steps {
        DescentCore* of;
        bool contact, spectrum;
        void operator()() const { of->step(contact, spectrum); }
    };
    using Program = typename Queue::template Program<Steps>;
    bool touches_ = false;                   // contact comes with this step
    std::optional<Program> programs_[2][2];  // with contact, with the spectrum
};

template <class Queue, class Real>
void DescentCore<Queue, Real>::put_contact(const TouchedNodes& contact) {
    touches_ = !contact.terms.empty();
    if (!touches_) return;
    const Index n_terms = static_cast<Index>(contact.terms.size());
    const Index n_nodes = static_cast<Index>(contact.node.size());
    if (n_terms > room_ || n_nodes > node_room_) {
        room_ = std::max(2 * n_terms, 256);
        node_room_ = std::max(2 * n_nodes, 256);
        const std::size_t terms = static_cast<std::size_t>(room_);
        const std::size_t nodes = static_cast<std::size_t>(node_room_);
        queue_.resize(a_.terms, terms);
        queue_.resize(a_.touched_entry, 4 * terms);
        queue_.resize(a_.touched_node, nodes);
        queue_.resize(a_.touched_begin, nodes + 1);
        if (a_.touched.size() == 0)
            queue_.resize(a_.touched, static_cast<std::size_t>(data_.n_nodes));
        make_room_for_contact(terms, nodes);
        for (auto& program : programs_[1]) program.reset();
    }
    queue_.put(std::span(contact.terms), a_.terms);
    queue_.put(std::span<const Index>(contact.node), a_.touched_node);
    queue_.put(std::span<const Index>(contact.begin), a_.touched_begin);
    queue_.put(std::span<const Index>(contact.entry), a_.touched_entry);
}

template <class Queue, class Real>
void DescentCore<Queue, Real>::run(const StepNumbers& numbers, bool with_spectrum) {
    queue_.put(std::span<const StepNumbers>(&numbers, 1), a_.numbers);
    auto& program = programs_[touches_][with_spectrum];
    if (!program) program.emplace(queue_, Steps{this, touches_, with_spectrum});
    program->run();
}

/// The views of a step that is being listed.
template <class Queue, class Real>
void DescentCore<Queue, Real>::open(bool contact) {
    nodes_ = a_.nodes(data_, setup_.method, contact);
    contact_ = {a_.terms.data(), a_.touched_node.data(), a_.touched_begin.data(),
                a_.touched_entry.data()};
}

/// Loads, inertia, and what gradients are compared with (Objective::begin).
template <class Queue, class Real>
void DescentCore<Queue, Real>::begin() {
    const Index n = data_.n_nodes;
    queue_.once(BeginControl{control_});
    queue_.each(n, BeginNodes<Real>{nodes_, numbers_});
    if (nodes_.touched) {
        queue_.each(n, Clear<Vec3<Real>>{a_.touched.data()});
        queue_.template sum<ValueSum>(room_, TermSprings{contact_, numbers_}, SetSprings{control_});
    }
    each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        if (group.converts) queue_.each(group.n, TetKeep<Law, Real>{law, group.view, nodes_.start});
        if constexpr (has_device_blocks<Law>)
            if (group.view.damping)
                queue_.each(group.n,
                            TetDamping<Law, Real>{law, group.view, nodes_.start, numbers_});
    });
    if (data_.trapezoid) {
        gradient(nodes_.start, false);
        queue_.each(n, AddStartForces<Real>{nodes_});
    }
    bool consistent = false;
    for (auto& group : a_.groups) {
        if (!group.view.mass) continue;
        consistent = true;
    }
    if (consistent && !data_.quasi_static) {
        for (auto& group : a_.groups)
            if (group.quadratic_slot)
                queue_.each(group.n, TetMomentum<Real>{group.view, group.quadratic_slot, nodes_.v_n,
                                                       a_.quadratic_value.data(), numbers_});
        queue_.each(n, AddMomentum<Real>{nodes_});
    }
    hold(nodes_.start);
    gradient(nodes_.start, false);
    queue_.template sum<NormSum>(n, LoadNorm<Real>{nodes_}, SetForceScale{control_});
}

/// The better of the guess and q_t, its value, and the scale of gradients.
template <class Queue, class Real>
void DescentCore<Queue, Real>::guess() {
    const Index n = data_.n_nodes;
    queue_.each(n, Guess<Real>{nodes_, numbers_, nodes_.x, setup_.at_start});
    hold(nodes_.x);
    if (setup_.at_start) {
        value(nodes_.x, StartLooks{control_});
        queue_.each(n, Choose<Real>{nodes_, control_});
    } else {
        value(nodes_.x, KeepGuess{control_});
        queue_.each(n, Guess<Real>{nodes_, numbers_, nodes_.trial, true});
        value(nodes_.trial, CompareGuess{control_});
        queue_.each(n, Choose<Real>{nodes_, control_});
        hold(nodes_.x);
        value(nodes_.x, StartLooks{control_});
    }
    gradient(nodes_.x, false);
    queue_.template sum<NormSum>(n, GradientNorm<Real>{nodes_}, SetScale{control_});
}

template <class Queue, class Real>
void DescentCore<Queue, Real>::end() {
    if (data_.converts()) {
        elastic(nodes_.start);
        queue_.once(KeepBeginElastic{control_});
        elastic(nodes_.x);
        queue_.once(KeepEndElastic{control_});
    }
    finish();
}

/// The state at the end.
template <class Queue, class Real>
void DescentCore<Queue, Real>::finish() {
    gradient(nodes_.x, false);
    queue_.template sum<NormSum>(
        data_.n_nodes, EndNodes<Real>{nodes_, numbers_, data_.trapezoid, data_.quasi_static},
        Finish{control_});
}

template <class Queue, class Real>
void DescentCore<Queue, Real>::hold(const Vec3<Real>* x) {
    each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        if (group.converts) queue_.each(group.n, TetHold<Law, Real>{law, group.view, x, control_});
    });
}

/// ∂E/∂x of all elements into their slots, and contact's at the nodes it touches.
template <class Queue, class Real>
void DescentCore<Queue, Real>::gradient(const Vec3<Real>* x, bool hold) {
    Vec3<Real>* out = a_.slot_value.data();
    each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        if (group.converts)
            queue_.each(group.n,
                        TetGradient<Law, Real, true>{law, group.view, x, out, hold, control_});
        else
            queue_.each(group.n,
                        TetGradient<Law, Real, false>{law, group.view, x, out, false, control_});
        if (group.quadratic_slot)
            queue_.each(group.n, TetQuadraticGradient<Real>{group.view, group.quadratic_slot, x,
                                                            nodes_.start, a_.quadratic_value.data(),
                                                            numbers_, control_});
    });
    each_cloth([&]<class Element>(auto& cloth, Element) {
        queue_.each(cloth.n, ElementGradient<Real, Element>{cloth.elements.data(), cloth.n,
                                                            cloth.slot.data(), x, out, control_});
    });
    if (a_.dampers.n > 0)
        queue_.each(a_.dampers.n, DamperGradient<Real>{a_.dampers.elements.data(), a_.dampers.n,
                                                       a_.dampers.slot.data(), x, nodes_.start, out,
                                                       numbers_, control_});
    if (nodes_.touched)
        queue_.each(node_room_, TouchedGradient<Real>{contact_, x, nodes_.start, a_.touched.data(),
                                                      numbers_, control_});
}

/// The energy of all elements into control->elastic.
template <class Queue, class Real>
void DescentCore<Queue, Real>::elastic(const Vec3<Real>* x) {
    bool first = true;
    const auto add = [&](Index n, const auto& body) {
        if (first)
            queue_.template sum<ElasticSum>(n, body, BeginWithElasticSum{control_});
        else
            queue_.template sum<ElasticSum>(n, body, AddElasticSum{control_});
        first = false;
    };
    each_group([&]<class Law>(auto& group, const PointLaw<Law>& law) {
        add(group.n, TetEnergy<Law, Real>{law, group.view, x, control_});
    });
    each_cloth([&]<class Element>(auto& cloth, Element) {
        add(cloth.n, ElementEnergy<Real, Element>{cloth.elements.data(), x, control_});
    });
    if (first) queue_.once(BeginValue{control_});
}

/// ε(x), in two sums, and what is decided with it.
template <class Queue, class Real>
template <class Then>
void DescentCore<Queue, Real>::value(const Vec3<Real>* x, const Then& then) {
    elastic(x);
    const AddValueSum add{control_};
    for (auto& group : a_.groups)
        if (group.quadratic_slot)
            queue_.template sum<ValueSum>(
                group.n, TetQuadraticEnergy<Real>{group.view, x, nodes_.start, numbers_, control_},
                add);
    if (a_.dampers.n > 0)
        queue_.template sum<ValueSum>(
            a_.dampers.n,
            DamperEnergy<Real>{a_.dampers.elements.data(), x, nodes_.start, numbers_, control_},
            add);
    if (nodes_.touched)
        queue_.template sum<ValueSum>(
            room_, TermEnergy<Real>{contact_, x, nodes_.start, numbers_, control_}, add);
    queue_.template sum<ValueSum>(data_.n_nodes, NodeValue<Real>{nodes_, x, control_},
                                  AddValueSumAnd<Then>{control_, then});
}

/// A tet of the model each.
template <class Queue, class Real>
std::vector<double> DescentCore<Queue, Real>::interpolants(bool kept) {
    std::vector<double> out(static_cast<std::size_t>(setup_.n_tets));
    std::vector<Real> own;
    for (auto& group : a_.groups) {
        if (!group.converts) continue;
        own.resize(static_cast<std::size_t>(group.n));
        queue_.get(kept ? group.kept : group.interpolant, std::span(own));
        const auto& tets = data_.groups[&group - &a_.groups[0]].tets;
        for (std::size_t k = 0; k < own.size(); ++k) out[tets[k]] = static_cast<double>(own[k]);
    }
    return out;
}

template <class Queue, class Real>
void DescentCore<Queue, Real>::put_kept(std::span<const char> kept) {
    std::vector<Real> own;
    for (std::size_t g = 0; g < a_.groups.size(); ++g) {
        auto& group = a_.groups[g];
        if (!group.converts) continue;
        own.clear();
        for (const Index t : data_.groups[g].tets)
            own.push_back(kept.empty() ? Real(0) : static_cast<Real>(kept[t]));
        queue_.put(std::span<const Real>(own), group.kept);
        queue_.put(std::span<const Real>(own), group.interpolant);
    }
}

}  // namespace limber::gpu

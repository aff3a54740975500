// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/lagrange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/contact_read_back.h"
#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/timer.h"

namespace limber {

namespace {

constexpr Index grain = 2048;

// Below it W is cheap whatever the factor costs.
constexpr Index fewest_rows = 300;
// A solve takes 20 factors in the mean and seldom 50; what takes more goes on with W.
constexpr int most_factors = 100;
// Factors of A that cost as much as W and what is done with it, in flops of them over rows³.
constexpr double factors_for_W = 100;

/// Normal and two tangents.
std::array<Vec3d, 3> frame_of(const Vec3d& n) {
    const auto [t, b] = across(n);
    return {n, t, b};
}

/// What rounding alone leaves of the rows' velocities: no solver gets below it [m/s].
double rounding(const ContactInput& in) {
    double fastest = 0, farthest = 0;
    for (const Vec3d& v : in.v) fastest = std::max(fastest, squared_norm(v));
    for (const Vec3d& x : in.x) farthest = std::max(farthest, squared_norm(x));
    return 64 * std::numeric_limits<double>::epsilon() *
           (std::sqrt(fastest) + std::sqrt(farthest) / in.h);
}

int rows_of(const Contact& c) {
    return c.friction > 0 ? 3 : 1;
}

}  // namespace

LagrangeContact::LagrangeContact(const Options& options, std::vector<std::unique_ptr<Joint>> joints)
    : options_(options),
      joints_(std::move(joints)),
      solver_(make_complementarity_solver(options.solver)) {}

void LagrangeContact::detect(const ContactInput& in, ContactSet& out) {
    LIMBER_CHECK(in.h > 0, "the step must be positive");
    decided_.clear();
    out.contacts.clear();
    out.terms.clear();
    out.max_penetration = 0;
    out.left = {};
    // Joints move bodies in ways that free motion does not show; the way they came does.
    if (!joints_.empty()) find(in, true, out);
}

/// Joints first, then contacts in their order: a row along the normal, and two along tangents where
/// there is friction.
void LagrangeContact::add_rows(const ContactInput& in, const ContactSet& set) {
    set_.clear();
    joint_rows_.clear();
    for (const auto& joint : joints_) {
        joint_rows_.push_back(set_.n_rows());
        joint->constrain({in.x, in.v, in.time, in.h}, set_);
    }
    joint_rows_.push_back(set_.n_rows());
    const double deepest = -alarm_distance(in);
    for (const Contact& c : set.contacts) {
        const std::array<Vec3d, 3> axes = frame_of(c.normal);
        const int n = rows_of(c);
        for (int axis = 0; axis < n; ++axis) {
            for (int k = 0; k < c.at.n; ++k) set_.H.add(c.at.node[k], c.at.weight[k] * axes[axis]);
            double target = -dot(axes[axis], c.surface_velocity);
            if (axis == 0) target += std::max(c.gap - options_.distance, deepest) / in.h;
            set_.end_row(target);
        }
        set_.end_group(n == 3 ? ConstraintGroup::Kind::friction : ConstraintGroup::Kind::contact, n,
                       c.friction);
    }
}

/// p of contacts and joints that `before` knows; 0 for the others.
void LagrangeContact::start_from(const Impulses& before, const ContactSet& set) {
    p_.assign(set_.n_rows(), 0);
    Index row = joint_rows_.back();
    if (std::ssize(before.joints) == row)
        std::copy(before.joints.begin(), before.joints.end(), p_.begin());
    for (const Contact& c : set.contacts) {
        const auto it = std::lower_bound(
            before.contacts.begin(), before.contacts.end(), c.key,
            [](const PastContact& a, const ContactKey& key) { return a.key < key; });
        const bool known = it != before.contacts.end() && it->key == c.key;
        const std::array<Vec3d, 3> axes = frame_of(c.normal);
        const int n = rows_of(c);
        for (int axis = 0; axis < n; ++axis, ++row)
            if (known) p_[row] = dot(axes[axis], it->impulse);
    }
}

/// Forces of the contacts from p, and what the next pass or step starts from.
void LagrangeContact::keep_impulses(double h, ContactSet& set) {
    Index row = joint_rows_.back();
    latest_.joints.assign(p_.begin(), p_.begin() + row);
    latest_.contacts.clear();
    for (Contact& c : set.contacts) {
        const std::array<Vec3d, 3> axes = frame_of(c.normal);
        Vec3d impulse{};
        const int n = rows_of(c);
        for (int axis = 0; axis < n; ++axis) impulse += p_[row++] * axes[axis];
        c.force = (1 / h) * impulse;
        latest_.contacts.push_back({c.key, impulse});
    }
    std::sort(latest_.contacts.begin(), latest_.contacts.end(),
              [](const PastContact& a, const PastContact& b) { return a.key < b.key; });
    // A face may touch an obstacle at several points: the next start knows what they push together.
    std::size_t n = 0;
    for (const PastContact& past : latest_.contacts) {
        if (n > 0 && latest_.contacts[n - 1].key == past.key)
            latest_.contacts[n - 1].impulse += past.impulse;
        else
            latest_.contacts[n++] = past;
    }
    latest_.contacts.resize(n);
}

/// The nearer of the two deadlines; where a run is repeated, its iterations instead.
ComplementarityOptions LagrangeContact::limits_of(const ContactInput& in) {
    ComplementarityOptions limits = options_.limits;
    if (replaying_ && decided_.size() < replayed_.size()) {
        limits.max_iterations = replayed_[decided_.size()];
        return limits;
    }
    const bool both = in.deadline_ms > 0 && options_.deadline_ms > 0;
    limits.deadline_ms = both ? std::min(in.deadline_ms, options_.deadline_ms)
                              : std::max(in.deadline_ms, options_.deadline_ms);
    if (limits.deadline_ms > 0) limits.clock = in.clock;
    return limits;
}

/// Whether the rows are so many, and the factor of A so cheap, that A is the smaller problem of the
/// two. A function of the rows and the pattern alone.
bool LagrangeContact::without_W(const ContactInput& in, const Compliance& A, Index rows) const {
    if (options_.solver != ComplementarityMethod::automatic || in.equilibrium || rows < fewest_rows)
        return false;
    const Compliance::Inverted inverted = A.inverted();
    const double n = rows;
    return inverted.A && n * n * n > factors_for_W * inverted.flops &&
           AugmentedLagrangian::fits(*inverted.A, set_.H, set_.groups);
}

ComplementarityStats LagrangeContact::solve_without_W(const ContactInput& in, Compliance& A) {
    const Compliance::Inverted inverted = A.inverted();
    largest_W_.clear();
    for (const ConstraintGroup& g : set_.groups) {
        double sum = 0;  // as if nothing but its mass held a node
        for (Index r = g.row; r < g.row + g.n_rows; ++r)
            for (const auto& e : set_.H.row(r)) sum += squared_norm(e.gradient) / in.mass[e.node];
        largest_W_.push_back(sum / g.n_rows);
    }
    ComplementarityOptions limits = limits_of(in);
    limits.max_iterations = std::min(limits.max_iterations, most_factors);
    return augmented_.solve(
        {*inverted.A, inverted.free, A, set_.H, u_free_, set_.groups, largest_W_}, limits, p_);
}

/// u of the contacts in `set`, the impulses p that solve for them, and v after those.
void LagrangeContact::solve_pass(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                                 ContactSet& set, ConstraintReport& report) {
    const Index n = static_cast<Index>(v.size());
    u_free_.resize(report.rows);
    u_.resize(report.rows);
    for (Index r = 0; r < report.rows; ++r) u_free_[r] = set_.H.apply(r, in.v) + set_.target[r];
    const auto solved = [&](const ComplementarityStats& stats) {
        if (clocked() || in.deadline_ms > 0) decided_.push_back(stats.iterations);
        report.iterations += stats.iterations;
        report.residual = stats.residual;
        // Joints that hold a body at rest have nothing but rounding to solve for.
        report.converged = stats.converged || stats.residual * largest(u_free_) <= rounding(in);
    };
    const bool sparse = without_W(in, A, report.rows);
    if (sparse) {
        ScopedTimer timer(report.resolve_ms);
        solved(solve_without_W(in, A));
        report.late = report.late || limits_of(in).late();
    }
    // Where a clock ends iterations there is one solve a pass, so that what it decided can be
    // replayed; elsewhere what did not get there goes on with W.
    const bool by_clock = clocked() || in.deadline_ms > 0 || !replayed_.empty();
    if (!sparse || !(report.converged || by_clock)) {
        {
            ScopedTimer timer(report.compliance_ms);
            delassus_.build(set_.H, A, W_);
        }
        ScopedTimer timer(report.resolve_ms);
        const ComplementarityOptions limits = limits_of(in);
        solved(solver_->solve({W_, u_free_, set_.groups}, limits, p_));
        report.late = report.late || limits.late();
    }
    ScopedTimer timer(report.correct_ms);
    set_.H.add_transposed(p_, impulse_);
    change_.resize(n);
    A.apply(impulse_, change_);
    parallel_for(n, grain, [&](Index i) { v[i] = in.v[i] + change_[i]; });
    keep_impulses(in.h, set);
}

ConstraintReport LagrangeContact::constrain(const ContactInput& in, Compliance& A,
                                            std::span<Vec3d> v, ContactSet& set) {
    ConstraintReport report;
    const double allowed = options_.overlap * mean_edge(in);
    ContactSet::Left before;  // where the step began, then where the last pass ended
    for (int pass = 0;; ++pass) {
        {
            ScopedTimer timer(report.detect_ms);
            find_more(in, pass == 0 ? in.v : v, pass > 0, set);
            if (pass == 0) before = deepest(in, set.contacts);
            add_rows(in, set);
        }
        start_from(pass == 0 && !in.again ? past_ : latest_, set);
        report.rows = set_.n_rows();
        impulse_.assign(v.size(), {});
        if (report.rows == 0) {
            keep_impulses(in.h, set);
            std::copy(in.v.begin(), in.v.end(), v.begin());
            return report;
        }
        solve_pass(in, A, v, set, report);
        measured_ = options_.relinearise > 0 && !in.again;
        if (!measured_) break;
        ScopedTimer timer(report.detect_ms);
        const ContactSet::Left now = deepest_at_end(in, v);
        report_depth(in, now, set);
        report.smallest_gap = now.depth > 0 ? -now.depth : 0;
        // Bodies that began inside each other leave as they can.
        const bool better = now.depth < (pass == 0 ? 1.0 : 0.5) * before.depth;
        if (now.depth <= allowed || pass == options_.relinearise || (pass == 0 ? better : !better))
            break;
        before = now;
    }
    for (const ConstraintGroup& g : set_.groups) {
        if (g.kind == ConstraintGroup::Kind::bilateral || g.kind == ConstraintGroup::Kind::limited)
            continue;
        const double gap = in.h * (set_.H.apply(g.row, v) + set_.target[g.row]);
        report.smallest_gap = std::min(report.smallest_gap, gap);
    }
    if (!report.converged) report.body = worst_body(in, v);
    return report;
}

/// The body whose constraints are violated most at the velocities v; where none is, that of the
/// first constraint.
Index LagrangeContact::worst_body(const ContactInput& in, std::span<const Vec3d> v) const {
    double most = -1;
    Index body = -1;
    for (const ConstraintGroup& g : set_.groups) {
        const double u = set_.H.apply(g.row, v) + set_.target[g.row];
        const bool both_ways = g.kind == ConstraintGroup::Kind::bilateral;
        const double violation = both_ways ? std::abs(u) : std::max(0.0, -u);
        if (!(violation > most) || set_.H.row(g.row).empty()) continue;
        most = violation;
        body = in.body_of(set_.H.row(g.row).front().node);
    }
    return body;
}

void LagrangeContact::read_back(const ContactInput& in, std::span<const Vec3d> v_end,
                                ContactSet& set, std::span<Vec3d> f) {
    LIMBER_CHECK(impulse_.size() == f.size(), "constrain() came before");
    if (!measured_ && set_.n_rows() > 0) report_depth(in, deepest_at_end(in, v_end), set);
    parallel_for(static_cast<Index>(f.size()), grain,
                 [&](Index i) { f[i] += (1 / in.h) * impulse_[i]; });
    std::swap(past_, latest_);
    replaying_ = false;
    for (std::size_t j = 0; j < joints_.size(); ++j)
        joints_[j]->read_back(
            {in.x, in.v, in.time, in.h},
            std::span(p_).subspan(joint_rows_[j], joint_rows_[j + 1] - joint_rows_[j]));
}

// Keys and impulses apart: between them a record would have bytes that nobody sets.
void LagrangeContact::save(ByteWriter& out) const {
    std::vector<ContactKey> keys;
    std::vector<Vec3d> impulses;
    for (const PastContact& past : past_.contacts) {
        keys.push_back(past.key);
        impulses.push_back(past.impulse);
    }
    out.put_array("lagrange_keys", std::span<const ContactKey>(keys));
    out.put_array("lagrange_impulses", std::span<const Vec3d>(impulses));
    out.put_array("lagrange_joints", std::span<const double>(past_.joints));
    for (const auto& joint : joints_) joint->save(out);
}

void LagrangeContact::load(ByteReader& in) {
    const auto keys = in.get_vector<ContactKey>("lagrange_keys");
    std::vector<Vec3d> impulses(keys.size());
    in.get_array("lagrange_impulses", std::span(impulses));
    Impulses loaded;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool ordered = i == 0 || keys[i - 1] < keys[i];
        if (!ordered) in.fail("lagrange_keys", "is out of order at index " + std::to_string(i));
        if (!is_finite(impulses[i]))
            in.fail("lagrange_impulses",
                    "has a value that is not finite at index " + std::to_string(i));
        loaded.contacts.push_back({keys[i], impulses[i]});
    }
    loaded.joints = in.get_vector<double>("lagrange_joints");
    for (std::size_t i = 0; i < loaded.joints.size(); ++i)
        if (!std::isfinite(loaded.joints[i]))
            in.fail("lagrange_joints",
                    "has a value that is not finite at index " + std::to_string(i));
    for (const auto& joint : joints_) joint->load(in);
    past_ = std::move(loaded);
}

void LagrangeContact::keep() {
    for (const auto& joint : joints_) joint->keep();
}

void LagrangeContact::reset() {
    past_ = {};
    for (const auto& joint : joints_) joint->reset();
}

}  // namespace limber

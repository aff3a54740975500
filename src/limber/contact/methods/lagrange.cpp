// SPDX-License-Identifier: Apache-2.0
#include "limber/contact/methods/lagrange.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/contact/complementarity/group_laws.h"
#include "limber/contact/contact_read_back.h"
#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/timer.h"

namespace limber {

namespace {

constexpr Index grain = 2048;
// Problems of a pass for the constraints found to act; then one for all of them.
constexpr int most_rounds = 8;
// Against obstacles contacts are looked for once more where the last look left no more than so much
// of the depth. A half gives up too early at a rim that a face turns over: 0.53 mm instead of 0.12.
constexpr double gain = 0.8;
// Between bodies a pass is a step of Newton's method: one that makes it deeper may be followed by
// one that gets there. Passes that change the depth by less than this say the same again: `spacing`
// leaves nodes out.
constexpr double stalled = 0.05;

// Below it W is cheap whatever the factor costs.
constexpr Index fewest_rows = 300;
// Beyond it W takes hundreds of megabytes and minutes: what is not solved without it is told.
constexpr Index most_rows_of_W = 2000;
// A solve takes 5 factors in the mean and seldom 50; what takes more goes on with W.
constexpr int most_factors = 200;
// Factors of A that cost as much as W and what is done with it, in flops of them over rows³.
constexpr double factors_for_W = 30;
// Residual of the first solve without W in a step, and how it shrinks from one to the next: what
// the tangent of the bodies leaves out is more than that, and the last one is solved to the end.
constexpr double first_looseness = 1e-2, looser = 0.1;

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
    expected_.clear();
    if (!pushed_.empty()) expected_.resize(in.x.size());
    LIMBER_CHECK(pushed_.empty() || pushed_.back() < std::ssize(in.x), "nodes of this model");
    for (std::size_t k = 0; k < pushed_.size(); ++k) expected_[pushed_[k]] = in.h * push_[k];
    extra_.clear();
    looks_ = 0;
    loose_ = first_looseness;
    loosely_ = tightly_ = false;
    out.contacts.clear();
    out.terms.clear();
    out.max_penetration = 0;
    out.left = {};
    // Sheets on the way they were taking, and later what they run into on that of the step. Free
    // motion says little where folds are about to form: without the forces that keep layers apart
    // it goes through all of them.
    find_sheets(in, in.v, found_);
    extra_.swap(found_.contacts);
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
    sheets_touch_ = false;
    for (const Contact& c : set.contacts) {
        sheets_touch_ = sheets_touch_ || c.key.kind == ContactKey::sheet_node ||
                        c.key.kind == ContactKey::sheet_edges;
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
    if (options_.solver != ComplementarityMethod::automatic || in.equilibrium ||
        (rows < fewest_rows && !sheets_touch_))
        return false;
    const Compliance::Inverted inverted = A.inverted();
    const double n = rows;
    if (!inverted.A) return false;
    // Of sheets that lie on each other W is nearly singular: both sides say the same.
    return sheets_touch_ || (n * n * n > factors_for_W * inverted.flops &&
                             AugmentedLagrangian::fits(*inverted.A, set_.H, set_.groups));
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
    if (!tightly_) limits.tolerance = std::max(limits.tolerance, loose_);
    loose_ *= looser;
    const ComplementarityStats stats = augmented_.solve(
        {*inverted.A, inverted.free, A, set_.H, u_free_, set_.groups, largest_W_}, limits, p_);
    loosely_ = stats.converged && stats.residual > options_.limits.tolerance;
    return stats;
}

/// Of one problem that was solved.
void LagrangeContact::note(const ContactInput& in, const ComplementarityStats& stats,
                           ConstraintReport& report) {
    if (clocked() || in.deadline_ms > 0) decided_.push_back(stats.iterations);
    ++report.rounds;
    report.iterations += stats.iterations;
    report.residual = stats.residual;
    // Joints that hold a body at rest have nothing but rounding to solve for.
    report.converged = stats.converged || stats.residual * largest(u_free_) <= rounding(in);
}

/// v = free + A⁻¹ Hᵀ p, and u of all rows there.
void LagrangeContact::correct(Compliance& A, std::span<Vec3d> v, ConstraintReport& report) {
    ScopedTimer timer(report.correct_ms);
    const Index n = static_cast<Index>(v.size());
    std::fill(impulse_.begin(), impulse_.end(), Vec3d{});
    set_.H.add_transposed(p_, impulse_);
    A.apply(impulse_, change_);
    parallel_for(n, grain, [&](Index i) { v[i] = free_[i] + change_[i]; });
    for (Index r = 0; r < report.rows; ++r) u_[r] = set_.H.apply(r, v) + set_.target[r];
}

/// W for the groups that act, until no other closes.
void LagrangeContact::solve_acting(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                                   bool by_clock, ConstraintReport& report) {
    const double scale = largest(u_free_), goal = options_.limits.tolerance * scale;
    // Under the impulses there were. Where a clock ends iterations there is one problem a pass, so
    // that what it decided can be replayed.
    for (Index r = 0; r < report.rows; ++r) u_[r] = set_.H.apply(r, in.v) + set_.target[r];
    acting_.grow(p_, u_, 0);
    for (int round = 0;; ++round) {
        if (by_clock || round == most_rounds) acting_.take_all();
        {
            ScopedTimer timer(report.compliance_ms);
            acting_.build(A, round == 0 && !(in.again && in.same_compliance));
        }
        report.built = std::max(report.built, static_cast<int>(acting_.n_rows()));
        {
            ScopedTimer timer(report.resolve_ms);
            acting_.load(u_free_, p_);
            const ComplementarityProblem problem = acting_.problem();
            const double scale_of_part = largest(problem.u_free);
            ComplementarityOptions limits = limits_of(in);
            if (scale_of_part > 0) limits.tolerance = goal / scale_of_part;
            ComplementarityStats stats = solver_->solve(problem, limits, acting_.impulses());
            if (scale > 0) stats.residual *= scale_of_part / scale;
            note(in, stats, report);
            acting_.store(p_);
            report.late = report.late || limits.late();
        }
        correct(A, v, report);
        if (!acting_.grow(p_, u_, goal)) return;
    }
}

/// The impulses p that solve for the rows in set_, and v after those.
void LagrangeContact::solve_pass(const ContactInput& in, Compliance& A, std::span<Vec3d> v,
                                 ConstraintReport& report) {
    u_free_.resize(report.rows);
    u_.resize(report.rows);
    for (Index r = 0; r < report.rows; ++r) u_free_[r] = set_.H.apply(r, free_) + set_.target[r];
    const bool by_clock = clocked() || in.deadline_ms > 0 || !replayed_.empty();
    loosely_ = false;
    if (without_W(in, A, report.rows)) {
        {
            ScopedTimer timer(report.resolve_ms);
            note(in, solve_without_W(in, A), report);
            report.late = report.late || limits_of(in).late();
        }
        // What did not get there goes on with W.
        if (report.converged || by_clock || report.rows > most_rows_of_W)
            return correct(A, v, report);
    }
    solve_acting(in, A, v, by_clock, report);
}

/// free_ = v less what A⁻¹ makes of the impulses that v has in it: free motion where A⁻¹ is exact,
/// and else what with A⁻¹ alone gives v again.
void LagrangeContact::find_free_motion(const ContactInput& in, Compliance& A) {
    const Index n = static_cast<Index>(in.v.size());
    free_.resize(n);
    change_.resize(n);
    const bool known = in.again && in.same_compliance && !in.answered.empty() &&
                       std::equal(in.answered.begin(), in.answered.end(), impulse_.begin());
    if (!in.answered.empty() && !known) A.apply(in.answered, change_);
    parallel_for(n, grain, [&](Index i) {
        free_[i] = in.v[i];
        if (!in.answered.empty())
            free_[i] -= in.free.empty() ? change_[i] : masked(change_[i], in.free[i]);
    });
}

/// Along the path of v: contacts and their rows.
void LagrangeContact::look_for_contacts(const ContactInput& in, std::span<const Vec3d> v,
                                        ContactSet& set) {
    find_more(in, v, look_, set);
    ContactInput free = in;
    free.v = free_;
    add_rows(free, set);
    start_from(in.again ? latest_ : past_, set);
    acting_.begin(set_);
}

ConstraintReport LagrangeContact::constrain(const ContactInput& in, Compliance& A,
                                            std::span<Vec3d> v, ContactSet& set) {
    ConstraintReport report;
    if (!in.again) looked_ = 0;
    look_ = look_ && in.again;
    if (!look_) find_free_motion(in, A);
    if (look_ || !extra_.empty() || !in.again || !in.same_compliance) {
        ScopedTimer timer(report.detect_ms);
        look_for_contacts(in, look_ ? std::span<const Vec3d>(v) : free_, set);
    }
    look_ = measured_ = false;
    report.rows = set_.n_rows();
    impulse_.assign(v.size(), {});
    if (report.rows == 0) {
        std::copy(free_.begin(), free_.end(), v.begin());
        std::fill(change_.begin(), change_.end(), Vec3d{});
    } else {
        solve_pass(in, A, v, report);
    }
    keep_impulses(in.h, set);
    for (const ConstraintGroup& g : set_.groups) {
        if (g.kind == ConstraintGroup::Kind::bilateral || g.kind == ConstraintGroup::Kind::limited)
            continue;
        const double gap = in.h * (set_.H.apply(g.row, v) + set_.target[g.row]);
        report.smallest_gap = std::min(report.smallest_gap, gap);
    }
    if (!report.converged) report.body = worst_body(in, v);
    return report;
}

/// Whether v ends with surfaces nearer than is asked for and may get them farther apart.
bool LagrangeContact::ends_too_deep(const ContactInput& in, std::span<const Vec3d> v,
                                    ContactSet& set, ConstraintReport& report) {
    if (options_.relinearise == 0 || set_.n_rows() == 0) return false;
    const ContactSet::Left now = deepest_at_end(in, v);
    measured_ = true;
    report_depth(in, now, set);
    if (now.depth > 0) report.smallest_gap = std::min(report.smallest_gap, -now.depth);
    if (!(now.depth > options_.overlap * mean_edge(in)) || looked_ == options_.relinearise)
        return false;
    at_end_.swap(found_.contacts);
    bool again = now.depth < gain * before_.depth;
    if (looked_ == 0) {
        // Bodies that began inside each other by more than a step may close leave as they can.
        before_ = deepest_at(in, in.x, in.time);
        again = now.depth >= before_.depth || before_.depth < alarm_distance(in);
    } else if (now.obstacle < 0) {
        again = std::abs(now.depth - before_.depth) > stalled * before_.depth;
    }
    ++looked_;
    before_ = now;
    return again;
}

/// Whether v is where the step ends: solved as exactly as is asked for, surfaces as far apart as is
/// asked for or as they can, sheets on their own sides.
ContactMethod::Settled LagrangeContact::settles(const ContactInput& in, std::span<const Vec3d> v,
                                                ContactSet& set, ConstraintReport& report) {
    if (loosely_) {
        tightly_ = true;
        return Settled::again;
    }
    ScopedTimer timer(report.detect_ms);
    look_ = ends_too_deep(in, v, set, report);
    const Settled sheets = sheets_settle(in, v, set);
    return look_ && sheets == Settled::yes ? Settled::again : sheets;
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
    keep_pushes(in.h);
    replaying_ = false;
    for (std::size_t j = 0; j < joints_.size(); ++j)
        joints_[j]->read_back(
            {in.x, in.v, in.time, in.h},
            std::span(p_).subspan(joint_rows_[j], joint_rows_[j + 1] - joint_rows_[j]));
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include "limber/linalg/pcg.h"

#include <algorithm>
#include <cmath>

#include "limber/core/check.h"
#include "limber/core/parallel.h"
#include "limber/core/simd.h"
#include "limber/core/stop.h"
#include "limber/linalg/vec3_packet.h"

namespace limber {

namespace {

// Nodes of one chunk: four vectors of it stay in the first-level cache.
constexpr Index pcg_nodes = 256;

// Squares of a residual below this lose digits to underflow: it is zero for every purpose.
constexpr double vanished = 1e-290;

constexpr int pcg_lanes = 8;
using Lanes = Packet<double, pcg_lanes>;

Index vector_chunks(Index n) {
    return (n + pcg_nodes - 1) / pcg_nodes;
}

double sum_of(const Lanes& p) {
    return ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]));
}

/// r·z and r·r.
struct Products {
    double rz = 0, rr = 0;
};

/// r -= alpha q, q = z = P⁻¹ r with a diagonal P, over n numbers.
Products update_residual(double alpha, const double* inverse, Index n, double* r, double* q) {
    Lanes rz, rr;
    Index i = 0;
    for (; i + pcg_lanes <= n; i += pcg_lanes) {
        const Lanes s = Lanes::load(r + i) - Lanes(alpha) * Lanes::load(q + i);
        const Lanes z = Lanes::load(inverse + i) * s;
        s.store(r + i);
        z.store(q + i);
        rz += s * z;
        rr += s * s;
    }
    Products sum{sum_of(rz), sum_of(rr)};
    for (; i < n; ++i) {
        r[i] -= alpha * q[i];
        q[i] = inverse[i] * r[i];
        sum.rz += r[i] * q[i];
        sum.rr += r[i] * r[i];
    }
    return sum;
}

/// r -= alpha q over n numbers; returns r·r.
double subtract(double alpha, const double* q, Index n, double* r) {
    Lanes rr;
    Index i = 0;
    for (; i + pcg_lanes <= n; i += pcg_lanes) {
        const Lanes s = Lanes::load(r + i) - Lanes(alpha) * Lanes::load(q + i);
        s.store(r + i);
        rr += s * s;
    }
    double sum = sum_of(rr);
    for (; i < n; ++i) {
        r[i] -= alpha * q[i];
        sum += r[i] * r[i];
    }
    return sum;
}

/// z = P⁻¹ r over n nodes; returns r·z. Each node but the last is stored as four numbers, the
/// fourth being overwritten by the next node.
double apply_blocks(const Mat3d* inverse, const Vec3d* r, Index n, Vec3d* z) {
    const double *B = inverse->a, *in = &r->x;
    double* out = &z->x;
    Four rz;
    for (Index i = 0; i + 1 < n; ++i, B += 9, in += 3, out += 3) {
        const Four s = Four::load(in);
        const Four t = Four::load(B) * spread<0>(s) + Four::load(B + 3) * spread<1>(s) +
                       Four::load(B + 6) * spread<2>(s);
        t.store(out);
        rz += s * t;
    }
    z[n - 1] = inverse[n - 1] * r[n - 1];
    return ((rz[0] + rz[1]) + rz[2]) + dot(r[n - 1], z[n - 1]);
}

/// The same with 3x3 blocks, over n nodes: the second loop finds r and q in the first-level cache.
Products update_residual(double alpha, const Mat3d* inverse, Index n, Vec3d* r, Vec3d* q) {
    const double rr = subtract(alpha, &q->x, 3 * n, &r->x);
    return {apply_blocks(inverse, r, n, q), rr};
}

/// x += alpha p, p = z + beta p, over n numbers.
void advance(double alpha, double beta, const double* z, Index n, double* x, double* p) {
    Index i = 0;
    for (; i + pcg_lanes <= n; i += pcg_lanes) {
        const Lanes d = Lanes::load(p + i);
        (Lanes::load(x + i) + Lanes(alpha) * d).store(x + i);
        (Lanes::load(z + i) + Lanes(beta) * d).store(p + i);
    }
    for (; i < n; ++i) {
        x[i] += alpha * p[i];
        p[i] = z[i] + beta * p[i];
    }
}

}  // namespace

Pcg::Sums& Pcg::Sums::operator+=(const Sums& other) {
    rz += other.rz;
    rr += other.rr;
    kinetic += other.kinetic;
    return *this;
}

/// One solve: its passes over memory and its stopping rules.
struct Pcg::Run {
    Pcg& pcg;
    const PcgProblem& problem;
    std::span<Vec3d> x;
    PcgTrace* trace;
    Index n = problem.A.n_nodes();
    bool wants_kinetic = false;
    bool clocked = false;
    double reference = 0;     // what |r| is measured against
    double begin_ms = 0;      // when the first iteration began
    double last_kinetic = 0;  // of the iterate before
    SolveStats stats{};

    void prepare();
    bool guess_is_zero() const;
    Sums begin();
    Sums update(double alpha);
    Sums update_by_operator(double alpha);
    void mask_product(Index first);
    void advance_iterate(double alpha, double beta);
    void finish_iterate(double alpha);
    double kinetic_of(Index i, double alpha) const;
    void record(const Sums& sums);
    bool rule_met(const Sums& sums);
    bool would_miss_deadline() const;
    SolveStats iterate();
};

void Pcg::Run::prepare() {
    LIMBER_CHECK(std::ssize(x) == n && std::ssize(problem.b) == n, "x and b have one entry a node");
    LIMBER_CHECK(problem.P.n_nodes() == n, "the preconditioner was updated for this operator");
    LIMBER_CHECK(problem.free.empty() || std::ssize(problem.free) == n, "one mask entry a node");
    LIMBER_CHECK(problem.mass.empty() || std::ssize(problem.mass) == n, "one mass a node");
    LIMBER_CHECK(problem.velocity.empty() || std::ssize(problem.velocity) == n,
                 "one velocity a node");
    LIMBER_CHECK(pcg.options_.energy_tolerance == 0 || !problem.mass.empty() || n == 0,
                 "the kinetic energy rule needs the mass");
    LIMBER_CHECK(pcg.options_.deadline_ms == 0 || problem.clock || problem.forced_iterations >= 0,
                 "a deadline needs a clock");
    pcg.r_.resize(n);
    pcg.p_.resize(n);
    pcg.q_.resize(n);
    pcg.fixed_.resize(n);
    pcg.n_fixed_.resize(vector_chunks(n));
    pcg.partial_.resize(vector_chunks(n));
    wants_kinetic = !problem.mass.empty() && (pcg.options_.energy_tolerance > 0 || trace);
    clocked = pcg.options_.deadline_ms > 0 && problem.clock && problem.forced_iterations < 0;
    if (trace) *trace = {};
}

/// A zero guess saves the product A x.
bool Pcg::Run::guess_is_zero() const {
    return std::all_of(x.begin(), x.end(), [](const Vec3d& v) { return v == Vec3d{}; });
}

/// ½ m |velocity + x + alpha p|² of node i.
double Pcg::Run::kinetic_of(Index i, double alpha) const {
    Vec3d v = x.data()[i] + alpha * pcg.p_.data()[i];
    if (!problem.velocity.empty()) v += problem.velocity.data()[i];
    return 0.5 * problem.mass.data()[i] * squared_norm(v);
}

/// r = b - A x on the free degrees of freedom, z = P⁻¹ r; also lists the nodes with a prescribed
/// axis, so that the later passes need not read the mask.
Pcg::Sums Pcg::Run::begin() {
    const bool product = !guess_is_zero();
    if (product) problem.A.apply(x, pcg.q_);
    Vec3d *r = pcg.r_.data(), *p = pcg.p_.data(), *q = pcg.q_.data();
    const Vec3d* b = problem.b.data();
    const Vec3d* free = problem.free.empty() ? nullptr : problem.free.data();
    const auto pass = [&](Index first, Index last) {
        Index* fixed = pcg.fixed_.data() + first;
        Index n_fixed = 0;
        for (Index i = first; i < last; ++i) {
            r[i] = b[i];
            p[i] = {};
            if (!product) q[i] = {};
            if (!free || free[i] == Vec3d{1, 1, 1}) continue;
            r[i] = masked(r[i], free[i]);
            fixed[n_fixed++] = i;
        }
        pcg.n_fixed_.data()[first / pcg_nodes] = n_fixed;
    };
    parallel_ranges(n, pcg_nodes, pass);
    return update(1);  // with p = 0
}

/// q of one chunk is zero where the degree of freedom is prescribed.
void Pcg::Run::mask_product(Index first) {
    const Index* fixed = pcg.fixed_.data() + first;
    const Index n_fixed = pcg.n_fixed_.data()[first / pcg_nodes];
    Vec3d* q = pcg.q_.data();
    for (Index k = 0; k < n_fixed; ++k)
        q[fixed[k]] = masked(q[fixed[k]], problem.free.data()[fixed[k]]);
}

/// update() with a P⁻¹ that needs all of r before it gives any of z.
Pcg::Sums Pcg::Run::update_by_operator(double alpha) {
    Vec3d *r = pcg.r_.data(), *q = pcg.q_.data();
    Sums sums = parallel_sum(n, pcg_nodes, std::span(pcg.partial_), [&](Index first, Index last) {
        mask_product(first);
        Sums part{0, subtract(alpha, &q[first].x, 3 * (last - first), &r[first].x), 0};
        if (wants_kinetic)
            for (Index i = first; i < last; ++i) part.kinetic += kinetic_of(i, alpha);
        return part;
    });
    problem.P.apply(std::span(pcg.r_).first(n), std::span(pcg.q_).first(n));
    sums.rz = parallel_sum(n, pcg_nodes, std::span(pcg.partial_), [&](Index first, Index last) {
                  mask_product(first);
                  Sums part;
                  for (Index i = first; i < last; ++i) part.rz += dot(r[i], q[i]);
                  return part;
              }).rz;
    return sums;
}

/// r -= alpha q, then z = P⁻¹ r in the place of q, with the sums that decide what follows. Where
/// asked, the kinetic energy is that of x + alpha p, which advance_iterate() stores.
Pcg::Sums Pcg::Run::update(double alpha) {
    if (problem.P.inverse()) return update_by_operator(alpha);
    const Vec3d* diagonal = problem.P.inverse_diagonal().data();
    const Mat3d* blocks = problem.P.inverse_blocks().data();
    const bool by_block = problem.P.kind() == PreconditionerKind::block_jacobi;
    Vec3d *r = pcg.r_.data(), *q = pcg.q_.data();
    const auto pass = [&](Index first, Index last) {
        mask_product(first);
        const Products products =
            by_block ? update_residual(alpha, blocks + first, last - first, r + first, q + first)
                     : update_residual(alpha, &diagonal[first].x, 3 * (last - first), &r[first].x,
                                       &q[first].x);
        Sums sums{products.rz, products.rr, 0};
        if (wants_kinetic)
            for (Index i = first; i < last; ++i) sums.kinetic += kinetic_of(i, alpha);
        return sums;
    };
    return parallel_sum(n, pcg_nodes, std::span(pcg.partial_), pass);
}

void Pcg::Run::advance_iterate(double alpha, double beta) {
    double *x0 = &x.data()->x, *p = &pcg.p_.data()->x;
    const double* z = &pcg.q_.data()->x;
    parallel_ranges(n, pcg_nodes, [=](Index first, Index last) {
        const std::ptrdiff_t at = 3 * static_cast<std::ptrdiff_t>(first);
        advance(alpha, beta, z + at, 3 * (last - first), x0 + at, p + at);
    });
}

/// x += alpha p when no further direction is needed.
void Pcg::Run::finish_iterate(double alpha) {
    Vec3d* x0 = x.data();
    const Vec3d* p = pcg.p_.data();
    parallel_for(n, pcg_nodes, [=](Index i) { x0[i] += alpha * p[i]; });
}

void Pcg::Run::record(const Sums& sums) {
    stats.absolute_residual = std::sqrt(sums.rr);
    stats.residual = reference > 0 ? stats.absolute_residual / reference : 0;
    if (!trace) return;
    trace->residual.push_back(stats.absolute_residual);
    if (wants_kinetic) trace->kinetic.push_back(sums.kinetic);
}

/// Would the next iteration end after the deadline? Before the first one of this solve the mean of
/// the last solve is the best guess there is.
bool Pcg::Run::would_miss_deadline() const {
    if (!clocked) return false;
    const double now = problem.clock->ms();
    const double mean =
        stats.iterations > 0 ? (now - begin_ms) / stats.iterations : pcg.mean_iteration_ms_;
    return now + mean > pcg.options_.deadline_ms;
}

/// Sets the status when a stopping rule holds for the iterate described by `sums`. Under forced
/// iterations the rules only name the reason; what no rule explains was the clock.
bool Pcg::Run::rule_met(const Sums& sums) {
    const PcgOptions& options = pcg.options_;
    const bool forced = problem.forced_iterations >= 0;
    if (sums.rr < vanished || std::fabs(sums.rz) < vanished) {
        stats.status = SolveStatus::converged;
        return true;
    }
    if (forced && stats.iterations < problem.forced_iterations) return false;
    const double change = std::fabs(sums.kinetic - last_kinetic);
    if (stats.absolute_residual <= options.rel_tolerance * reference)
        stats.status = SolveStatus::converged;
    else if (options.energy_tolerance > 0 && stats.iterations > 0 &&
             change < options.energy_tolerance * std::max(sums.kinetic, last_kinetic))
        stats.status = SolveStatus::energy_settled;
    else if (stats.iterations >= options.max_iterations)
        stats.status = SolveStatus::iteration_cap;
    else if (forced || would_miss_deadline())
        stats.status = SolveStatus::deadline;
    else
        return false;
    return true;
}

SolveStats Pcg::Run::iterate() {
    Sums sums = begin();
    const auto trouble = [&](bool finite) {
        stats.status = finite ? SolveStatus::indefinite : SolveStatus::not_finite;
        return stats;
    };
    reference = problem.b_norm > 0 ? problem.b_norm : std::sqrt(sums.rr);
    record(sums);
    if (!std::isfinite(sums.rr + sums.rz + problem.b_norm)) return trouble(false);
    if (clocked) begin_ms = problem.clock->ms();
    if (rule_met(sums)) return stats;
    if (!(sums.rz > 0)) return trouble(true);
    pcg.p_.swap(pcg.q_);  // p = z

    for (;;) {
        stop_if_requested();
        const double pq = problem.A.apply(pcg.p_, pcg.q_);
        if (!(pq > 0 && std::isfinite(pq))) return trouble(std::isfinite(pq));
        const double alpha = sums.rz / pq;
        const Sums next = update(alpha);
        // x is stored only after this test: it stays the last good iterate.
        if (!std::isfinite(next.rr + next.rz + alpha)) return trouble(false);
        ++stats.iterations;
        record(next);
        last_kinetic = sums.kinetic;
        const double beta = next.rz / sums.rz;
        sums = next;
        if (rule_met(sums)) {
            finish_iterate(alpha);
            return stats;
        }
        if (!(sums.rz > 0)) {
            finish_iterate(alpha);
            return trouble(true);
        }
        advance_iterate(alpha, beta);
    }
}

SolveStats Pcg::solve(const PcgProblem& problem, std::span<Vec3d> x, PcgTrace* trace) {
    Run run{.pcg = *this, .problem = problem, .x = x, .trace = trace};
    run.prepare();
    const SolveStats stats = run.iterate();
    if (run.clocked && stats.iterations > 0)
        mean_iteration_ms_ = (problem.clock->ms() - run.begin_ms) / stats.iterations;
    return stats;
}

double Pcg::iteration_bytes(double product_bytes, const Preconditioner& P) {
    // r, q and x and p read and written, p read, z read, and P.
    const double vectors = (2 + 2 + 2 + 2 + 1) * sizeof(Vec3d);
    return product_bytes + vectors * P.n_nodes() +
           static_cast<double>(P.inverse_blocks().size_bytes() + P.inverse_diagonal().size_bytes());
}

}  // namespace limber

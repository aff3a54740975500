// SPDX-License-Identifier: Apache-2.0
#include "registry.h"

#include "hecht2012.h"
#include "view_rate.h"
#include "wang2016.h"
#include "zeng2022.h"

#include "limber/io/file.h"

namespace limber::bench {

namespace {

const BenchEntry table[] = {
    {"dahl2019-table1", "Dahl & Bargteil 2019, Table 1",
     "time of a frame for capped and converged CG, three scenes x three initial guesses",
     dahl2019_table1},
    {"dahl2019-fig2", "Dahl & Bargteil 2019, Fig. 2",
     "one frame of the bowling scene at 10 iterations, for each initial guess", dahl2019_fig2},
    {"dahl2019-fig3", "Dahl & Bargteil 2019, Fig. 3",
     "kinetic energy of one solve against iteration, for each initial guess", dahl2019_fig3},
    {"dahl2019-fig4", "Dahl & Bargteil 2019, Fig. 4",
     "kinetic energy of one solve against iteration, for each preconditioner", dahl2019_fig4},
    {"beam-101k", "the field's beam",
     "a whole step of 10 CG iterations on 101 250 tets, stage by stage, against the byte floor",
     beam_101k},
    {"linear-solvers", "every linear solver on one system",
     "setup, solve, iterations and true residual of all methods: static, dynamic, one material, "
     "two",
     linear_solvers},
    {"hecht2012-table1", "Hecht et al. 2012, Table I",
     "CG against warp-canceling on the falling sculpture, three meshes x three stiffnesses",
     hecht2012_table1},
    {"hecht2012-curve", "Hecht et al. 2012, scene of Table I",
     "error of warp-canceling against full factorisation over 300 frames", hecht2012_curve},
    {"hecht2012-table2", "Hecht et al. 2012, Table II", "stages of a step, CG and warp-canceling",
     hecht2012_table2},
    {"hecht2012-table3", "Hecht et al. 2012, Table III", "stages against threads",
     hecht2012_table3},
    {"hecht2012-table4", "Hecht et al. 2012, Table IV",
     "update strategies on the three-torus and the bowl of bears", hecht2012_table4},
    {"hecht2012-table5", "Hecht et al. 2012, Table V", "bear squash, sheet, trampoline, spider",
     hecht2012_table5},
    {"hecht2012-memory", "Hecht et al. 2012, section 6", "memory of factor and update blocks",
     hecht2012_memory},
    {"hecht2012-update", "Hecht et al. 2012, section 4.3",
     "time of an update against the share of dirty nodes", hecht2012_update},
    {"wang2016-table1", "Wang & Yang 2016, Table 1",
     "time of a step of 96 iterations, every scene of the table", wang2016_table1},
    {"wang2016-scaling", "Wang & Yang 2016, section 6", "cost of a step from 1K to 1M tets",
     wang2016_scaling},
    {"wang2016-fig2", "Wang & Yang 2016, Fig. 2",
     "error of one step against iterations and time, by direction", wang2016_fig2, true},
    {"wang2016-fig3", "Wang & Yang 2016, Fig. 3", "the same by the age of the diagonal",
     wang2016_fig3},
    {"wang2016-fig4", "Wang & Yang 2016, Fig. 4",
     "the same on the dress, beside diagonal projective dynamics", wang2016_fig4},
    {"wang2016-fig5", "Wang & Yang 2016, Fig. 5", "the same by acceleration, Chebyshev's tuned",
     wang2016_fig5},
    {"wang2016-fig6", "Wang & Yang 2016, Fig. 6", "energy left by each initialisation",
     wang2016_fig6},
    {"wang2016-fig7", "Wang & Yang 2016, Fig. 7",
     "elements that the conversion holds against the load, StVK", wang2016_fig7},
    {"wang2016-fig8", "Wang & Yang 2016, Fig. 8", "where the time of a step goes", wang2016_fig8},
    {"wang2016-fig9", "Wang & Yang 2016, Fig. 9", "how far the double helix stretches, four meshes",
     wang2016_fig9},
    {"wang2016-fig10", "Wang & Yang 2016, Fig. 10", "a box under four laws and three loads",
     wang2016_fig10},
    {"wang2016-fig11", "Wang & Yang 2016, Fig. 11",
     "force against stretch, four laws, beside the analytic curve", wang2016_fig11},
    {"descent-defaults", "beside Wang & Yang 2016",
     "descent with every option at its default, where defaults once went wrong", descent_defaults},
    {"gpu-descent", "beside Wang & Yang 2016",
     "a step of 96 iterations on a graphics card, 60K to 10M tets, and the time to an error",
     gpu_descent, true},
    {"gpu-scaling", "beside Wang & Yang 2016",
     "a step of 96 iterations on a graphics card, 1K to 30M tets: bytes, bandwidth, memory",
     gpu_scaling},
    {"constant-factor", "Kugelstadt et al. 2018, Liu et al. 2017",
     "error against time of one constant factor, the rival's scheme and ours, beside Newton, CG "
     "and descent",
     constant_factor, true},
    {"constant-factor-beam", "Kugelstadt et al. 2018, Liu et al. 2017",
     "the same on the field's beam of 101 250 tets", constant_factor_beam},
    {"auto", "every scene",
     "the solver that `auto` takes beside the best of the others at the same error",
     automatic_choice},
    {"contact-depth", "every scene with contact",
     "how deep bodies are inside each other and obstacles, measured apart from contact",
     contact_depth},
    {"descent-bodies", "beside Wang & Yang 2016",
     "the same on six bodies of 50K to 300K tets, beside Newton's method", descent_bodies},
    {"descent-today", "beside Wang & Yang 2016",
     "error against time in steps of a run: all methods without a factor, and one Newton iteration",
     descent_today, true},
    {"zeng2022-fig9", "Zeng et al. 2022, Fig. 9",
     "cost of the Schur complement against constraints, every method", zeng2022_fig9},
    {"zeng2022-fig10", "Zeng et al. 2022, Fig. 10",
     "the same against degrees of freedom at fixed contact, with the exponent", zeng2022_fig10},
    {"zeng2022-fig11", "Zeng et al. 2022, Fig. 11", "share of the Schur complement in a step",
     zeng2022_fig11},
    {"zeng2022-table1", "Zeng et al. 2022, Table 1",
     "stages of a step with 59 529 degrees of freedom in contact", zeng2022_table1},
    {"zeng2022-table3", "Zeng et al. 2022, Table 3", "nine scenes of contact, whole steps",
     zeng2022_table3},
    {"contact-accuracy", "limber",
     "slopes, stacks, gaps and the work of friction under contact by constraints",
     contact_accuracy},
    {"contact-speed", "limber", "a tool on a small body, and a block of 12 167 nodes, per solver",
     contact_speed},
    {"zeng2022-table2", "Zeng et al. 2022, Table 2",
     "building W against solving in every iteration, 10 and 200 iterations", zeng2022_table2},
    {"gpu-factor", "limber",
     "a fresh factor, a solve and their errors on the graphics card, beside the CPU's", gpu_factor},
    {"view-rate", "the live page", "step rate with the page against without, frames that arrive",
     view_rate},
};

}  // namespace

std::span<const BenchEntry> benches() {
    return table;
}

void write_plot(const BenchOptions& options, const std::string& name, const std::string& svg,
                BenchResult& result) {
    write_file_atomic(options.out + '/' + name, svg, Flush::to_system);
    result.files.push_back(name);
}

}  // namespace limber::bench

// SPDX-License-Identifier: Apache-2.0
// What the cells of Table I cannot be faster than on this machine: the bytes that solves must read
// and the operations that updates must do, at rates measured in the same run.

#include "hecht2012.h"
#include "limber/fem/assembly.h"
#include "limber/linalg/bandwidth.h"
#include "limber/linalg/pcg.h"
#include "limber/linalg/supernodal/cholesky.h"
#include "limber/scene/build/model.h"
#include "limber/study/gemm_rate.h"

namespace limber::bench {

double HechtFloor::full_ms() const {
    return 1e3 * (flops / gemm_double + 2 * factor_double / read_double);
}
double HechtFloor::cg_ms(const HechtRun& run) const {
    return 1e3 * run.iterations * cg_iteration / read_matrix;
}
double HechtFloor::solve_ms(const HechtRun& run, bool single) const {
    // Both substitutions read all of L. A refined solve reads A as well, once more for the first
    // residual.
    const double factor =
        single ? 2 * factor_single / read_single : 2 * factor_double / read_double;
    if (run.iterations == 0) return 1e3 * factor;
    return 1e3 * (run.iterations * factor + (run.iterations + 1) * matrix / read_matrix);
}
double HechtFloor::update_ms(const HechtRun& run, bool single) const {
    return 1e3 * run.update.share * flops / (single ? gemm_single : gemm_double);
}

HechtFloor floor_of(const BenchOptions& options, const HechtCase& scene) {
    BuildReport report;
    const Model model = build_model(
        load_scene(options.scenes + '/' + scene.file + ".toml", {scene.sets, false}), report);
    options.tell(scene.file + ": bytes and operations");
    SystemAssembler assembler(model.elements);
    BlockCsr A = assembler.make_matrix();
    SupernodalCholesky<double> wide;
    SupernodalCholesky<float> narrow;
    wide.analyze(A);
    narrow.analyze(A);
    CorotationCache rotations;
    rotations.reset(model.elements);
    assembler.assemble({model.h, false, model.lumped}, rotations, A);
    Preconditioner jacobi(PreconditionerKind::block_jacobi);
    jacobi.update(A, model.mass, model.free);
    HechtFloor out;
    out.flops = wide.structure().total_flops;
    out.factor_double = wide.memory().factor_bytes;
    out.factor_single = narrow.memory().factor_bytes;
    out.matrix = A.product_bytes();
    out.cg_iteration = Pcg::iteration_bytes(A.product_bytes(), jacobi);
    out.read_double = read_bandwidth(static_cast<std::size_t>(out.factor_double));
    out.read_single = read_bandwidth(static_cast<std::size_t>(out.factor_single));
    out.read_matrix = read_bandwidth(static_cast<std::size_t>(out.cg_iteration));
    out.gemm_double = gemm_rate(false);
    out.gemm_single = gemm_rate(true);
    return out;
}

}  // namespace limber::bench

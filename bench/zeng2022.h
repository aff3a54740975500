// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benches of Zeng et al. 2022, "Real-Time FE Simulation for Large-Scale Problems Using
// Precondition-Based Contact Resolution and Isolated DOFs Constraints", share: a raptor with its
// lowest surface nodes in contact, and the cost of W by every method.

#include <array>
#include <string>
#include <vector>

#include "limber/linalg/schur/compliance.h"
#include "limber/solve/model.h"
#include "registry.h"

namespace limber::bench {

struct ZengShape {
    std::string name, scene;
    std::vector<std::string> sets;  // as of --set
};
inline const ZengShape raptor_shape{"raptor", "raptor_plane_36k", {}};
inline const ZengShape sculpture_shape{"sculpture", "sculpture_small", {"body.0.rotate=[0,0,0]"}};

/// A body of the paper at rest, its matrix factorised in double and in float.
struct ZengBody {
    ZengBody(const BenchOptions& options, int n_tets, const ZengShape& shape = raptor_shape);
    double dofs() const { return 3.0 * model.n_nodes(); }

    Model model;
    BlockCsr A;
    SupernodalCholesky<double> wide;
    SupernodalCholesky<float> narrow;
    std::vector<Index> lowest;  // surface nodes from below
    std::vector<std::array<Index, 3>> faces;
};

/// Contacts of three rows with a plane on nodes lowest[first, first + n_nodes): one at each node,
/// the others in the middle of surface triangles between them.
void touch(const ZengBody& body, Index first, Index n_nodes, Index n_contacts, ConstraintRows& H);

/// CPU time of one thread for W [ms], the least of several; what would take minutes is measured for
/// some constraints and scaled.
struct ZengCost {
    Index n_constraints = 0, n_contact_dofs = 0;
    double columns = 0, blocked = 0;  // scaled
    double isolated = 0, isolated_float = 0;
    double reuse = 0, reuse_float = 0, new_share = 0;  // mean of steps with one new node each
    double partial_factor = 0, partial = 0;            // the factorisation; and W̄ with it
    double unbuilt_whole = 0, unbuilt_paths = 0;       // one product
    double product = 0;                                // Ĥ W̄ Ĥᵀ alone, in `isolated` too
    SchurWork work;                                    // of isolated
    double wall_two = 0, reuse_wall_two = 0;           // two threads, wall time
    double difference = 0;  // of W by blocked columns and isolated, some columns, relative
};
/// `last`: partial factorisation as well.
ZengCost cost_of(const ZengBody& body, Index n_nodes, Index n_contacts, int repeats,
                 bool last = true);

/// Least squares slope of log y over log x.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

BenchResult zeng2022_fig9(const BenchOptions& options);
BenchResult zeng2022_fig10(const BenchOptions& options);
BenchResult zeng2022_table2(const BenchOptions& options);
BenchResult zeng2022_table1(const BenchOptions& options);
BenchResult zeng2022_fig11(const BenchOptions& options);
BenchResult zeng2022_table3(const BenchOptions& options);
BenchResult contact_accuracy(const BenchOptions& options);
BenchResult contact_speed(const BenchOptions& options);

}  // namespace limber::bench

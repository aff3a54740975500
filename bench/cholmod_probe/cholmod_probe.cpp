// SPDX-License-Identifier: Apache-2.0
// What CHOLMOD makes of a matrix that bench_supernodal wrote: JSON on the standard output.
//
//   bench_supernodal --write A.bin mesh.msh
//   cholmod_probe A.bin [--threads N] [--repeat R] [--rank K]
//
// Supernodal factorisation with METIS under three settings: the defaults, the wide relaxation that
// suits 3x3 blocks, and an order of the nodes found by METIS (compressed graph). One thread is
// timed in its CPU time, more in wall time, the best of R. --rank K times the update that Hecht et
// al. 2012, section 5.2 rejects: K/12 elements, twelve columns each, on a simplicial factor.
//
// Links CHOLMOD, whose supernodal part and updates are GPL: this program is no part of limber.
#include <cholmod.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <vector>

extern "C" void openblas_set_num_threads(int);

namespace {

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::exit(2);
}

double now_ms(int threads) {
    timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

template <class F>
double best_ms(int threads, int repeat, F&& f) {
    double best = 1e300;
    for (int i = 0; i < repeat; ++i) {
        const double start = now_ms(threads);
        f();
        best = std::min(best, now_ms(threads) - start);
    }
    return best;
}

/// Lower triangle as bench_supernodal writes it: n, count, rows, columns, values.
cholmod_sparse* read_matrix(const char* path, cholmod_common* c) {
    std::FILE* file = std::fopen(path, "rb");
    if (!file) fail(std::string("cannot open ") + path);
    std::int64_t head[2];
    if (std::fread(head, sizeof head, 1, file) != 1 || head[0] < 1 || head[0] > INT32_MAX ||
        head[1] < head[0] || head[1] > INT32_MAX)
        fail("not a matrix file");
    const auto n = static_cast<std::size_t>(head[0]), count = static_cast<std::size_t>(head[1]);
    cholmod_triplet* t = cholmod_allocate_triplet(n, n, count, -1, CHOLMOD_REAL, c);
    if (!t) fail("not enough memory");
    bool ok = std::fread(t->i, 4, count, file) == count;
    ok = ok && std::fread(t->j, 4, count, file) == count;
    ok = ok && std::fread(t->x, 8, count, file) == count;
    std::fclose(file);
    if (!ok) fail("the matrix file is cut short");
    const auto *row = static_cast<const int*>(t->i), *col = static_cast<const int*>(t->j);
    for (std::size_t k = 0; k < count; ++k)
        if (col[k] < 0 || row[k] < col[k] || row[k] >= head[0]) fail("not a matrix file");
    t->nnz = count;
    cholmod_sparse* A = cholmod_triplet_to_sparse(t, count, c);
    cholmod_free_triplet(&t, c);
    return A;
}

/// METIS on the graph of nodes, three consecutive rows each: the order CHOLMOD is given.
std::vector<int> node_order(cholmod_sparse* A, cholmod_common* c) {
    const std::size_t n = A->ncol / 3;
    const int *p = static_cast<int*>(A->p), *i = static_cast<int*>(A->i);
    cholmod_triplet* t = cholmod_allocate_triplet(n, n, A->nzmax, -1, CHOLMOD_PATTERN, c);
    std::size_t count = 0;
    for (std::size_t col = 0; col < A->ncol; col += 3)
        for (int k = p[col]; k < p[col + 1]; ++k)
            if (i[k] % 3 == 0 || k == p[col]) {
                static_cast<int*>(t->i)[count] = i[k] / 3;
                static_cast<int*>(t->j)[count++] = static_cast<int>(col / 3);
            }
    t->nnz = count;
    cholmod_sparse* graph = cholmod_triplet_to_sparse(t, count, c);
    std::vector<int> nodes(n), order(3 * n);
    cholmod_metis(graph, nullptr, 0, 1, nodes.data(), c);
    for (std::size_t k = 0; k < n; ++k)
        for (int axis = 0; axis < 3; ++axis) order[3 * k + axis] = 3 * nodes[k] + axis;
    cholmod_free_sparse(&graph, c);
    cholmod_free_triplet(&t, c);
    return order;
}

struct Setting {
    const char* name;
    bool wide, given;
};

void probe(const Setting& setting, cholmod_sparse* A, int threads, int repeat, bool last) {
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.nmethods = 1;
    c.method[0].ordering = setting.given ? CHOLMOD_GIVEN : CHOLMOD_METIS;
    if (setting.wide) {
        const std::size_t columns[3] = {24, 60, 144};
        const double zeros[3] = {0.5, 0.2, 0.06};
        std::copy(columns, columns + 3, c.nrelax);
        std::copy(zeros, zeros + 3, c.zrelax);
    }
    std::vector<int> order;
    cholmod_factor* L = nullptr;
    const double analyze = best_ms(threads, 1, [&] {
        if (setting.given) order = node_order(A, &c);
        L = setting.given ? cholmod_analyze_p(A, order.data(), nullptr, 0, &c)
                          : cholmod_analyze(A, &c);
    });
    if (!L) fail("CHOLMOD could not analyse the matrix");
    cholmod_factorize(A, L, &c);
    const double factor = best_ms(threads, repeat, [&] { cholmod_factorize(A, L, &c); });
    cholmod_dense *b = cholmod_ones(A->nrow, 1, CHOLMOD_REAL, &c), *x = nullptr;
    cholmod_dense *Y = nullptr, *E = nullptr;
    const auto solve = [&] { cholmod_solve2(CHOLMOD_A, L, b, nullptr, &x, nullptr, &Y, &E, &c); };
    solve();
    const double solve_ms = best_ms(threads, 3 * repeat, solve);
    std::printf(
        "  {\"setting\": \"%s\", \"threads\": %d, \"analyze_ms\": %.2f, \"factor_ms\": "
        "%.2f, \"solve_ms\": %.3f, \"nnz_L\": %.0f, \"flops\": %.4g, \"status\": %d}%s\n",
        setting.name, threads, analyze, factor, solve_ms, c.lnz, c.fl, c.status, last ? "" : ",");
    cholmod_free_dense(&x, &c);
    cholmod_free_dense(&Y, &c);
    cholmod_free_dense(&E, &c);
    cholmod_free_dense(&b, &c);
    cholmod_free_factor(&L, &c);
    cholmod_finish(&c);
}

/// Four nodes that all couple, from the pattern of A: the corners of an element.
bool find_element(const std::vector<std::vector<int>>& couples, std::mt19937& engine, int* corner) {
    std::uniform_int_distribution<std::size_t> pick(0, couples.size() - 1);
    corner[0] = static_cast<int>(pick(engine));
    std::vector<int> common = couples[corner[0]];
    for (int k = 1; k < 4; ++k) {
        if (common.empty()) return false;
        corner[k] = common[pick(engine) % common.size()];
        std::vector<int> next;
        std::set_intersection(common.begin(), common.end(), couples[corner[k]].begin(),
                              couples[corner[k]].end(), std::back_inserter(next));
        common = std::move(next);
    }
    return true;
}

/// `rank` columns, twelve an element, each over the twelve rows of that element.
cholmod_sparse* element_columns(cholmod_sparse* A, int rank, cholmod_common* c) {
    const int *p = static_cast<int*>(A->p), *i = static_cast<int*>(A->i);
    std::vector<std::vector<int>> couples(A->ncol / 3);
    for (std::size_t col = 0; col < A->ncol; col += 3)
        for (int k = p[col]; k < p[col + 1]; ++k) {
            const int a = static_cast<int>(col / 3), b = i[k] / 3;
            if (i[k] % 3 != 0 || a == b) continue;
            couples[a].push_back(b);
            couples[b].push_back(a);
        }
    for (auto& list : couples) std::sort(list.begin(), list.end());
    std::mt19937 engine(1);
    std::uniform_real_distribution<double> number(-1, 1);
    cholmod_triplet* t = cholmod_allocate_triplet(
        A->nrow, rank, 12 * static_cast<std::size_t>(rank), 0, CHOLMOD_REAL, c);
    int corner[4] = {};
    for (int column = 0; column < rank; ++column) {
        while (column % 12 == 0 && !find_element(couples, engine, corner)) {
        }
        for (int k = 0; k < 12; ++k) {
            static_cast<int*>(t->i)[t->nnz] = 3 * corner[k / 3] + k % 3;
            static_cast<int*>(t->j)[t->nnz] = column;
            static_cast<double*>(t->x)[t->nnz++] = number(engine);
        }
    }
    cholmod_sparse* C = cholmod_triplet_to_sparse(t, t->nnz, c);
    cholmod_free_triplet(&t, c);
    return C;
}

void probe_update(cholmod_sparse* A, int rank) {
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.nmethods = 1;
    c.method[0].ordering = CHOLMOD_METIS;
    cholmod_factor* L = cholmod_analyze(A, &c);
    cholmod_factorize(A, L, &c);
    cholmod_change_factor(CHOLMOD_REAL, 0, 0, 0, 1, L, &c);  // simplicial LDLᵀ: what updates need
    cholmod_sparse* C = element_columns(A, rank, &c);
    cholmod_sparse* permuted =
        cholmod_submatrix(C, static_cast<int*>(L->Perm), L->n, nullptr, -1, 1, 1, &c);
    const double ms = best_ms(1, 1, [&] { cholmod_updown(1, permuted, L, &c); });
    std::printf("\"update\": {\"rank\": %d, \"ms\": %.1f, \"status\": %d}}\n", rank, ms, c.status);
    cholmod_free_sparse(&permuted, &c);
    cholmod_free_sparse(&C, &c);
    cholmod_free_factor(&L, &c);
    cholmod_finish(&c);
}

int option(int argc, char** argv, const char* name, int otherwise) {
    for (int i = 2; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], name) == 0) return std::atoi(argv[i + 1]);
    return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) fail("usage: cholmod_probe A.bin [--threads N] [--repeat R] [--rank K]");
    const int threads = std::max(1, option(argc, argv, "--threads", 1));
    const int repeat = std::max(1, option(argc, argv, "--repeat", 5));
    const int rank = option(argc, argv, "--rank", 0);
    openblas_set_num_threads(threads);
    cholmod_common c;
    cholmod_start(&c);
    cholmod_sparse* A = read_matrix(argv[1], &c);
    std::printf("{\"rows\": %zu, \"entries\": %ld, \"settings\": [\n", A->nrow, cholmod_nnz(A, &c));
    const Setting settings[] = {{"default", false, false},
                                {"wide relaxation", true, false},
                                {"wide relaxation, nodes ordered", true, true}};
    for (const Setting& setting : settings)
        probe(setting, A, threads, repeat, &setting == std::end(settings) - 1);
    std::printf("]%s\n", rank > 0 ? "," : "}");
    if (rank > 0) probe_update(A, rank);
    cholmod_free_sparse(&A, &c);
    cholmod_finish(&c);
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison says in words, the same in Markdown, on the page and in JSON.

#include <string>
#include <vector>

#include "limber/study/compare.h"

namespace limber {

/// "ball.toml: 1 body, 729 nodes, 2 560 tets, 240 steps of 4.167 ms".
std::string what_was_compared(const CompareResult& result);

/// "penalty (form = implicit, friction = 0.3)": what is not by default, and how it rubs.
std::string contact_text(const CompareResult& result);

/// "done", or what went wrong; why a solver did not run is a note.
std::string status_of(const CompareResult& result, const ContestantResult& contestant);

/// Largest relative error of the energy; NaN where there is none.
double worst_energy(const ContestantResult& contestant);

/// One row a solver: those asked for, converged solvers of other families, the reference.
struct CompareTable {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};
CompareTable table_of(const CompareResult& result);

/// What a reader must know before the figures are compared: who did not run, contact that is not
/// the scene's; and how to read them: how sensitive the scene is, families and the difference of
/// their models. Names of solvers are in `backquotes`.
struct CompareNote {
    enum class Kind { not_run, changed, verdict, reading } kind = Kind::reading;
    std::string text;
};
std::vector<CompareNote> notes_of(const CompareResult& result);

/// What the columns mean.
std::string columns_text();

}  // namespace limber

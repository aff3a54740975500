// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/study/compare.h"

namespace limber {

/// The table, what it was measured against and how to read it.
std::string compare_markdown(const CompareResult& result);
/// Error against time per step, a point a solver; solvers that differ in max_iterations alone are
/// joined.
std::string compare_svg(const CompareResult& result);
/// Errors and energy over simulated time.
std::string error_over_time_svg(const CompareResult& result);
/// Everything, curves included. Values that are not finite are null.
std::string compare_json(const CompareResult& result);
/// Table, figures, notes and the settings of every solver as one page that needs nothing else.
std::string compare_html(const CompareResult& result);

/// compare.html, compare.md, compare.svg, error_over_time.svg and compare.json into `dir`.
void write_comparison(const CompareResult& result, const std::string& dir);

}  // namespace limber

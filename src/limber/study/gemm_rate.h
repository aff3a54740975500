// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

/// Operations a second that the threads in use reach together in the innermost loop of a product of
/// dense matrices, operands packed and in cache: what a factorisation is held against. The best of
/// several rounds.
double gemm_rate(bool single_precision);

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/fem/principal.h"

namespace limber {

/// Blocks of all pairs of the corners 1, 2, 3 of a tet, whose shape functions have the gradients g:
/// K[pair] with pairs 11, 12, 13, 22, 23, 33, per volume. Corner 0 balances them.   [Pa |g|²]
template <class T>
LIMBER_HD void corner_blocks(const SignedSvd<T>& svd, const PrincipalCurvature<T>& c,
                             const Vec3<T> (&g)[3], Mat3<T> (&K)[6]) {
    const Mat3<T> Vt = transpose(svd.V), Ut = transpose(svd.U);
    const Vec3<T> b[3] = {Vt * g[0], Vt * g[1], Vt * g[2]};
    int pair = 0;
    for (int m = 0; m < 3; ++m)
        for (int n = m; n < 3; ++n, ++pair) {
            Mat3<T> H;
            for (int q = 0; q < 3; ++q)
                for (int p = 0; p < 3; ++p) H(p, q) = c.stretch(p, q) * (b[m][p] * b[n][q]);
            for (int k = 0; k < 3; ++k) {
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                const T mean = T(0.5) * (c.flip[k] + c.twist[k]);
                const T mixed = T(0.5) * (c.flip[k] - c.twist[k]);
                H(i, i) += mean * (b[m][j] * b[n][j]);
                H(j, j) += mean * (b[m][i] * b[n][i]);
                H(i, j) += mixed * (b[m][j] * b[n][i]);
                H(j, i) += mixed * (b[m][i] * b[n][j]);
            }
            K[pair] = svd.U * (H * Ut);
        }
}

}  // namespace limber

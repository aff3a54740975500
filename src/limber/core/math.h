// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small vectors and matrices as plain structs. T is double, float, a dual number in tests, or a
// packet of several elements (core/simd.h): nothing here branches on a value of type T.

#include <cmath>

#include "limber/core/types.h"

namespace limber {

template <class T>
struct Vec3 {
    T x{}, y{}, z{};

    LIMBER_HD T& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
    LIMBER_HD const T& operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
    LIMBER_HD Vec3& operator+=(const Vec3& b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    LIMBER_HD Vec3& operator-=(const Vec3& b) {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }
    LIMBER_HD Vec3& operator*=(const T& s) {
        x *= s;
        y *= s;
        z *= s;
        return *this;
    }
    friend LIMBER_HD bool operator==(const Vec3&, const Vec3&) = default;
};

template <class T>
LIMBER_HD Vec3<T> operator+(Vec3<T> a, const Vec3<T>& b) {
    return a += b;
}
template <class T>
LIMBER_HD Vec3<T> operator-(Vec3<T> a, const Vec3<T>& b) {
    return a -= b;
}
template <class T>
LIMBER_HD Vec3<T> operator-(const Vec3<T>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class T>
LIMBER_HD Vec3<T> operator*(const T& s, Vec3<T> a) {
    return a *= s;
}
template <class T>
LIMBER_HD Vec3<T> operator*(Vec3<T> a, const T& s) {
    return a *= s;
}
template <class T>
LIMBER_HD T dot(const Vec3<T>& a, const Vec3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
LIMBER_HD Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
LIMBER_HD T squared_norm(const Vec3<T>& a) {
    return dot(a, a);
}
template <class T>
LIMBER_HD T norm(const Vec3<T>& a) {
    using std::sqrt;
    return sqrt(dot(a, a));
}

/// 3x3, column-major: a[i + 3 j] is row i, column j, so that `a` is vec(F) as the Hessians use it.
template <class T>
struct Mat3 {
    T a[9]{};

    LIMBER_HD T& operator()(int i, int j) { return a[i + 3 * j]; }
    LIMBER_HD const T& operator()(int i, int j) const { return a[i + 3 * j]; }
    LIMBER_HD Vec3<T> col(int j) const { return {a[3 * j], a[3 * j + 1], a[3 * j + 2]}; }
    LIMBER_HD Vec3<T> row(int i) const { return {a[i], a[i + 3], a[i + 6]}; }
    LIMBER_HD Mat3& operator+=(const Mat3& b) {
        for (int i = 0; i < 9; ++i) a[i] += b.a[i];
        return *this;
    }
    LIMBER_HD Mat3& operator-=(const Mat3& b) {
        for (int i = 0; i < 9; ++i) a[i] -= b.a[i];
        return *this;
    }
    LIMBER_HD Mat3& operator*=(const T& s) {
        for (int i = 0; i < 9; ++i) a[i] *= s;
        return *this;
    }
    friend LIMBER_HD bool operator==(const Mat3&, const Mat3&) = default;

    static LIMBER_HD Mat3 identity() { return diagonal(T(1), T(1), T(1)); }
    // All entries at once: packets that are first set to zero do not stay in registers.
    static LIMBER_HD Mat3 diagonal(const T& x, const T& y, const T& z) {
        return {{x, T(0), T(0), T(0), y, T(0), T(0), T(0), z}};
    }
    static LIMBER_HD Mat3 from_columns(const Vec3<T>& c0, const Vec3<T>& c1, const Vec3<T>& c2) {
        return {{c0.x, c0.y, c0.z, c1.x, c1.y, c1.z, c2.x, c2.y, c2.z}};
    }
};

template <class T>
LIMBER_HD Mat3<T> operator+(Mat3<T> a, const Mat3<T>& b) {
    return a += b;
}
template <class T>
LIMBER_HD Mat3<T> operator-(Mat3<T> a, const Mat3<T>& b) {
    return a -= b;
}
template <class T>
LIMBER_HD Mat3<T> operator*(const T& s, Mat3<T> a) {
    return a *= s;
}
template <class T>
LIMBER_HD Mat3<T> operator*(Mat3<T> a, const T& s) {
    return a *= s;
}
template <class T>
LIMBER_HD Vec3<T> operator*(const Mat3<T>& m, const Vec3<T>& v) {
    return {m.a[0] * v.x + m.a[3] * v.y + m.a[6] * v.z, m.a[1] * v.x + m.a[4] * v.y + m.a[7] * v.z,
            m.a[2] * v.x + m.a[5] * v.y + m.a[8] * v.z};
}
template <class T>
LIMBER_HD Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
    return Mat3<T>::from_columns(a * b.col(0), a * b.col(1), a * b.col(2));
}
template <class T>
LIMBER_HD Mat3<T> transpose(const Mat3<T>& m) {
    return Mat3<T>::from_columns(m.row(0), m.row(1), m.row(2));
}
/// a bᵀ
template <class T>
LIMBER_HD Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
    return Mat3<T>::from_columns(a * b.x, a * b.y, a * b.z);
}
template <class T>
LIMBER_HD T trace(const Mat3<T>& m) {
    return m.a[0] + m.a[4] + m.a[8];
}
template <class T>
LIMBER_HD T determinant(const Mat3<T>& m) {
    return dot(m.col(0), cross(m.col(1), m.col(2)));
}
/// A : B = Σ A_ij B_ij
template <class T>
LIMBER_HD T contract(const Mat3<T>& a, const Mat3<T>& b) {
    T sum = a.a[0] * b.a[0];
    for (int i = 1; i < 9; ++i) sum += a.a[i] * b.a[i];
    return sum;
}
template <class T>
LIMBER_HD T frobenius_norm(const Mat3<T>& m) {
    using std::sqrt;
    return sqrt(contract(m, m));
}
/// The transposed adjugate: cof(F) = ∂ det F / ∂F.
template <class T>
LIMBER_HD Mat3<T> cofactor(const Mat3<T>& m) {
    return Mat3<T>::from_columns(cross(m.col(1), m.col(2)), cross(m.col(2), m.col(0)),
                                 cross(m.col(0), m.col(1)));
}
/// Singular input gives non-finite entries: the caller checks the determinant first.
template <class T>
LIMBER_HD Mat3<T> inverse(const Mat3<T>& m) {
    const Mat3<T> c = cofactor(m);
    return (T(1) / dot(m.col(0), c.col(0))) * transpose(c);
}

/// 9x9 over column-major vec(F), column-major itself.
template <class T>
struct Mat9 {
    T a[81]{};
    LIMBER_HD T& operator()(int i, int j) { return a[i + 9 * j]; }
    LIMBER_HD const T& operator()(int i, int j) const { return a[i + 9 * j]; }
};

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using Mat9d = Mat9<double>;

inline bool is_finite(const Vec3d& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}
inline bool is_finite(const Mat3d& m) {
    for (double entry : m.a)
        if (!std::isfinite(entry)) return false;
    return true;
}
inline double max_abs(const Mat3d& m) {
    double largest = 0;
    for (double entry : m.a) largest = std::fmax(largest, std::fabs(entry));
    return largest;
}

/// Rotation by `angle` [rad] about the unit vector `axis` (Rodrigues).
inline Mat3d rotation_about(const Vec3d& axis, double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    Mat3d R = c * Mat3d::identity() + (1 - c) * outer(axis, axis);
    R(0, 1) -= s * axis.z;
    R(1, 0) += s * axis.z;
    R(0, 2) += s * axis.y;
    R(2, 0) -= s * axis.y;
    R(1, 2) -= s * axis.x;
    R(2, 1) += s * axis.x;
    return R;
}

}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks one after the other on the host, with the sums of the device in the same order: the
// test of the list where there is no device. A tile that is read before it was made is a Bug.

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/core/check.h"
#include "limber/gpu/factor/view.h"
#include "limber/gpu/queue.h"

namespace limber::gpu {

template <class T>
using HostTile = std::array<T, tile_entries>;

template <class T>
class HostFactor {
  public:
    explicit HostFactor(const FactorView<T>& view) : v_(view) {}

    void run() {
        for (Index k = 0; k < v_.n_tasks; ++k) run(v_.tasks[k]);
    }

  private:
    void run(const TileTask& task) {
        sum(task.tile, tile_);
        if (task.work == TileTaskKind::panel) {
            times_inverse(task.inverse, left_);
            write(task.tile.out, left_);
        } else if (task.work == TileTaskKind::update) {
            write(task.tile.out, tile_);
        } else {
            diagonal_ = tile_;
            if (task.left.out >= 0) {
                sum(task.left, tile_);
                times_inverse(task.inverse, left_);
                write(task.left.out, left_);
                HostTile<T> product{};
                add_product(left_.data(), left_.data(), tile_side, tile_side, tile_side, product);
                subtract(product, diagonal_);
            }
            invert_factor(task.position);
            write(task.tile.out, diagonal_);
        }
    }

    const T* made(Index tile) const {
        LIMBER_CHECK(v_.made[tile] == v_.control->factor_epoch, "a tile is read after it is made");
        return v_.tiles + tile_entries * tile;
    }
    void write(Index tile, const HostTile<T>& from) {
        std::copy(from.begin(), from.end(), v_.tiles + tile_entries * tile);
        LIMBER_CHECK(v_.made[tile] != v_.control->factor_epoch, "a tile is made once");
        v_.made[tile] = v_.control->factor_epoch;
    }
    static void subtract(const HostTile<T>& from, HostTile<T>& to) {
        for (std::size_t k = 0; k < tile_entries; ++k) to[k] -= from[k];
    }

    /// product(r, c) += Σ_k a(r, k) b(c, k).
    static void add_product(const T* a, const T* b, Index rows, Index cols, Index n_k,
                            HostTile<T>& product) {
        for (Index c = 0; c < cols; ++c) {
            T* column = product.data() + tile_side * c;
            for (Index k = 0; k < n_k; ++k) {
                const T factor = b[tile_side * k + c];
                const T* from = a + tile_side * k;
                for (Index r = 0; r < rows; ++r) column[r] += factor * from[r];
            }
        }
    }

    void assemble(const TileSum& s, HostTile<T>& out) const {
        out.fill(T(0));
        const std::uint64_t rows = v_.free_bits[s.row_tile],
                            cols = s.col_tile < 0 ? 0 : v_.free_bits[s.col_tile];
        const auto bit = [](std::uint64_t bits, Index k) { return (bits >> k & 1) != 0; };
        for (Index k = s.entry_begin; k < s.entry_end; ++k) {
            const Index place = v_.entries[k].place;
            if (bit(rows, place % tile_side) && bit(cols, place / tile_side))
                out[place] = static_cast<T>(v_.A[v_.entries[k].source]);
        }
        if (s.row_tile == s.col_tile)
            for (Index k = 0; k < tile_side; ++k)
                if (!bit(rows, k)) out[tile_side * k + k] = T(1);
        for (Index p = s.pull_begin; p < s.pull_end; ++p) {
            const TilePull& pull = v_.pulls[p];
            const std::uint8_t* place = v_.relative + pull.relative;
            for (Index c = pull.col; c < pull.col_end; ++c)
                for (Index r = std::max(c, pull.row); r < pull.row_end; ++r)
                    out[tile_side * place[c] + place[r]] +=
                        made(pull.update +
                             place_in_triangle(
                                 r / tile_side,
                                 c / tile_side))[tile_side * (c % tile_side) + r % tile_side];
        }
    }

    /// Products are summed up tile by tile from zero: added to the assembled entries, which are
    /// large, one after the other they would lose the same digits every time.
    void sum(const TileSum& s, HostTile<T>& out) {
        assemble(s, out);
        HostTile<T> running{};
        for (Index k = 0; k < s.n_k; ++k) {
            HostTile<T> product{};
            add_product(made(s.a + k), made(s.b + k), s.rows, s.cols,
                        k + 1 < s.n_k ? tile_side : s.last_k, product);
            for (std::size_t i = 0; i < tile_entries; ++i) running[i] += product[i];
        }
        subtract(running, out);
    }

    /// out = tile_ L⁻ᵀ.
    void times_inverse(Index inverse, HostTile<T>& out) {
        out.fill(T(0));
        add_product(tile_.data(), made(inverse), tile_side, tile_side, tile_side, out);
    }

    /// The inverse of the factor of diagonal_, in its place. A bad pivot counts as 1: no tile waits
    /// for one that is never made.
    void invert_factor(Index position) {
        const auto at = [&](Index r, Index c) -> T& { return diagonal_[tile_side * c + r]; };
        HostTile<T>& inverse = left_;
        inverse.fill(T(0));
        for (Index j = 0; j < tile_side; ++j) {
            T pivot = at(j, j);
            if (!usable_pivot(pivot)) {
                v_.control->bad = std::min(v_.control->bad, bad_pivot(position + j, pivot));
                pivot = T(1);
            }
            const T scale = T(1) / std::sqrt(pivot);
            for (Index i = j; i < tile_side; ++i) at(i, j) *= scale;
            for (Index c = j + 1; c < tile_side; ++c)
                for (Index i = c; i < tile_side; ++i) at(i, c) -= at(i, j) * at(c, j);
            // Row j of the inverse, from those above it.
            for (Index k = 0; k < j; ++k) {
                T sum = 0;
                for (Index m = k; m < j; ++m) sum += at(j, m) * inverse[tile_side * k + m];
                inverse[tile_side * k + j] = -scale * sum;
            }
            inverse[tile_side * j + j] = scale;
        }
        diagonal_ = inverse;
    }

    const FactorView<T>& v_;
    HostTile<T> tile_{}, left_{}, diagonal_{};
};

template <class T>
class HostSubstitution {
  public:
    explicit HostSubstitution(const SubstitutionView<T>& view)
        : v_(view), epoch_(view.control->solve_epoch) {}

    void run() {
        for (Index k = 0; k < v_.n_forward; ++k) forward(v_.forward[k]);
        for (Index k = 0; k < v_.n_backward; ++k) backward(v_.backward[k]);
    }

  private:
    using Part = std::array<T, tile_side>;

    T value(const TileWord<T>* words, Index row) const {
        LIMBER_CHECK(words[row].epoch == epoch_, "a number is read after it is written");
        return words[row].value;
    }
    const T* tile(const RowTask& t, Index i, Index j) const {
        return v_.tiles + tile_entries * (t.first_tile + place_in_front(i, j, t.col_tiles));
    }

    void forward(const RowTask& t) {
        const Index first = t.first_row + tile_side * t.index;
        Part own{}, sum{};
        for (Index r = 0; r < tile_side; ++r) {
            const Index unknown = v_.unknown[first + r];
            if (unknown >= 0 && (v_.free_bits[first / tile_side] >> r & 1))
                own[r] = static_cast<T>(v_.b[unknown]);
            for (Index k = v_.gather_begin[first + r]; k < v_.gather_begin[first + r + 1]; ++k)
                own[r] += value(v_.up, v_.gather[k]);
        }
        const bool below = t.index >= t.col_tiles;
        for (Index k = 0; k < (below ? t.col_tiles : t.index); ++k) {
            const T* L = tile(t, t.index, k);
            for (Index c = 0; c < tile_side; ++c) {
                const T y = value(v_.up, t.first_row + tile_side * k + c);
                for (Index r = 0; r < tile_side; ++r) sum[r] += L[tile_side * c + r] * y;
            }
        }
        for (Index r = 0; r < tile_side; ++r) own[r] -= sum[r];
        if (!below) {
            const T* inverse = tile(t, t.index, t.index);
            const Part v = own;
            own.fill(T(0));
            for (Index c = 0; c < tile_side; ++c)
                for (Index r = c; r < tile_side; ++r) own[r] += inverse[tile_side * c + r] * v[c];
        }
        for (Index r = 0; r < tile_side; ++r) v_.up[first + r] = {own[r], epoch_};
    }

    void backward(const RowTask& t) {
        const Index first = t.first_row + tile_side * t.index;
        Part own{}, sum{};
        for (Index i = t.tile_rows - 1; i > t.index; --i) {
            const T* L = tile(t, i, t.index);
            for (Index r = 0; r < tile_side; ++r) {
                const Index row = t.first_row + tile_side * i + r;
                const Index above = i < t.col_tiles ? row : v_.above[row];
                if (above < 0) continue;
                const T x = value(v_.down, above);
                for (Index c = 0; c < tile_side; ++c) sum[c] += L[tile_side * c + r] * x;
            }
        }
        for (Index c = 0; c < tile_side; ++c) own[c] = value(v_.up, first + c) - sum[c];
        const T* inverse = tile(t, t.index, t.index);
        for (Index c = 0; c < tile_side; ++c) {
            T x = 0;
            for (Index r = c; r < tile_side; ++r) x += inverse[tile_side * c + r] * own[r];
            v_.down[first + c] = {x, epoch_};
            if (v_.unknown[first + c] >= 0) v_.x[v_.unknown[first + c]] = static_cast<double>(x);
        }
    }

    const SubstitutionView<T>& v_;
    decltype(TileWord<T>::epoch) epoch_;
};

template <class T>
void prepare_factor(HostQueue&, T) {}
template <class T>
void run_factor(HostQueue&, const FactorView<T>& view) {
    HostFactor<T>(view).run();
}
template <class T>
void run_substitution(HostQueue&, const SubstitutionView<T>& view) {
    HostSubstitution<T>(view).run();
}

}  // namespace limber::gpu

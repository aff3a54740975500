// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gauss-Seidel sweeps over a chosen part of a complementarity problem, as fast as memory allows.

#include <span>
#include <vector>

#include "limber/contact/complementarity.h"
#include "limber/contact/complementarity/group_laws.h"

namespace limber {

/// Groups are taken in batches of up to 48 rows. Inside a batch each group is solved and its change
/// sent to the batch at once; what the other batches see of it follows as one product when the
/// batch is done, so that u passes through the caches once per batch instead of once per contact.
/// The order of solutions is that of plain Gauss-Seidel.
///
/// W lies in tiles of 48 x 48 that are read as one stream, in double or in single precision;
/// arithmetic is in double. Tiles of zeros are skipped. Coloured: batches that do not couple share
/// a colour and are solved side by side, and the products of a colour are cut by columns, over the
/// threads. Neither changes a bit with the number of threads. (Colours of single contacts would
/// not help: through a body every contact couples with every other.)
class BlockSweeps {
  public:
    static constexpr Index width = 48;  // rows of a batch: 16 contacts with friction, six packets

    struct Options {
        bool coloured = false, single = false;
    };
    /// Reads the rows of the chosen groups (ascending). `laws` must outlive the sweeps.
    void pack(const ComplementarityProblem& problem, const GroupLaws& laws,
              std::span<const Index> chosen, const Options& options);
    /// p and u of the whole problem -> packed, and p back.
    void load(std::span<const double> p, std::span<const double> u);
    void store(std::span<double> p) const;

    void sweep();
    double residual() const;

    /// Packed, with zeros between batches; u follows p in sweep() only.
    std::span<double> p() { return p_; }
    std::span<double> u() { return u_; }

  private:
    struct Item {
        Index group, row;  // packed row
    };
    struct Run {
        Index source, packed, length;  // consecutive rows
    };
    Index n_batches() const { return static_cast<Index>(item_begin_.size()) - 1; }
    void make_batches(std::span<const Index> chosen);
    void copy_tiles(const DenseMatrix& W);
    template <class T>
    void copy_row(std::span<const double> source, Index batch, Index row, std::vector<T>& tiles);
    void make_colours(bool coloured);
    void solve_batch(Index batch);
    void send_colour(Index colour);
    template <class T>
    void send_to(const std::vector<T>& tiles, Index colour, Index column);
    std::size_t tile(Index row_batch, Index column_batch) const {
        return (static_cast<std::size_t>(row_batch) * n_batches() + column_batch) * width * width;
    }

    const GroupLaws* laws_ = nullptr;
    bool single_ = false, coloured_ = false;
    std::vector<Item> items_;
    std::vector<Index> item_begin_;  // per batch
    std::vector<Run> runs_;
    std::vector<Index> run_begin_;  // per batch
    std::vector<double> tiles_, diagonal_;
    std::vector<float> single_tiles_;
    std::vector<char> couples_;  // per tile; the diagonal ones do not, they are in diagonal_
    std::vector<Index> colour_begin_, colour_batch_, colour_of_;
    std::vector<double> p_, u_, dp_;
    std::vector<char> changed_;  // per batch
};

}  // namespace limber

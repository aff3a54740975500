// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a study prints: Markdown that reads well in a terminal too.

#include <string>
#include <vector>

namespace limber {

/// Rows of cells; numbers stand to the right, words to the left.
class MarkdownTable {
  public:
    explicit MarkdownTable(std::vector<std::string> header) : header_(std::move(header)) {}
    /// As many cells as the header has.
    void add(std::vector<std::string> row);
    std::size_t n_rows() const { return rows_.size(); }
    /// Padded, so that the columns line up in a fixed-width font.
    std::string text() const;

  private:
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
};

/// Three digits that matter: "0.0123", "4.56", "123", "1.2e-05"; "-" where it is not finite.
std::string digits(double value);
/// "1.9x"; "-" where it is not finite.
std::string times(double ratio);

/// A sentence of a source that the data confirm or not.
struct Claim {
    std::string text;    // as the source has it, in our words
    bool holds = false;  // computed, never set by hand
    std::string figure;  // what the data say
};

/// One line a claim: "- yes: ..." or "- not reproduced: ...", each with its figure.
std::string claim_lines(const std::vector<Claim>& claims);

/// "AMD EPYC ..., 2 threads; GNU 12.2.0, Release, native=ON; limber 0.1.0 (abc)".
std::string machine_line();

}  // namespace limber

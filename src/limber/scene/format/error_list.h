// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "limber/core/errors.h"

namespace limber {

/// The mistakes of one input, told together: a user mends a file once, not once for each of them.
class ErrorList {
  public:
    void add(const InputError& error) {
        if (errors_.size() < max_kept)
            errors_.push_back(error);
        else
            ++n_left_out_;
    }
    /// Runs a check; what it refuses is kept, so that the next check has its turn.
    template <class Check>
    void run(Check&& check) {
        try {
            check();
        } catch (const InputError& error) {
            add(error);
        }
    }
    bool empty() const { return errors_.empty(); }
    /// Throws all of them as one InputError, a line each in the order of the file; the place is the
    /// first one's. Does nothing where there are none.
    void throw_if_any() const;

  private:
    static constexpr std::size_t max_kept = 1000;  // a million bad lines are one bad file
    std::vector<InputError> errors_;
    std::size_t n_left_out_ = 0;
};

}  // namespace limber

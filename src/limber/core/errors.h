// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "limber/core/export.h"

namespace limber {

/// A place in a user's file. line and column count from 1; 0 means "not known". Binary files give
/// an offset.
struct SourcePlace {
    std::string file;
    int line = 0;
    int column = 0;
    std::int64_t offset = -1;  // bytes from the start, for binary files; -1: not used
};

/// The user's file or argument is wrong: exit code 2.
/// what() reads `file:line:col: error: found; allowed; did you mean`.
class LIMBER_API InputError : public std::runtime_error {
  public:
    InputError(const SourcePlace& place, const std::string& message);
    explicit InputError(const std::string& message) : InputError(SourcePlace{}, message) {}

    const SourcePlace& place() const { return place_; }
    const std::string& message() const { return message_; }  // without the place

  private:
    SourcePlace place_;
    std::string message_;
};

/// The system refused to read or write: exit code 4. Gives the system's reason and the path as the
/// user gave it.
class LIMBER_API SystemError : public std::runtime_error {
  public:
    SystemError(const std::string& path, const std::string& action, int error_number);
    explicit SystemError(const std::string& message) : std::runtime_error(message) {}
};

/// Our own mistake: exit code 3.
class LIMBER_API Bug : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

/// `text` made safe for a terminal: control characters and invalid UTF-8 escaped, long text
/// shortened.
LIMBER_API std::string printable(std::string_view text, std::size_t max_length = 80);

}  // namespace limber

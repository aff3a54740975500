// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/core/errors.h"
#include "limber/core/numbers.h"

namespace limber {

/// Reads a text line by line and field by field, knows the place of each, and reports faults there.
/// Lines end in LF, CRLF or CR; blank lines are passed over. A longer line than max_line is refused
/// before it is looked at.
class TextScanner {
  public:
    static constexpr std::size_t max_line = 256 * 1024;

    TextScanner(std::string_view text, std::string file);

    /// From here on the rest of a line after `mark` is a comment.
    void set_comment(char mark) { kind_[static_cast<unsigned char>(mark)] = Kind::comment; }
    /// From here on `mark` parts fields as a blank does.
    void set_separator(char mark) { kind_[static_cast<unsigned char>(mark)] = Kind::blank; }

    /// Moves to the next line that is not blank and splits it at blanks; false at the end.
    bool next_line();
    /// The same for any line, blank or not.
    bool next_raw_line();
    std::string_view line() const { return line_; }
    int line_number() const { return line_number_; }
    /// The line ends with the file and not with a line end: the file may be cut off in it.
    bool line_is_cut() const { return line_is_cut_; }
    std::size_t bytes_left() const { return text_.size() - position_; }
    const std::string& file() const { return file_; }

    std::size_t n_fields() const { return fields_.size(); }
    std::string_view field(std::size_t i) const { return fields_[i]; }

    // Formats that do not care for lines: the next field, wherever it stands.
    bool next_word();
    std::string_view word() const { return fields_[word_ - 1]; }
    double take_number();
    std::int64_t take_whole(std::string_view what);
    std::size_t take_count(std::string_view what, std::size_t bytes_each);
    /// Index of the field taken last, for fail().
    std::size_t word_field() const { return word_ - 1; }
    /// What is left of the line's fields is passed over: the next word is in a later line.
    void drop_line() { word_ = fields_.size(); }

    // Files that mix text and binary data: a place is then a byte offset.
    std::size_t position() const { return position_; }  // behind the line
    void seek(std::size_t position);
    void use_offsets() { offsets_ = true; }
    std::string_view whole_text() const { return text_; }
    /// Line, or offset of the line where offsets are used.
    std::int64_t where() const;

    /// What follows "expected" in a message, so that every reader words it alike.
    void require_fields(std::size_t n, std::string_view what) const;
    double number(std::size_t i) const;  // finite
    std::int64_t whole(std::size_t i, std::string_view what) const;
    /// A count of things that take at least `bytes_each` in the rest of the file. More than it can
    /// hold is a fault, unless the file is cut off: then reading on tells where it ends.
    std::size_t count(std::size_t i, std::string_view what, std::size_t bytes_each) const;

    SourcePlace place() const;
    SourcePlace place(std::size_t field) const;
    [[noreturn]] void fail(const std::string& message) const;
    [[noreturn]] void fail(std::size_t field, const std::string& message) const;

    /// What may be allocated for n things: no more than the rest of the file can hold.
    std::size_t capacity(std::size_t n, std::size_t bytes_each) const;

    /// While set, a fault in a line that is cut off is reported as "file ends inside <this>".
    /// `end` is the text that closes it.
    void set_context(std::string context, std::string end) {
        context_ = std::move(context);
        end_ = std::move(end);
    }
    void clear_context() { set_context("", ""); }
    void set_entry(std::size_t entry) { entry_ = entry; }
    [[noreturn]] void fail_cut() const;

  private:
    enum class Kind : unsigned char { other, blank, line_end, comment };
    Kind kind(char c) const { return kind_[static_cast<unsigned char>(c)]; }
    bool take_line();
    bool at_end();
    void need_word();

    std::array<Kind, 256> kind_{};
    std::string_view text_;
    std::string file_;
    std::size_t position_ = 0;
    std::string_view line_;
    int line_number_ = 0;
    bool line_is_cut_ = false, offsets_ = false;
    std::vector<std::string_view> fields_;
    std::size_t word_ = 0;  // fields of the line taken as words
    std::string context_, end_;
    std::size_t entry_ = 0;  // entries of the context read so far
};

}  // namespace limber

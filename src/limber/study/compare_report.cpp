// SPDX-License-Identifier: Apache-2.0
#include "limber/study/compare_report.h"

#include <fmt/format.h>

#include "limber/io/file.h"
#include "limber/study/compare_text.h"
#include "limber/study/tables.h"

namespace limber {

std::string compare_markdown(const CompareResult& result) {
    const CompareTable rows = table_of(result);
    MarkdownTable table(rows.header);
    for (const std::vector<std::string>& row : rows.rows) table.add(row);
    std::string notes;
    for (const CompareNote& note : notes_of(result)) notes += "- " + note.text + '\n';
    return fmt::format(
        "# {}\n\nReference: `{}` ({}).\nContact of all solvers: {}.\n\n{}\n{}\n\n{}\n{}\n",
        what_was_compared(result), result.reference.text, result.reference_why,
        contact_text(result), table.text(), columns_text(), notes, machine_line());
}

void write_comparison(const CompareResult& result, const std::string& dir) {
    const auto write = [&](const char* name, const std::string& text) {
        write_file_atomic(dir + '/' + name, text, Flush::to_system);
    };
    write("compare.md", compare_markdown(result));
    write("compare.svg", compare_svg(result));
    write("error_over_time.svg", error_over_time_svg(result));
    write("compare.json", compare_json(result));
    write("compare.html", compare_html(result));
}

}  // namespace limber

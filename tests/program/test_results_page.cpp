// SPDX-License-Identifier: Apache-2.0
// docs/results.md names what runs write, all of it and nothing else.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "limber/contact/contact_read_back.h"
#include "limber/sim/verdict.h"
#include "limber/solve/step_report.h"
#include "program.h"

namespace limber::test {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

/// Section of the page -> names in the first column of its tables.
std::map<std::string, Names> names_on_the_page() {
    std::map<std::string, Names> out;
    std::istringstream page(text_of(LIMBER_SOURCE_DIR "/docs/results.md"));
    std::string section;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("#")) section = line.substr(line.find_first_not_of("# "));
        if (!line.starts_with("| `")) continue;
        const std::string cell = line.substr(2, line.find(" | ") - 2);
        static const std::regex name("`([^`]+)`");
        for (std::sregex_iterator it(cell.begin(), cell.end(), name), end; it != end; ++it)
            EXPECT_TRUE(out[section].insert((*it)[1]).second)
                << "twice in '" << section << "': " << (*it)[1];
    }
    return out;
}

/// The same, of what runs have written.
class Seen {
  public:
    std::map<std::string, Names> names;

    void run(const fs::path& dir) {
        for (const auto& entry : fs::recursive_directory_iterator(dir))
            if (entry.is_regular_file()) file(dir, entry.path());
    }

  private:
    static std::string replaced(const std::string& text, const char* what, const char* by) {
        return std::regex_replace(text, std::regex(what), by);
    }

    /// Scenes below name their things by what they are: body_a, probe_a, attach_a, ...
    static std::string pattern(const std::string& name) {
        return replaced(replaced(name, "_[0-9]{6,}", "_<step>"),
                        "(body|probe|attach|cable|cavity|needle)_[a-z]", "<$1>");
    }

    void file(const fs::path& dir, const fs::path& path) {
        const std::string name = pattern(fs::relative(path, dir).string());
        names["Files"].insert(name);
        if (name == "summary.json") keys("", json::parse(text_of(path)));
        if (name == "probes/<probe>.csv") columns(path, "Probes");
        if (name == "steps.csv" || name == "contacts.csv" || name == "joints.csv" ||
            name == "modes.csv" || name == "async.csv")
            columns(path, name);
        if (name == "vtu/<body>_<step>.vtu") arrays(path, "Frames");
        if (name == "vtu/<body>_skin_<step>.vtu") arrays(path, "Skins");
        if (name == "contacts/contacts_<step>.vtu") arrays(path, "Contacts in contacts_<step>.vtu");
    }

    void columns(const fs::path& path, const std::string& section) {
        std::istringstream text(text_of(path));
        std::string header;
        std::getline(text, header);
        std::istringstream fields(header);
        for (std::string field; std::getline(fields, field, ',');)
            names[section].insert(pattern(field));
        if (section != "contacts.csv") return;
        for (std::string row; std::getline(text, row);) {
            std::smatch kind;
            if (std::regex_search(row, kind, std::regex("\",([a-z-]+),")))
                names["Kinds of contacts"].insert(kind[1]);
        }
    }

    void arrays(const fs::path& path, const std::string& section) {
        const std::string text = text_of(path);
        static const std::regex name("<DataArray [^>]*Name=\"([^\"]+)\"");
        const std::size_t data = text.find("<AppendedData");
        for (std::sregex_iterator
                 it(text.begin(), text.begin() + std::min(data, text.size()), name),
             end;
             it != end; ++it)
            // Of the file format.
            if (!Names{"Points", "connectivity", "offsets", "types"}.contains((*it)[1]))
                names[section].insert((*it)[1]);
    }

    void keys(const std::string& above, const json& value) {
        if (value.is_array() && (value.empty() || value[0].is_object()))
            for (const json& entry : value) keys(above + "[]", entry);
        else if (!value.is_object())
            names["summary.json"].insert(above);
        else
            for (const auto& [key, inside] : value.items())
                keys(above == "stages_ms" ? "stages_ms.<stage>"
                     : above == "flags"   ? "flags.<flag>"
                     : above.empty()      ? key
                                          : above + "." + key,
                     inside);
    }
};

const std::string start = R"(
limber = 1
[time]
step = 0.01
steps = 2
[material.rubber]
young = "200 kPa"
poisson = 0.3
density = 1000
)";
const std::string box = R"(
[[body]]
name = "body_a"
shape = "box"
size = [0.4, 0.2, 0.4]
cells = [2, 1, 2]
material = "rubber"
translate = [0, 0.1, 0]
)";

/// Soft, skinned and rigid bodies that touch, with every kind of joint and output.
const std::string everything = start + box + R"(
skin = "skin.obj"
[[body]]
name = "body_b"
shape = "box"
size = [0.1, 0.1, 0.1]
cells = [1, 1, 1]
material = "rubber"
translate = [0.1, 0.2495, 0.1]
rigid = true
[[body]]
name = "body_c"
shape = "finger"
material = "rubber"
translate = [2, 1, 0]
[[pin]]
body = "body_c"
select = { box = [[1, -1, -1], [2.004, 3, 1]] }  # the rim of its cavity, too
[[attach]]
name = "attach_a"
body = "body_a"
point = [-0.1, 0.1, -0.1]
[[cable]]
name = "cable_a"
bodies = ["", "body_a"]
path = [[-1, 0.1, 0], [-0.1, 0.1, 0]]
[[cavity]]
name = "cavity_a"
body = "body_c"
select = { group = "cavity" }
pressure = ["1 kPa"]
times = [0]
[[needle]]
name = "needle_a"
body = "body_a"
tip = [0, 1, 0]
direction = [0, -1, 0]
length = 0.2
[[obstacle]]
shape = "plane"
[[probe]]
name = "probe_a"
body = "body_a"
[contact]
method = "lagrange"
[solver]
kind = "warp_canceling"
schedule = "quality"
[output]
formats = ["vtu", "contacts"]
)";

struct ResultsPage : testing::Test {
    TempFolder folder;
    Seen seen;
    void run(const std::string& scene, std::vector<std::string> more = {}) {
        static int number = 0;
        const std::string name = "run" + std::to_string(++number);
        write_text(folder / "skin.obj", "v 0 0 0\nv 0.1 0 0\nv 0 0.05 0\nf 1 2 3\n");
        write_text(folder / (name + ".toml"), scene);
        std::vector<std::string> arguments = {"run", (folder / (name + ".toml")).string(), "-o",
                                              (folder / name).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProgramResult result = limber(arguments);
        ASSERT_EQ(result.code, 0) << result.err;
        seen.run(folder / name);
    }
};

TEST_F(ResultsPage, names_every_file_column_array_key_and_flag_and_no_other) {
    run(everything);
    run(start + box, {"--solver", "async", "--set", "solver.lag=\"auto\""});
    run(start + box, {"--solver", "auto"});
    run(start + box,
        {"--solver", "descent", "--set", "solver.direction=\"jacobi\"", "--set", "solver.tune=true",
         "--set", "solver.tune_steps=3", "--set", "solver.tune_phases=1", "--set",
         "material.rubber.kind=\"neo_hookean\"", "--set", "material.rubber.invertible=true"});
    run("limber = 1\n[time]\nanalysis = \"modal\"\nmodes = 1\n" +
        start.substr(start.find("[material")) + box +
        "[[pin]]\nbody = \"body_a\"\nselect = { side = \"y-\" }\n");
    for (const std::string_view flag : step_flag_names) seen.names["Flags"].emplace(flag);
    seen.names["Flags"].insert("not_finite");
    // A good run has none.
    for (const char* key :
         {"flags.<flag>", "verdict[].kind", "verdict[].first_step", "verdict[].body",
          "verdict[].count", "verdict[].worst", "verdict[].text"})
        seen.names["summary.json"].insert(key);
    for (const std::string_view kind : fault_names) seen.names["Kinds of verdict"].emplace(kind);
    for (int k = 0; to_string(SolveStatus{k}) != "unknown"; ++k)
        seen.names["Status"].emplace(to_string(SolveStatus{k}));
    for (const std::string_view status : enum_names(ContactStatus{}))
        seen.names["Status of contacts"].emplace(status);
    // Some of them no scene here has.
    for (const std::string_view kind : enum_names(ContactKey::Kind{}))
        seen.names["Kinds of contacts"].emplace(kind);

    const std::map<std::string, Names> page = names_on_the_page();
    for (const auto& [section, names] : seen.names) {
        const auto there = page.find(section);
        ASSERT_NE(there, page.end()) << "docs/results.md has no section '" << section << "'";
        for (const std::string& name : names)
            EXPECT_TRUE(there->second.contains(name))
                << "docs/results.md, '" << section << "', does not name `" << name << "`";
        for (const std::string& name : there->second)
            EXPECT_TRUE(names.contains(name)) << "docs/results.md, '" << section << "', names `"
                                              << name << "`, which no run wrote";
    }
    for (const auto& [section, names] : page)
        EXPECT_TRUE(seen.names.contains(section))
            << "nothing was looked at for '" << section << "'";
}

}  // namespace
}  // namespace limber::test

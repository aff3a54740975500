// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "limber/solve/corotational.h"
#include "scene/scene_files.h"

namespace limber {
namespace {

using test::good_scene;
using test::input_error;
using test::replaced;

nlohmann::json json_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::boolean:
            return value.boolean;
        case ValueKind::integer:
            return value.integer;
        case ValueKind::number:
            return value.number;
        case ValueKind::string:
            return value.text;
        case ValueKind::array: {
            nlohmann::json out = nlohmann::json::array();
            for (const Value& item : value.items) out.push_back(json_of(item));
            return out;
        }
        case ValueKind::table: {
            nlohmann::json out = nlohmann::json::object();
            for (std::size_t i = 0; i < value.items.size(); ++i)
                out[value.keys[i].name] = json_of(value.items[i]);
            return out;
        }
        case ValueKind::null:
            break;
    }
    return nullptr;
}

std::vector<std::string> scenes() {
    const auto with = [](const std::string& text) { return good_scene + text; };
    const auto change = [](const std::string& from, const std::string& to) {
        return replaced(good_scene, from, to);
    };
    const std::string pin = "[[pin]]\nbody = \"bar\"\n", force = "[[force]]\nbody = \"bar\"\n";
    return {
        good_scene,
        change("young = 1e6", "young = \"1 MPa\""),
        change("young = 1e6", "young = \"1 Mpa\""),
        change("young = 1e6", "young = \"fast\""),
        change("young = 1e6", "young = 0"),
        change("young = 1e6", "young = true"),
        change("young = 1e6", "yougn = 1e6"),
        change("poisson = 0.4", "poisson = 0.5"),
        change("poisson = 0.4", "mu = 3\nlambda = 4"),
        change("young = 1e6\npoisson = 0.4", "mu = 3\nlambda = 4"),
        change("young = 1e6\npoisson = 0.4", "mu = 3"),
        change("steps = 10", "end = 1"),
        change("steps = 10", "steps = 10\nend = 1"),
        change("steps = 10\n", ""),
        change("steps = 10", "steps = -1"),
        change("steps = 10", "steps = 2.5"),
        change("steps = 10", "steps = 2.0"),
        change("step = 0.01", "analysis = \"statics\""),
        change("limber = 1\n", ""),
        change("limber = 1", "limber = 2"),
        change("name = \"bar\"", "name = \"a b\""),
        change("name = \"bar\"\n", ""),
        change("[material.rubber]", "[material.\"a b\"]\n[material.rubber]"),
        change("shape = \"beam\"", "shape = \"beam\"\nmesh = \"a.msh\""),
        change("shape = \"beam\"\n", ""),
        with("translate = [1, 2]\n"),
        with("translate = [\"1 cm\", 0, 0]\n"),
        with("scale = 2\n"),
        with("scale = \"1 mm\"\n"),
        with("scale = [1, 2, 3]\n"),
        with("scale = true\n"),
        with("rotate = [0, 90, 0]\n"),
        with("rotate = { axis = [0, 1, 0], angle = 3 }\n"),
        with("rotate = { axis = [0, 1, 0] }\n"),
        with("rotate = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"),
        with("mass = \"heavy\"\n"),
        with("parts = 0\n"),
        with("regions = [{ material = \"rubber\" }]\n"),
        with("[solver]\nmax_iterations = 5\nlinear = \"pcg\"\n"),
        with("[solver]\nkind = \"cholesky\"\nguess = \"euler\"\n"),
        with("[solver]\nkind = \"newton\"\n"),
        with("[solver]\nrel_tolerance = 1\n"),
        with("[solver]\nstiffness = 1\n"),
        with("[contact]\nstiffness = 1\n"),
        with("[contact]\nmethod = \"none\"\n"),
        with("[contact]\nmethod = \"none\"\nstiffness = 1\n"),
        with("[[obstacle]]\nshape = \"plane\"\n"),
        with("[[obstacle]]\nshape = \"plane\"\nradius = 1\n"),
        with("[[obstacle]]\nshape = \"sphere\"\nradius = 1\n"),
        with("[[obstacle]]\nshape = \"sphere\"\n"),
        with("[[obstacle]]\nradius = 1\n"),
        with("[[obstacle]]\nshape = \"plane\"\nfriction = -1\n"),
        with(pin + "select = { side = \"x-\" }\n"),
        with(pin + "select = { side = \"left\" }\n"),
        with(pin + "select = { side = \"x-\", group = \"a\" }\n"),
        with(pin + "select = {}\n"),
        with(pin + "select = { side = \"x-\", relative = true }\n"),
        with(pin + "select = { box = [[0,0,0],[1,1,1]], relative = true }\n"),
        with(pin + "select = { box = [[0,0,0]] }\n"),
        with(pin + "select = { nodes = [1, 2.5] }\n"),
        with(pin + "select = { side = \"x-\" }\naxes = \"yx\"\n"),
        with(pin + "select = { side = \"x-\" }\nmotion = { angle = [1] }\n"),
        with(pin),
        with(force + "total = [1, 0, 0]\n"),
        with(force + "total = [1, 0, 0]\neach = [1, 0, 0]\n"),
        with(force),
        with(force + "each = [1, 0, 0]\ntimes = [0]\n"),
        with(force + "each = [1, 0, 0]\ntimes = [0]\nscale = [1]\n"),
        with("[output]\nevery = 0\n"),
        with("[output]\nformats = [\"vtu\"]\n"),
        with("[output]\nformats = [\"stl\"]\n"),
        with("[defaults.body]\nvelocity = [0, 0, 1]\n"),
        with("[defaults.body]\nvelocty = [0, 0, 1]\n"),
        with("[defaults.solver]\nkind = \"cholesky\"\n"),
        with("[[probe]]\nname = \"p\"\nbody = \"bar\"\n"),
        with("unknown = 1\n"),
    };
}

TEST(Schema, accepts_and_refuses_the_same_scenes_as_the_reader) {
    if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0)
        GTEST_SKIP() << "needs Debian's python3-jsonschema";
    test::Folder folder;
    nlohmann::json documents = nlohmann::json::array(), expected = nlohmann::json::array();
    int n_good = 0;
    for (const std::string& text : scenes()) {
        documents.push_back(json_of(parse_toml(text, "scene.toml")));
        const std::string error = input_error([&] { test::scene_of(text); });
        expected.push_back(error);
        n_good += error.empty();
    }
    EXPECT_GT(n_good, 15);
    EXPECT_GT(static_cast<int>(documents.size()) - n_good, 30);
    folder.write("schema.json", schema_json());
    folder.write("documents.json", documents.dump());
    folder.write("expected.json", expected.dump());
    const std::string script = folder.write("check.py", R"(import json, sys
import jsonschema
folder = sys.argv[1]
load = lambda name: json.load(open(folder + "/" + name))
schema, documents, expected = load("schema.json"), load("documents.json"), load("expected.json")
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
bad = 0
for document, error in zip(documents, expected):
    if validator.is_valid(document) != (error == ""):
        bad += 1
        print("differs:", json.dumps(document)[-200:], "| reader:", error or "accepts")
sys.exit(1 if bad else 0)
)");
    const std::string command = "/usr/bin/python3 '" + script + "' '" + folder.path() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Schema, knows_every_option_of_every_registered_solver) {
    const std::string schema = schema_json();
    for (const StepperEntry& entry : steppers())
        for (const FieldInfo& field : entry.options.describe().fields)
            EXPECT_NE(schema.find('"' + field.key + '"'), std::string::npos) << field.key;
}

TEST(SceneFormat, the_document_is_up_to_date) {
    const std::string path = std::string(LIMBER_SOURCE_DIR) + "/docs/scene_format.md";
    if (std::getenv("LIMBER_UPDATE_DOCS")) std::ofstream(path) << scene_format_markdown();
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    EXPECT_TRUE(text == scene_format_markdown())
        << "docs/scene_format.md is stale: LIMBER_UPDATE_DOCS=1 build/release/tests/test_scene "
           "--gtest_filter='SceneFormat.*' writes it";
}

TEST(SceneFormat, every_key_has_a_meaning) {
    const std::function<void(const TypeInfo&, const std::string&)> visit =
        [&](const TypeInfo& type, const std::string& path) {
            std::vector<FieldInfo> fields = type.fields;
            for (const CaseInfo& c : type.cases) {
                EXPECT_FALSE(c.meaning.empty()) << path << ' ' << c.name;
                fields.insert(fields.end(), c.fields.begin(), c.fields.end());
            }
            for (const FieldInfo& field : fields) {
                EXPECT_FALSE(field.meaning.empty()) << path << '.' << field.key;
                visit(field.type, path + '.' + field.key);
            }
            for (const TypeInfo& item : type.items) visit(item, path);
        };
    visit(scene_type(), "scene");
}

TEST(Registry, names_make_what_they_say) {
    for (const StepperEntry& entry : steppers()) {
        const std::string scene =
            entry.options.name == "projective_dynamics"
                ? test::replaced(good_scene, "poisson = 0.4", "kind = \"projective\"\npoisson = 0")
                : good_scene;
        EXPECT_NO_THROW(test::scene_of(scene + "[solver]\nkind = \"" +
                                       std::string(entry.options.name) + "\"\n"))
            << entry.options.name;
    }
    for (const ContactEntry& entry : contact_methods()) {
        if (entry.options.name == "auto") continue;  // stands for another
        const SceneDef scene =
            test::scene_of(good_scene + "[solver]\nkind = \"newton\"\n[contact]\nmethod = \"" +
                           std::string(entry.options.name) + "\"\n");
        EXPECT_EQ(make_contact(scene, Model{})->name(), entry.options.name);
    }
}

}  // namespace
}  // namespace limber

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/core/errors.h"
#include "limber/view/command.h"

namespace limber {
namespace {

TEST(Command, reads_what_the_page_sends) {
    EXPECT_EQ(parse_command(R"({"do":"play"})").verb, Verb::play);
    const Command pull = parse_command(
        R"({"do":"pull","triangle":12,"weight":[0.25,0.25,0.5],"point":[1,2,3],"value":2})");
    EXPECT_EQ(pull.verb, Verb::pull);
    EXPECT_EQ(pull.pick.triangle, 12);
    EXPECT_EQ(pull.pick.weight, (Vec3d{0.25, 0.25, 0.5}));
    EXPECT_EQ(pull.point, (Vec3d{1, 2, 3}));
    EXPECT_EQ(pull.value, 2);
    const Command set = parse_command(R"({"do":"set","path":"material.soft.young","to":"50 kPa"})");
    EXPECT_EQ(set.text, "material.soft.young");
    EXPECT_EQ(set.literal, "\"50 kPa\"");
    EXPECT_EQ(parse_command(R"({"do":"set","path":"a","to":7})").literal, "7");
    EXPECT_EQ(parse_command(R"({"do":"set","path":"a","to":0.5})").literal, "0.5");
    EXPECT_EQ(parse_command(R"({"do":"set","path":"a","to":true})").literal, "true");
    EXPECT_EQ(parse_command(R"({"do":"set","path":"gravity","to":[0,-1.5,0]})").literal,
              "[0, -1.5, 0]");
    EXPECT_EQ(parse_command(R"({"do":"set","path":"a","to":"x\"] y=\\"})").literal,
              R"("x\"] y=\\")");
}

TEST(Command, refuses_everything_else) {
    const char* wrong[] = {
        "",
        "null",
        "[]",
        "{",
        "play",
        R"({"do":1})",
        R"({"do":"fly"})",
        R"({"do":"play","extra":1})",
        R"({"do":"speed"})",
        R"({"do":"speed","value":"1"})",
        R"({"do":"speed","value":1e400})",
        R"({"do":"speed","value":1e20})",
        R"({"do":"move","point":[1,2]})",
        R"({"do":"move","point":[1,2,"3"]})",
        R"({"do":"move","point":[1,2,null]})",
        R"({"do":"pin","triangle":-1,"weight":[1,0,0]})",
        R"({"do":"pin","triangle":0.5,"weight":[1,0,0]})",
        R"({"do":"pin","triangle":1e300,"weight":[1,0,0]})",
        R"({"do":"pin","triangle":1,"weight":[1,1,0]})",
        R"({"do":"pin","triangle":1,"weight":[2,-1,0]})",
        R"({"do":"contacts","on":1})",
        R"({"do":"set","path":"a","to":null})",
        R"({"do":"set","path":"a","to":{"b":1}})",
        R"({"do":"set","path":"a\nb","to":1})",
        R"({"do":"open","name":7})",
        "{\"do\":\"open\",\"name\":\"\xff\"}",
    };
    for (const char* text : wrong) EXPECT_THROW(parse_command(text), InputError) << text;
    EXPECT_THROW(parse_command(std::string(100000, '[')), InputError);
    EXPECT_THROW(parse_command(R"({"do":"open","name":")" + std::string(300, 'a') + "\"}"),
                 InputError);
}

}  // namespace
}  // namespace limber

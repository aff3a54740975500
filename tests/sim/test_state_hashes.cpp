// SPDX-License-Identifier: Apache-2.0
// The bits of small runs, one for each solver and each way of contact, as stored in
// tests/sim/state_hashes.tsv. A change that is meant to move code and not numbers leaves them
// alone; one that moves numbers stores them anew (LIMBER_UPDATE_HASHES=1) and says why. Bits are
// those of builds for any x86-64 machine (LIMBER_LEVEL=baseline), which have no instructions of
// their own to choose; other builds skip.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "limber/scene/build/model.h"
#include "limber/scene/format/document.h"
#include "limber/scene/scene.h"
#include "limber/study/contestant.h"

namespace limber {
namespace {

struct HashedRun {
    const char *name, *solver, *law, *contact;
    bool cloth = false;
};

/// A bar that falls on a ball and on a box that stands on the floor; cloth instead of the bar.
std::string scene_text(const HashedRun& run) {
    const std::string bar =
        "[[body]]\nname = \"bar\"\nshape = \"beam\"\nsize = [0.6, 0.15, 0.15]\n"
        "cells = [6, 2, 2]\nmaterial = \"m\"\ntranslate = [0.05, 0.37, 0]\n"
        "velocity = [0.3, -1, 0]\n";
    const std::string cloth =
        "[[body]]\nname = \"cloth\"\nshape = \"cloth_sheet\"\ncells = [8, 8]\n"
        "cloth = { thickness = 0.001, bending = 2e-5 }\nmaterial = \"m\"\n"
        "translate = [0, 0.33, 0]\nvelocity = [0, -1, 0]\n";
    return std::string("limber = 1\n[time]\nstep = 0.01\nsteps = 30\n[material.m]\nkind = \"") +
           run.law + "\"\nyoung = \"80 kPa\"\npoisson = " +
           std::string(run.law == std::string("projective") ? "0" : "0.3") +
           "\ndensity = 1000\ndamping = { mass = 0.1" +
           (run.cloth ? " }\n" : ", stiffness = 0.001 }\n") + (run.cloth ? cloth : bar) +
           "[[body]]\nname = \"box\"\nshape = \"box\"\nsize = [0.2, 0.2, 0.2]\ncells = [2, 2, 2]\n"
           "material = \"m\"\ntranslate = [0.2, 0.1, 0]\n"
           "[[obstacle]]\nname = \"floor\"\nshape = \"plane\"\n"
           "[[obstacle]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.15\n"
           "position = [-0.2, 0.12, 0]\n[contact]\nmethod = " +
           run.contact + "\n[solver]\nkind = " + run.solver + "\n";
}

std::string hash_of(const HashedRun& run) {
    const SceneDef scene = make_scene(parse_toml(scene_text(run), run.name), run.name);
    BuildReport report;
    const Model model = build_model(scene, report);
    const auto world = make_world(scene, model);
    for (int k = 0; k < 30; ++k) EXPECT_FALSE(world->step().failed) << run.name;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(world->state_hash()));
    return text;
}

const HashedRun hashed_runs[] = {
    {"corotational penalty", "\"corotational\"", "corotated", "\"penalty\""},
    {"cholesky lagrange", "\"cholesky\"", "corotated", "\"lagrange\""},
    {"warp_canceling lagrange", "\"warp_canceling\"", "corotated", "\"lagrange\""},
    {"stiffness_warping projection", "\"stiffness_warping\"", "corotated", "\"projection\""},
    {"async lagrange", "\"async\"", "corotated", "\"lagrange\""},
    {"newton repulsion", "\"newton\"", "neo_hookean", "\"repulsion\""},
    {"newton lagrange", "\"newton\"", "stvk", "\"lagrange\""},
    {"descent penalty", "\"descent\"", "mooney_rivlin", "\"penalty\""},
    {"descent jacobi in floats", "\"descent\"\ndirection = \"jacobi\"", "neo_hookean_log",
     "\"penalty\""},
    {"vertex_block_descent repulsion", "\"vertex_block_descent\"", "fung", "\"repulsion\""},
    {"xpbd projection", "\"xpbd\"", "neo_hookean", "\"projection\""},
    {"descent cloth", "\"descent\"", "corotated", "\"repulsion\"", true},
    {"newton cloth", "\"newton\"", "corotated", "\"lagrange\"", true},
    {"quasi_newton penalty", "\"quasi_newton\"", "neo_hookean", "\"penalty\""},
    {"projective_dynamics penalty", "\"projective_dynamics\"", "projective", "\"penalty\""},
    {"fast_corotated penalty", "\"fast_corotated\"", "corotated", "\"penalty\""},
    {"fast_corotated split", "\"fast_corotated\"\nscheme = \"split\"", "projective",
     "\"projection\""},
};

TEST(StateHashes, are_those_of_the_last_change_of_numbers) {
#ifdef __SSE3__  // more than any x86-64 has
    GTEST_SKIP() << "this build is for the machine it was made on";
#endif
    // The C library has sines and arc tangents of its own for these, with other last bits.
    if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "this processor has no fused multiply-add";
    const std::string file = LIMBER_SOURCE_DIR "/tests/sim/state_hashes.tsv";
    const bool update = std::getenv("LIMBER_UPDATE_HASHES") != nullptr;
    std::map<std::string, std::string> stored;
    {
        std::ifstream in(file);
        for (std::string name, hash; std::getline(in, name, '\t') && std::getline(in, hash);)
            stored[name] = hash;
    }
    std::string text;
    for (const HashedRun& run : hashed_runs) {
        const std::string hash = hash_of(run);
        text += std::string(run.name) + '\t' + hash + '\n';
        if (!update) {
            EXPECT_EQ(hash, stored[run.name]) << run.name;
        }
    }
    if (update) std::ofstream(file) << text;
}

}  // namespace
}  // namespace limber

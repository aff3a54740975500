// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/format/key_names.h"

#include <algorithm>
#include <cctype>

namespace limber {

namespace {

struct OtherName {
    std::string_view word;  // small letters, without _ and -
    std::string_view key;
};

/// A word may stand more than once: the first key that is allowed there is meant. Single letters
/// are compared as written: E is Young's modulus, e is not.
constexpr OtherName other_names[] = {
    {"E", "young"},
    {"Y", "young"},
    {"youngsmodulus", "young"},
    {"youngmodulus", "young"},
    {"elasticmodulus", "young"},
    {"modulus", "young"},
    {"stiffness", "young"},
    {"nu", "poisson"},
    {"poissonratio", "poisson"},
    {"poissonsratio", "poisson"},
    {"v", "velocity"},
    {"rho", "density"},
    {"massdensity", "density"},
    {"G", "mu"},
    {"shearmodulus", "mu"},
    {"law", "kind"},
    {"model", "kind"},
    {"type", "kind"},
    {"type", "shape"},
    {"type", "method"},
    {"kind", "method"},
    {"kind", "shape"},
    {"alpha", "mass"},
    {"beta", "stiffness"},
    {"rayleigh", "damping"},
    {"dt", "step"},
    {"h", "step"},
    {"timestep", "step"},
    {"stepsize", "step"},
    {"tend", "end"},
    {"duration", "end"},
    {"stop", "end"},
    {"nsteps", "steps"},
    {"stepcount", "steps"},
    {"g", "gravity"},
    {"file", "mesh"},
    {"filename", "mesh"},
    {"meshfile", "mesh"},
    {"path", "mesh"},
    {"path", "file"},
    {"geometry", "shape"},
    {"position", "translate"},
    {"translation", "translate"},
    {"offset", "translate"},
    {"origin", "translate"},
    {"center", "position"},
    {"centre", "position"},
    {"centre", "center"},
    {"rotation", "rotate"},
    {"orientation", "rotate"},
    {"scaling", "scale"},
    {"unit", "scale"},
    {"units", "scale"},
    {"resolution", "cell"},
    {"h", "cell"},
    {"edge", "cell"},
    {"elements", "tets"},
    {"ntets", "tets"},
    {"initialvelocity", "velocity"},
    {"v0", "velocity"},
    {"omega", "angular_velocity"},
    {"fixed", "pin"},
    {"fix", "pin"},
    {"pins", "pin"},
    {"constraint", "pin"},
    {"boundary", "pin"},
    {"dirichlet", "pin"},
    {"load", "force"},
    {"loads", "force"},
    {"neumann", "force"},
    {"floor", "obstacle"},
    {"ground", "obstacle"},
    {"collider", "obstacle"},
    {"object", "body"},
    {"bodies", "body"},
    {"materials", "material"},
    {"collision", "contact"},
    {"collisions", "contact"},
    {"integrator", "solver"},
    {"mu", "friction"},
    {"coefficient", "friction"},
    {"pressure", "traction"},
    {"value", "total"},
    {"force", "total"},
    {"iterations", "max_iterations"},
    {"maxiter", "max_iterations"},
    {"maxiterations", "iterations"},
    {"tolerance", "rel_tolerance"},
    {"tol", "rel_tolerance"},
    {"tol", "tolerance"},
};

std::string plain(std::string_view word) {
    std::string out;
    for (const char c : word)
        if (c != '_' && c != '-' && c != '\'')
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

}  // namespace

std::string key_meant(std::string_view word, const std::vector<std::string>& allowed) {
    const std::string written = word.size() == 1 ? std::string(word) : plain(word);
    for (const OtherName& other : other_names)
        if (other.word == written &&
            std::find(allowed.begin(), allowed.end(), other.key) != allowed.end())
            return std::string(other.key);
    return {};
}

}  // namespace limber

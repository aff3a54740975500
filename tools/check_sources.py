#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layout stays true: every #include points the allowed way, every source says its licence, headers are guarded,
scripts can be started, the citation names the version that is built, no folder holds more files than one can look over,
and no two headers define a type or an inline function of the same name: the linker would mix the two up in silence.

The table is the one of docs/architecture.md: a module may use itself, what it names here, and what those may use.
"""
import os
import pathlib
import re
import sys

USES = {
    "core": [],
    "mesh": ["core"],
    "io": ["mesh"],
    "linalg": ["core"],
    "fem": ["mesh", "linalg"],
    "contact": ["mesh", "linalg"],
    "solve": ["fem", "contact"],
    "gpu": ["solve"],
    "scene": ["solve", "gpu", "io"],
    "sim": ["scene"],
    "output": ["sim", "io"],
    "study": ["sim", "output"],
    "render": ["mesh", "io"],
    "view": ["output", "render"],
    "api": ["output", "render", "view"],
}
FRONT = "limber.h"  # for programs alone: it gives names of the api to what the library calls otherwise
# Where the names of solvers and contact methods stand. Elsewhere what they can do is asked, never what they are called.
REGISTRIES = ("scene/registry.cpp", "scene/contact_methods.cpp")
MOST_FILES = 40  # side by side in a folder of src/
# Kept out of headers, so that they stay quick to include and free of other people's types.
THIRD_PARTY = re.compile(r"^(Eigen/|tbb/|oneapi/|nlohmann/|toml|pugixml|png\.h|zlib\.h|fmt/|CLI/|xxhash|boost/)")


def closure(module):
    seen, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += USES[name]
    return seen


def compared_names(root):
    """Comparisons with the name of a solver, a contact method or a law."""
    source = root / "src" / "limber"
    names = set()
    for file in REGISTRIES:
        names.update(re.findall(r'option_case<[^>]*>\(\s*"(\w+)"', (source / file).read_text()))
    for path in (source / "fem" / "materials").glob("*.h"):
        names.update(re.findall(r'string_view name = "(\w+)"', path.read_text()))
    assert {"auto", "cholesky", "lagrange", "stvk"} <= names, names
    names -= {"auto", "none"}  # words of many options
    quoted = '"(?:' + "|".join(sorted(names)) + ')"'
    compared = re.compile(rf"[=!]=\s*{quoted}|{quoted}\s*[=!]=|any_cast<(?:const )?\w*Options\s*[*>]")
    for folder in (source, root / "apps"):
        for path in sorted(folder.rglob("*")):
            # A visitor of fields is given options of any type, and looks which it can show.
            if path.suffix not in (".h", ".cpp", ".cu") or path.name == "field_visitors.h":
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if compared.search(line):
                    yield f"{path}:{number}: asks for a name; the entries of scene/registry.h say what a solver or method can do"


def check(root):
    faults = list(compared_names(root))
    source = root / "src" / "limber"
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".cu"):
            continue
        module = path.relative_to(source).parts[0]
        if module == FRONT:
            module = "api"
        if module not in USES:
            faults.append(f"{path}:1: module '{module}' is not in the layout table")
            continue
        allowed = closure(module)
        lines = path.read_text().splitlines()
        if path.suffix == ".h" and not any(line == "#pragma once" for line in lines):
            faults.append(f"{path}:1: no #pragma once")
        for number, line in enumerate(lines, 1):
            ours = re.match(r'\s*#include\s+"(.*)"', line)
            theirs = re.match(r"\s*#include\s+<(.*)>", line)
            if ours:
                parts = ours.group(1).split("/")
                if parts[0] != "limber" or len(parts) < 3:
                    faults.append(f'{path}:{number}: include paths read "limber/<module>/<file>.h"')
                elif parts[1] not in allowed:
                    faults.append(f"{path}:{number}: {module} may not include {parts[1]}")
            if theirs and path.suffix == ".h" and THIRD_PARTY.match(theirs.group(1)):
                faults.append(f"{path}:{number}: third-party header <{theirs.group(1)}> in a header")
    for folder in sorted(path for path in source.rglob("*") if path.is_dir()):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > MOST_FILES:
            faults.append(f"{folder}:1: {count} files side by side; at most {MOST_FILES}, a subject in a folder of its own")
    defined = {}
    for path in sorted(source.rglob("*.h")):
        namespace = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if opened := re.match(r"namespace ([\w:]+) \{$", line):
                namespace = opened.group(1)
            # At the left margin: a type of its namespace. Specialisations and declarations do not count.
            type_of = re.match(
                r"(?:class|struct|enum class) (?:LIMBER_API )?(?:alignas\(\d+\) )?(\w+)(?: final)?(?: : [^;]*)? \{", line)
            if type_of:
                first = defined.setdefault((namespace, type_of.group(1)), f"{path}:{number}")
                if first != f"{path}:{number}":
                    faults.append(f"{path}:{number}: {type_of.group(1)} is defined in {first} too")
            # An inline function of namespace limber, by its name and the types of its arguments.
            function = re.match(r"(?:LIMBER_HD )?(?:inline|constexpr) [^=;(]*?(\w+)\(([^()]*)\)[^;]*$", line)
            if function:
                types = tuple(re.sub(r"(?<=[\s&*])\w+$", "", a.strip()).strip() for a in function.group(2).split(","))
                first = defined.setdefault((function.group(1), types), f"{path}:{number}")
                if first != f"{path}:{number}":
                    faults.append(f"{path}:{number}: {function.group(1)}() is defined in {first} too")
    for folder in ("src", "apps", "tests", "examples", "bench", "python"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".cu", ".py") and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(
                path.read_text().splitlines()[:3]
            ):
                faults.append(f"{path}:1: no SPDX line")
    for path in [*sorted(root.glob("*.sh")), *sorted((root / "tools").glob("*.sh"))]:
        if not os.access(path, os.X_OK):
            faults.append(f"{path}:1: a script that cannot be started; chmod +x")
    said = {name: re.search(pattern, (root / name).read_text(), re.MULTILINE)
            for name, pattern in (("CMakeLists.txt", r"project\(limber VERSION ([\d.]+)"), ("CITATION.cff", r"^version: ([\d.]+)$"))}
    if not all(said.values()) or len({found.group(1) for found in said.values()}) != 1:
        faults.append(f"{root / 'CITATION.cff'}:1: not the version of CMakeLists.txt")
    return faults


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    faults = check(root)
    print("\n".join(faults) if faults else "sources: layout, guards and licences are as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

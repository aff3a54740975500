#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of other projects build with limber and come to the bits of the program.

    build.py BUILD [--subdirectory]

Installs what is built already into a temporary folder and builds three of the projects beside this file against it, without
a flag of ours (one with -O0). The fourth has limber as a subdirectory: it is configured, and what it would compile is
looked at; with --subdirectory it is built, which takes minutes.
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def hash_of(consumer, environment=None):
    return run(consumer, HERE / "scene.toml", env={**os.environ, **(environment or {})}).strip()


def exported(library):
    """Names that are not of the standard library's templates, which every C++ library has."""
    names = [line.split(" ", 2)[2] for line in run("nm", "-DC", "--defined-only", library).splitlines()]
    return [name for name in names if not re.search(r"\bstd::|__gnu_cxx::", name)]


def subdirectory(work, whole):
    build = work / "subdirectory"
    run("cmake", "-S", HERE / "subdirectory", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DLIMBER_SOURCES={SOURCE}",
        "-DLIMBER_UNITY=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    commands = json.loads((build / "compile_commands.json").read_text())
    main = [c["command"] for c in commands if c["file"].endswith("consumers/main.cpp")]
    expect(len(main) == 1 and "-march" not in main[0] and "-Werror" not in main[0] and "-std=" in main[0],
           f"the consumer is compiled with its own flags: {main}")
    ours = [c["command"] for c in commands if not c["file"].endswith("consumers/main.cpp")]
    expect(all("-Werror" not in c and "-march" not in c for c in ours), "limber is compiled for any machine, without -Werror")
    expect(not any(f in c["file"] for c in commands for f in ("/apps/", "/tests/limber", "/bench/", "/examples/")),
           "the program, tests and examples are left out")
    if not whole:
        return None
    run("cmake", "--build", build)
    return hash_of(build / "consumer")


def described(program, share):
    """The manual page and the completion name every command and every option of it."""
    page = gzip.decompress((share / "man" / "man1" / "limber.1.gz").read_bytes()).decode()
    shell = share / "bash-completion" / "completions" / "limber"

    def completed(*words):
        script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _limber; echo "${COMPREPLY[*]}"'
        return run("bash", "-c", script, shell, "limber", *words).split()

    def walk(words):
        said = run(program, *words, "--help")
        for name in re.findall(r"(--[a-z-]+)", said.split("Options:")[1].split("Example:")[0]):
            if re.search(rf"^  (-\w,)?{name}\b", said, re.M) and name != "--help":
                expect(name.replace("-", "\\-") in page, f"{name} of limber {' '.join(words)} is in the manual page")
                expect(name in completed(*words, name[:4]), f"{name} of limber {' '.join(words)} is completed")
        if "Subcommands:" in said:
            for name in re.findall(r"^  (\w+) ", said.split("Subcommands:")[1], re.M):
                expect(f"COMMAND {' '.join([*words, name]).upper()}" in page, f"limber {name} is in the manual page")
                expect(name in completed(*words, name[:2]), f"limber {name} is completed")
                walk([*words, name])

    walk([])
    expect(completed("list", "mat") == ["materials"], "what may be listed is completed")
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True)
        expect(not done.stderr, f"groff has nothing to say: {done.stderr}")


def main():
    built = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="limber-consumers-") as folder:
        check(built, pathlib.Path(folder), whole="--subdirectory" in sys.argv)


def check(built, work, whole):
    first, prefix = work / "installed", work / "moved"
    for component in ("dev", "runtime", "program"):
        run("cmake", "--install", built, "--prefix", first, "--component", component)
    first.rename(prefix)  # nothing may remember where it was installed
    library = next(prefix.rglob("liblimber.so"))
    environment = {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig"), "LD_LIBRARY_PATH": str(library.parent)}

    names = exported(library)
    expect(names and all("limber" in name for name in names), f"only our names are exported: {names[:5]}")
    for header in (prefix / "include").rglob("*.h"):
        for include in re.findall(r'#include ["<](.*?)[">]', header.read_text()):
            expect("/" not in include or (prefix / "include" / include).exists(), f"{header} includes {include}")

    hashes = {}
    for name, options in (("find_package", ["-DCMAKE_CXX_FLAGS=-O0"]), ("shared", [])):
        run("cmake", "-S", HERE / name, "-B", work / name, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *options)
        run("cmake", "--build", work / name)
        hashes[name] = hash_of(work / name / "consumer")
    shutil.copytree(HERE, work / "copy")
    run("make", "-C", work / "copy" / "pkg_config", env={**os.environ, **environment})
    hashes["pkg_config"] = hash_of(work / "copy" / "pkg_config" / "consumer", environment)
    expect("liblimber.so.0" in run("ldd", work / "shared" / "consumer"), "the shared library is linked by its soname")
    expect("liblimber" not in run("ldd", work / "find_package" / "consumer"), "the archive is linked where it is asked for")

    program = prefix / "bin" / "limber"
    run(program, "run", HERE / "scene.toml", "-o", work / "run")
    hashes["program"] = json.loads((work / "run" / "summary.json").read_text())["state_hash"]
    expect(len(set(hashes.values())) == 1, f"the same bits everywhere: {hashes}")
    expect("sphere_drop" in run(program, "list", "scenes", cwd=work), "the installed program finds its scenes")
    described(program, prefix / "share")
    # Its own level of vector instructions: these bits are others.
    built_here = subdirectory(work, whole)
    print("consumers: " + ", ".join([*hashes, "subdirectory" if built_here else "subdirectory (configured)"]) + f": {hashes['program']}")


if __name__ == "__main__":
    main()

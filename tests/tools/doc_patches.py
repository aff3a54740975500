# SPDX-License-Identifier: Apache-2.0
"""The patches in docs/adding_*.md apply to the sources as they are, and what they add compiles. With --build they are all
applied to one copy, which is built, and the tests they add run.

    tests/tools/doc_patches.py BUILD_FOLDER             compiles each new source as the folder compiles its like
    tests/tools/doc_patches.py BUILD_FOLDER --build     builds and runs in BUILD_FOLDER/doc_patches
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]


def patches():
    for document in sorted((root / "docs").glob("adding_*.md")):
        for number, text in enumerate(re.findall(r"^```diff\n(.*?)^```$", document.read_text(), re.M | re.S), 1):
            yield f"{document.name}, patch {number}", text


def copy_sources(to):
    for name in subprocess.check_output(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=root, text=True).split("\0"):
        source = root / name
        if name and source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / name)
    subprocess.check_call(["git", "init", "-q", str(to)])


def new_sources(text):
    return re.findall(r"^\+\+\+ b/(\S+)$", "".join(re.findall(r"^--- /dev/null\n\+\+\+ b/\S+\n", text, re.M)), re.M)


def command_like(folder, name):
    """The command by which the folder compiles a neighbour of the new file, without its input and output."""
    module = "/".join(pathlib.PurePath(name).parts[:2])
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M).group(1)
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        if f"/{module}/" in entry["file"] and "unity" not in entry["file"]:
            words = entry["command"].split()
            keep, skip = [], False
            for word in words:
                if skip:
                    skip = False
                elif word in ("-o", "-c", "-include"):
                    skip = True
                elif word != "-Winvalid-pch":
                    keep.append(word.replace(home, "{copy}").replace("\\\"", '"'))
            return keep
    return None


def apply(text, label, copy):
    result = subprocess.run(["git", "apply", "--whitespace=error", "-"], cwd=copy, input=text, text=True, capture_output=True)
    if result.returncode != 0:
        sys.exit(f"{label} does not apply any more:\n{result.stderr}")


def compile_new(folder, text, label, copy):
    for name in new_sources(text):
        if name.endswith(".h"):
            alone = copy / "alone.cpp"
            alone.write_text(f'#include "{name.removeprefix("src/")}"\n')
            command, source = command_like(folder, "tests/fem/x.cpp") or command_like(folder, "tests/sim/x.cpp"), alone
        else:
            command, source = command_like(folder, name), copy / name
        if command is None:
            sys.exit(f"{label}: nothing like {name} is compiled in {folder}")
        command = [word.replace("{copy}", str(copy)) for word in command]
        result = subprocess.run([*command, "-fsyntax-only", str(source)], cwd=folder, text=True, capture_output=True)
        if result.returncode != 0:
            sys.exit(f"{label}: {name} does not compile:\n{result.stderr[:3000]}")
        print(f"{label}: {name} compiles")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    found = list(patches())
    if not found:
        sys.exit("no patch in docs/adding_*.md")
    if "--build" not in sys.argv:
        for label, text in found:
            with tempfile.TemporaryDirectory() as copy:
                copy_sources(pathlib.Path(copy))
                apply(text, label, copy)
                compile_new(folder, text, label, pathlib.Path(copy))
        return
    copy = folder / "doc_patches"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    copy_sources(copy)
    tests = []
    for label, text in found:
        apply(text, label, copy)
        tests += [name for name in new_sources(text) if name.startswith("tests/")]
    subprocess.check_call(["cmake", "--preset", "release", "-DLIMBER_TESTS=ON", "-DLIMBER_BENCHES=OFF", "-DLIMBER_EXAMPLES=OFF",
                           "-DLIMBER_VIEW=OFF", "-DLIMBER_UNITY=ON"], cwd=copy, stdout=subprocess.DEVNULL)
    for name in tests:
        module, suite = pathlib.PurePath(name).parts[1], re.findall(r"TEST(?:_P)?\((\w+),", (copy / name).read_text())[0]
        subprocess.check_call(["cmake", "--build", "build/release", "--target", f"test_{module}"], cwd=copy)
        subprocess.check_call([f"build/release/tests/test_{module}", f"--gtest_filter=*{suite}*"], cwd=copy)


if __name__ == "__main__":
    main()

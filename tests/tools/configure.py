# SPDX-License-Identifier: Apache-2.0
"""What is configured where something is missing: no half of the tests, and for the demo the program alone."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).parents[2]
faults = []


def configured(folder, *options):
    run = subprocess.run(["cmake", "-G", "Ninja", "-S", root, "-B", folder, *options], capture_output=True, text=True)
    if run.returncode != 0:
        faults.append(f"{' '.join(options)}: {run.stderr}")
    build = pathlib.Path(folder) / "build.ninja"
    return run.stdout, build.read_text() if build.exists() else ""


with tempfile.TemporaryDirectory() as folder:
    missing = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ("rapidcheck", "benchmark", "pybind11")]
    said, rules = configured(folder, *missing)
    for line in ("the tests are left out: rapidcheck not installed", "the kernel benches are left out: benchmark not installed",
                 "the bindings for Python are left out: pybind11 not installed"):
        if line not in said:
            faults.append(f"'{line}' is not said: {said}")
    for target in ("test_core", "example_01_hello_beam", "bench_fem", "limber_python"):
        if target in rules:
            faults.append(f"{target} is built where tests and benches are left out")
    # In the same folder: what CMake found the first time is not looked for again.
    _, rules = configured(folder, "-DLIMBER_EXAMPLES=ON")
    if "example_01_hello_beam" not in rules:
        faults.append("examples are not built although asked for")
    _, rules = configured(folder, "-DLIMBER_UNITY=ON", "-DLIMBER_PAGE=OFF", "-DLIMBER_VIEW=ON")
    if "unity/src_limber_scene_0.cpp" not in rules or "page/none.cpp" not in rules or "bundle.mjs" in rules:
        faults.append("unity or the program without its page is not configured")
    _, rules = configured(folder, "-DLIMBER_UNITY=ON", "-DLIMBER_VIEW=OFF", "-DLIMBER_SANITIZE=address")
    if "unity/src_limber_linalg_0.cpp" not in rules or "src/limber/view/" in rules:
        faults.append("unity without limber view, under a sanitizer, is not configured")

print("\n".join(faults) if faults else "configuring: what is missing is left out as a whole")
sys.exit(1 if faults else 0)

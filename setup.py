# SPDX-License-Identifier: Apache-2.0
"""Builds limber._core with CMake, for `pip install .` and `python3 -m build`. What is said of the package is in pyproject.toml.

A folder that CMake has configured before may be given in LIMBER_BUILD: only what is missing in it is compiled. Without one the
module is built for any x86-64 (LIMBER_LEVEL in the environment: baseline, v3, v4, native).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class BuildWithCMake(build_ext):
    def build_extension(self, extension):
        given = os.environ.get("LIMBER_BUILD")
        folder = pathlib.Path(given).resolve() if given else pathlib.Path(self.build_temp).resolve()
        if not given:
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DLIMBER_PYTHON=ON", "-DLIMBER_UNITY=ON",
                            "-DLIMBER_TESTS=OFF", "-DLIMBER_BENCHES=OFF", "-DLIMBER_EXAMPLES=OFF", "-DLIMBER_VIEW=OFF", "-DLIMBER_CUDA=OFF",
                            f"-DLIMBER_LEVEL={os.environ.get('LIMBER_LEVEL', 'baseline')}", f"-DPython3_EXECUTABLE={sys.executable}"],
                           check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "limber_python", "-j", str(os.cpu_count() or 1)], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(next((folder / "python" / "limber").glob("_core*.so")), target)


version = re.search(r"project\(limber VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
setup(version=version, ext_modules=[Extension("limber._core", sources=[])], cmdclass={"build_ext": BuildWithCMake})

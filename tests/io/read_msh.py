# SPDX-License-Identifier: Apache-2.0
"""Reads meshes with meshio and prints one line each: cells of each type: python3 read_msh.py FILE...

Exit code 77: meshio is not installed.
"""
import contextlib
import sys


def main():
    try:
        import meshio
    except ImportError as e:
        print(e, file=sys.stderr)
        return 77
    for path in sys.argv[1:]:
        with contextlib.redirect_stdout(sys.stderr):  # it prints blank lines of its own
            mesh = meshio.read(path)
        counts = {}
        for block in mesh.cells:
            counts[block.type] = counts.get(block.type, 0) + len(block.data)
        cells = " ".join(f"{kind} {n}" for kind, n in sorted(counts.items()))
        print(len(mesh.points), cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""./test.sh --long: the stages have names, unknown ones are refused, and what a stage came to is written down."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).parents[2]
faults = []


def expect(holds, what):
    if not holds:
        faults.append(what)


def shell(text, *arguments):
    return subprocess.run(["bash", "-c", text, *arguments], cwd=root, capture_output=True, text=True)


listed = shell("./test.sh --long list")
names = [line.split()[0] for line in listed.stdout.splitlines()]
expect(listed.returncode == 0 and "headers" in names and "benches" in names, f"no list of stages: {listed}")
for name in names:
    expect(f"\nlong_{name}() {{" in (root / "test.sh").read_text(), f"stage {name} is listed and not written")
wrong = shell("./test.sh --long headers hedaers")
expect(wrong.returncode == 2 and "no stage 'hedaers'" in wrong.stderr and "tsan " in wrong.stderr, f"a wrong name: {wrong}")

with tempfile.TemporaryDirectory() as folder:
    record = pathlib.Path(folder) / "record.tsv"
    # In `bad` the last command passes: a stage fails where any of its commands does.
    run = shell(
        """source ./test.sh --stages-only; record=$1 page=ON
        long_good() { true; }; long_bad() { false; true; }; long_left() { return 77; }
        export -f long_good long_bad long_left
        long_stage good; long_stage bad; long_stage left; echo "failed:$failed" """,
        "test", str(record))
    expect("failed: bad\n" in run.stdout, f"which stage failed is not known: {run}")
    rows = [line.split("\t") for line in record.read_text().splitlines()]
    expect(rows[0] == ["when", "stage", "commit", "seconds", "result", "cores"], f"the record's head: {rows[0]}")
    expect([(row[1], row[4]) for row in rows[1:]] == [("good", "passed"), ("bad", "failed"), ("left", "skipped")], f"{rows}")
    head = shell("git rev-parse --short HEAD").stdout.strip()
    expect(all(row[2].removesuffix("-dirty") == head and row[3].isdigit() for row in rows[1:]), f"commit, seconds: {rows}")

print("\n".join(faults) if faults else "test.sh: stages, names and the record are as they should be")
sys.exit(1 if faults else 0)

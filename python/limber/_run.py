# SPDX-License-Identifier: Apache-2.0
"""Runs in folders: made, and read."""
import io
import json

import numpy as np

from . import _core


class Run:
    """A run folder (docs/results.md), read as far as it is asked for."""

    def __init__(self, folder):
        self._reader = _core.RunReader(folder)

    @property
    def folder(self):
        return self._reader.folder

    @property
    def summary(self):
        """summary.json as a dict."""
        return json.loads(self._reader.text("summary.json"))

    def table(self, name):
        """A table of the folder, "steps.csv" for one, as a structured array."""
        return np.atleast_1d(np.genfromtxt(io.StringIO(self._reader.text(name)), delimiter=",", names=True, dtype=None,
                                           encoding="utf-8", deletechars=""))

    @property
    def steps(self):
        """steps.csv: a row each step."""
        return self.table("steps.csv")

    @property
    def frame_steps(self):
        return self._reader.frame_steps

    def frame(self, step):
        """The bodies of the frame of a step, by name."""
        return {frame.body: frame for frame in self._reader.frame(step)}

    def __repr__(self):
        return f"<limber.Run {self.folder}>"


def run(scene, out, *, set=None, steps=None, overwrite=False, resume=False, on_step=None):
    """What `limber run` does, without a word: a scene, or the name of its file, into the run folder `out`.

    set: values as of --set, a dict or texts. steps: until this step instead of the scene's end. on_step is called with the
    report of every step; where it returns False the run ends and is saved. Ctrl-C does the same before KeyboardInterrupt is
    raised. Returns the Run, whose `result` says how it went.
    """
    result = _core.run(scene, str(out), set=set, steps=steps, overwrite=overwrite, resume=resume, on_step=on_step)
    read = Run(str(out))
    read.result = result
    return read

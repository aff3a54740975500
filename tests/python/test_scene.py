# SPDX-License-Identifier: Apache-2.0
"""Scenes in code are scenes of files: the same dialect, the same checks, the same words."""
import json
import pathlib
import tempfile
import threading
import unittest

import limber
import numpy as np
from samples import SCENES, ball, bar


class Scenes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)

    def test_in_code_is_the_same_as_in_a_file(self):
        scene = ball()
        scene.save(self.dir / "ball.toml")
        read = limber.Scene.load(self.dir / "ball.toml")
        self.assertEqual(read.to_dict(), scene.to_dict())
        hashes = set()
        for world in (scene.world(), read.world(), limber.World(self.dir / "ball.toml"),
                      limber.Scene.parse(scene.toml()).world(), limber.Scene.of(scene.to_dict()).world()):
            world.step(15)
            hashes.add(world.state_hash)
        self.assertEqual(len(hashes), 1)

    def test_every_scene_reads_back_as_itself(self):
        for file in sorted(SCENES.glob("*.toml")):
            scene = limber.Scene.load(file)
            self.assertEqual(limber.Scene.parse(scene.toml()).to_dict(), scene.to_dict(), file.name)

    def test_paths_still_lead_there_from_another_folder(self):
        limber.Scene.load(SCENES / "bowl_of_bears.toml").save(self.dir / "bears.toml")
        read = limber.Scene.load(self.dir / "bears.toml")
        read.check()
        self.assertEqual(read.resolved().split("\n[time]")[1], limber.Scene.load(SCENES / "bowl_of_bears.toml").resolved().split("\n[time]")[1])

    def test_mistakes_have_the_words_of_files(self):
        scene = bar()
        scene.material("stiff", kind="corotated", yougn=1, poisson=0.7)
        scene.body("other", shape="baem")
        with self.assertRaises(limber.InputError) as caught:
            scene.world()
        text = str(caught.exception)
        for part in ("material.stiff: unknown key 'yougn'", "did you mean 'young'?", "material.stiff.poisson = 0.7",
                     "body[1].shape = \"baem\"", "did you mean 'beam'?"):
            self.assertIn(part, text)
        self.assertIsInstance(caught.exception, ValueError)
        (self.dir / "wrong.toml").write_text(
            "limber = 1\n[time]\nstep = \"long\"\nend = 1\n[[body]]\nname = \"b\"\nshape = \"box\"\n")
        with self.assertRaises(limber.InputError) as caught:
            limber.World(self.dir / "wrong.toml")
        self.assertEqual((caught.exception.line, caught.exception.column), (3, 8))
        self.assertTrue(caught.exception.file.endswith("wrong.toml"))
        with self.assertRaisesRegex(OSError, "nothing.toml"):
            limber.World(self.dir / "nothing.toml")

    def test_values_are_set_by_path(self):
        world = bar().world(set={"solver.kind": "newton", "solver.max_iterations": 3})
        self.assertEqual(world.solver, "newton")
        scene = bar()
        scene.set("solver.kind=\"cholesky\"")
        scene.set({"material.rubber.young": 1e6, "body.bar.translate": [0, 1, 0]})
        self.assertEqual(scene.to_dict()["material"]["rubber"]["young"], 1e6)
        self.assertEqual(scene.world().solver, "cholesky")
        with self.assertRaisesRegex(limber.InputError, "there is no entry 'baar'"):
            scene.set({"body.baar.translate": [0, 1, 0]})

    def test_values_may_be_of_numpy(self):
        scene = bar(gravity=np.array([0.0, -1, 0]))
        scene.obstacle(shape="plane", normal=(0, 1, 0), position=[np.float64(0), np.int64(-1), 0])
        self.assertEqual(scene.to_dict()["gravity"], [0, -1, 0])
        scene.check()
        for wrong in ({1, 2}, object(), 1 + 2j, b"bytes", lambda: 0):
            with self.assertRaisesRegex(limber.InputError, r"gravity: found a value of type '\w+'; allowed: "):
                limber.Scene(gravity=wrong)

    def test_what_holds_itself_is_refused(self):
        lists, tables = [], {}
        lists.append(lists)
        tables["t"] = tables
        for wrong in (lists, tables):
            with self.assertRaisesRegex(limber.InputError, "nesting deeper than 64; allowed: at most 64"):
                limber.Scene(gravity=wrong)

    def test_one_scene_may_be_changed_while_another_thread_checks_it(self):
        scene, done, others = bar(), threading.Event(), []

        def check():
            while not done.is_set():
                try:
                    scene.check()
                    scene.toml()
                except limber.InputError as error:
                    others.append(error)

        worker = threading.Thread(target=check)
        worker.start()
        for k in range(300):
            scene.material(f"m{k}", young=1e5 + k)
            scene.set({"material.rubber.young": 1e5 + k})
        done.set()
        worker.join()
        self.assertEqual(others, [])

    def test_keys_and_their_meanings_are_the_librarys(self):
        keys = {info.key: info for info in limber.keys("pin")}
        self.assertEqual(set(keys), {"body", "select", "file", "axes", "motion", "times", "scale"})
        self.assertTrue(keys["body"].required)
        self.assertIn("coordinates that are held", limber.Scene.pin.__doc__)
        self.assertIn("young", limber.Scene.material.__doc__)
        self.assertIn("[Pa]", limber.Scene.material.__doc__)
        with self.assertRaisesRegex(limber.InputError, "there is no table 'pinn'"):
            limber.keys("pinn")


class Meshes(unittest.TestCase):
    def sample(self):
        world = bar(cells=(3, 1, 1)).world()
        return world.rest.copy(), world.tets.copy()

    def with_mesh(self, nodes, tets, groups=None, **keys):
        scene = limber.Scene(time={"step": 0.01, "steps": 5})
        scene.material("soft", young=1e5)
        scene.material("hard", young=1e7)
        scene.body("m", mesh=(nodes, tets), groups=groups, material="soft", **keys)
        scene.pin("m", select={"side": "x-"})
        return scene

    def test_of_arrays_are_meshes_of_files(self):
        nodes, tets = self.sample()
        scene = self.with_mesh(nodes, tets)
        world = scene.world()
        np.testing.assert_array_equal(world.rest, nodes)
        np.testing.assert_array_equal(world.tets, tets)
        with tempfile.TemporaryDirectory() as folder:
            scene.save(folder + "/scene.toml")
            other = limber.World(folder + "/scene.toml")
            world.step(5)
            other.step(5)
            self.assertEqual(world.state_hash, other.state_hash)
            run = limber.run(scene, folder + "/out")
            self.assertEqual(run.result.state_hash, world.state_hash)
            del scene
            again = limber.run(folder + "/out/scene.toml", folder + "/again")  # the mesh lies with the run
            self.assertEqual(again.result.state_hash, world.state_hash)

    def test_groups_of_tets_take_materials(self):
        nodes, tets = self.sample()
        middle = nodes[tets].mean(axis=1)[:, 0]
        hard = np.flatnonzero(middle < np.median(middle))
        soft_tip, hard_tip = [], []
        for groups, regions, out in ((None, None, soft_tip),
                                     ({"root": hard}, [{"group": "root", "material": "hard"}], hard_tip)):
            world = self.with_mesh(nodes, tets, groups, regions=regions).world()
            world.step(5)
            out.append((world.x - world.rest)[:, 1].min())
        self.assertLess(soft_tip[0], hard_tip[0])

    def test_wrong_arrays_are_refused_by_name(self):
        nodes, tets = self.sample()
        bad_nodes = nodes.copy()
        bad_nodes[2, 1] = np.nan
        bad_tets = tets.copy()
        bad_tets[1, 3] = len(nodes)
        for n, t, text in [(nodes[:, :2], tets, r"nodes: an array of shape \(\d+, 2\); allowed: \(n, 3\)"),
                           (nodes, tets[:, :3], r"tets: an array of shape \(\d+, 3\); allowed: \(n, 4\)"),
                           (nodes.ravel(), tets, "nodes: an array of shape"),
                           (bad_nodes, tets, r"nodes\[2, 1\] = nan; allowed: finite numbers"),
                           (nodes, bad_tets, rf"tets\[1, 3\] = {len(nodes)}; allowed: 0 to {len(nodes) - 1}"),
                           (nodes, -tets - 1, r"tets\[0, 0\] = -\d+; allowed"),
                           (nodes, tets.astype(float), "tets: an array of floating point numbers of 64 bits; allowed: whole numbers"),
                           (nodes.astype(str), tets, "nodes: an array of something else than numbers"),
                           ("nodes", tets, "nodes: an array of something else than numbers"),
                           (nodes, None, "tets: an array of something else than numbers")]:
            scene = limber.Scene(time={"step": 0.01, "steps": 5})
            with self.assertRaisesRegex(limber.InputError, text):
                scene.body("m", mesh=(n, t))
            self.assertNotIn("body", scene.to_dict())
        with self.assertRaisesRegex(limber.InputError, r"groups.g\[0\] = 9999"):
            limber.Scene().body("m", mesh=(nodes, tets), groups={"g": [9999]})
        turned = tets[:, [1, 0, 2, 3]]
        with self.assertRaises(limber.InputError):  # the mesh doctor's words, as for files
            self.with_mesh(nodes, turned[:, [0, 0, 2, 3]]).world()

    def test_any_strides_and_types_of_whole_numbers_will_do(self):
        nodes, tets = self.sample()
        straight = self.with_mesh(nodes, tets).world().state_hash
        for n, t in ((np.asfortranarray(nodes), np.asfortranarray(tets)), (nodes[::-1][::-1], tets.astype(np.uint64)),
                     (nodes.tolist(), tets.tolist()), (nodes, tets.astype(np.int16))):
            self.assertEqual(self.with_mesh(n, t).world().state_hash, straight)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)

    def test_a_run_is_that_of_the_program(self):
        run = limber.run(ball(), self.dir / "out", set={"output.every": 5})
        self.assertEqual(run.result.outcome, "done")
        self.assertEqual(run.summary["state_hash"], run.result.state_hash)
        world = ball().world()
        world.step(40)
        self.assertEqual(world.state_hash, run.result.state_hash)
        self.assertEqual(len(run.steps), 40)
        self.assertAlmostEqual(run.steps["kinetic"][9], float(run.steps[9]["kinetic"]))
        self.assertEqual(run.frame_steps, list(range(0, 41, 5)))
        frame = run.frame(40)["ball"]
        np.testing.assert_array_equal(frame.x, world.x)
        np.testing.assert_array_equal(frame.v, world.v)
        np.testing.assert_allclose(frame.stress, world.stress)
        np.testing.assert_array_equal(frame.tets, world.tets)
        with self.assertRaisesRegex(limber.InputError, "41"):
            run.frame(41)

    def test_a_run_is_kept_gone_on_with_or_replaced(self):
        limber.run(ball(), self.dir / "out", steps=10)
        with self.assertRaisesRegex(limber.InputError, "holds a run already"):
            limber.run(ball(), self.dir / "out")
        resumed = limber.run(ball(), self.dir / "out", resume=True)
        fresh = limber.run(ball(), self.dir / "fresh")
        own = limber.run(ball(), self.dir / "own", steps=10)
        own = limber.run(self.dir / "own" / "scene.toml", self.dir / "own", resume=True)
        self.assertEqual(own.result.state_hash, fresh.result.state_hash)
        self.assertEqual(resumed.result.state_hash, fresh.result.state_hash)
        self.assertEqual(limber.run(ball(), self.dir / "out", overwrite=True, steps=3).result.last.step, 3)

    def test_who_is_told_of_steps_may_end_it(self):
        seen = []
        run = limber.run(ball(), self.dir / "out", on_step=lambda report: seen.append(report.step) or report.step < 7)
        self.assertEqual(run.result.outcome, "interrupted")
        self.assertEqual(seen, list(range(1, 8)))
        self.assertEqual(limber.run(ball(), self.dir / "out", resume=True).result.outcome, "done")

        def fail(report):
            raise RuntimeError("mine")

        with self.assertRaisesRegex(RuntimeError, "mine"):
            limber.run(ball(), self.dir / "other", on_step=fail)
        self.assertTrue((self.dir / "other" / "checkpoint").is_dir())  # saved before it is told

    def test_what_is_no_run_is_refused(self):
        with self.assertRaisesRegex(limber.InputError, "not a folder"):
            limber.Run(self.dir / "nothing")
        with self.assertRaisesRegex(limber.InputError, "not a run folder"):
            limber.Run(self.dir)


if __name__ == "__main__":
    unittest.main()

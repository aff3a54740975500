# SPDX-License-Identifier: Apache-2.0
"""Worlds from Python: views, control, observers, checkpoints, threads."""
import gc
import signal
import sys
import threading
import time
import unittest
import weakref

import limber
import numpy as np
from samples import SCENES, ball, bar

VIEWS = ["x", "v", "rest", "external_force", "contact_force", "reaction", "mass", "tets", "stress", "det_F"]


class Views(unittest.TestCase):
    def test_stay_current_after_a_thousand_steps_a_failure_and_a_restore(self):
        world = bar().world()
        kept = {name: getattr(world, name) for name in VIEWS}
        before = {name: view.copy() for name, view in kept.items()}
        checkpoint = world.save()
        world.step(1000)
        moved = [name for name in VIEWS if not np.array_equal(kept[name], before[name])]
        self.assertEqual(set(moved), {"x", "v", "reaction", "stress", "det_F"})
        for name in VIEWS:
            self.assertTrue(np.shares_memory(kept[name], getattr(world, name)), name)
            np.testing.assert_array_equal(kept[name], getattr(world, name))
        world.control.pin_target(0)[:] = 1e74  # in one step: too fast for numbers
        self.assertTrue(world.step(check=False).failed)
        world.restore(checkpoint)
        np.testing.assert_array_equal(kept["x"], before["x"])
        np.testing.assert_array_equal(kept["stress"], before["stress"])

    def test_are_read_only_but_the_control(self):
        world = bar().world()
        for name in VIEWS:
            with self.assertRaises(ValueError):
                getattr(world, name)[0] = 1
        world.control.force[0] = 1
        world.control.gravity[1] = -1
        world.control.pin_target(0)[0] = 0

    def test_keep_the_world_alive(self):
        world = bar().world()
        seen = weakref.ref(world)
        x = world.x
        del world
        gc.collect()
        self.assertIsNotNone(seen())
        self.assertTrue(np.isfinite(x).all())
        del x
        gc.collect()
        self.assertIsNone(seen())

    def test_an_observer_that_knows_its_world_does_not_keep_it_alive(self):
        world = bar().world()
        world.on_step(lambda w, report, known=world: None)
        seen = weakref.ref(world)
        del world
        gc.collect()
        self.assertIsNone(seen())

    def test_bodies_are_rows_of_the_world(self):
        world = bar().world()
        body = world.body("bar")
        self.assertTrue(np.shares_memory(body.x, world.x))
        self.assertTrue(np.shares_memory(body.stress, world.stress))
        self.assertEqual(len(body.det_F), len(world.tets))
        self.assertEqual(body.triangles.shape[1], 3)
        self.assertAlmostEqual(body.mass, 6.0)
        tip = body.select(side="x+")
        np.testing.assert_array_equal(tip, world.select("bar", side="x+"))
        self.assertTrue((world.rest[tip, 0] > 0.59 + world.rest[:, 0].min()).all())
        np.testing.assert_array_equal(tip, world.select("bar", group="x+"))


class Contacts(unittest.TestCase):
    def test_are_a_record_array(self):
        world = ball().world()
        most = 0.0
        for _ in range(20):
            world.step()
            contacts = world.contacts
            if not len(contacts):
                continue
            self.assertTrue((contacts["body"] == 0).all())
            self.assertTrue((contacts["obstacle"] == 0).all())
            np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1)
            np.testing.assert_allclose(contacts["force"].sum(axis=0), world.contact_force.sum(axis=0), rtol=1e-9, atol=1e-9)
            most = max(most, contacts["force"][:, 1].sum())
        self.assertGreater(most, 100)
        self.assertIn("face-obstacle", limber.World.contact_kinds)


class ControlTests(unittest.TestCase):
    def test_a_force_moves_what_it_pushes(self):
        pushed, left = bar().world(), bar().world()
        tip = pushed.select("bar", side="x+")
        pushed.control.force[tip, 2] = 2
        pushed.step(20)
        left.step(20)
        self.assertGreater((pushed.x - left.x)[tip, 2].min(), 1e-3)
        pushed.control.clear()
        self.assertFalse(pushed.control.force.any())

    def test_a_pin_goes_to_its_targets(self):
        world = bar().world()
        pin = world.control.pins[0]
        target = world.control.pin_target(0)
        np.testing.assert_array_equal(target, world.x[pin.nodes])
        target += [0, 0.01, 0]
        world.step()
        np.testing.assert_allclose(world.x[pin.nodes], target, atol=1e-15)
        self.assertTrue(world.control.pins[0].driven)
        world.control.release_pin(0)
        world.step()
        np.testing.assert_allclose(world.x[pin.nodes], world.rest[pin.nodes], atol=1e-15)

    def test_a_cable_is_pulled_by_its_name(self):
        world = limber.World(SCENES / "soft_finger.toml")
        drive = world.control.drives[0]
        self.assertEqual((drive.name, drive.what, drive.unit), ("tendon", "pull", "m"))
        world.control["tendon"] = 0.004
        world.step()
        self.assertEqual(world.control["tendon"], 0.004)
        del world.control["tendon"]
        self.assertFalse(world.control.drives[0].driven)
        with self.assertRaises(KeyError):
            world.control["tendom"]
        with self.assertRaisesRegex(limber.InputError, "did you mean 'tendon'"):
            world.control["tendom"] = 1
        with self.assertRaisesRegex(limber.InputError, "pull of 'tendon' = nan"):
            world.control["tendon"] = float("nan")

    def test_what_no_step_can_take_is_refused_by_name(self):
        world = bar().world()
        n = len(world.x)
        for wrong, text in [(np.zeros((n, 2)), rf"^control.force: an array of shape \({n}, 2\); allowed: \({n}, 3\)"),
                            (np.zeros(3), r"control.force: an array of shape \(3,\)"),
                            (np.zeros((n, 3), complex), "complex numbers"),
                            (np.zeros((n, 3), bool), "true and false"),
                            (np.zeros((n, 3), ">f8"), "other byte order"),
                            (np.zeros((n, 3), np.float16), "16 bits"),
                            (np.array([["a"] * 3] * n), "something else than numbers"),
                            (np.array([[None] * 3] * n), "something else than numbers"),
                            (np.full((n, 3), np.nan), r"control.force\[0, 0\] = nan; allowed: finite numbers")]:
            with self.assertRaisesRegex(limber.InputError, text):
                world.control.force = wrong
        self.assertFalse(world.control.force.any())
        world.control.force = np.ones((2 * n, 6), np.float32)[::2, ::-2]  # any strides will do
        self.assertTrue((world.control.force == 1).all())
        world.control.force[2, 1] = np.inf
        with self.assertRaisesRegex(limber.InputError, r"control.force\[2\].y = inf"):
            world.step()
        self.assertEqual(world.step_number, 0)
        with self.assertRaisesRegex(limber.InputError, "there is no pin 7"):
            world.control.pin_target(7)


class Steps(unittest.TestCase):
    def test_observers_see_every_step_and_their_exceptions_arrive(self):
        world = bar().world()
        seen = []

        @world.on_step
        def look(of, report):
            self.assertIs(of, world)
            seen.append(report.step)

        world.step(3)
        self.assertEqual(seen, [1, 2, 3])

        class Mine(Exception):
            pass

        @world.on_step
        def fail(of, report):
            raise Mine(report.step)

        with self.assertRaises(Mine):
            world.step(3)
        self.assertEqual(world.step_number, 4)  # the step itself was taken

    def test_a_step_that_fails_says_why(self):
        world = bar().world()
        world.step()
        before = world.state_hash
        world.control.pin_target(0)[:] = 1e74
        with self.assertRaisesRegex(limber.StepFailed, "step 2 failed in body 'bar'") as caught:
            world.step()
        self.assertTrue(caught.exception.report.failed)
        self.assertEqual(world.state_hash, before)

    def test_steps_go_to_the_end_of_the_scene(self):
        world = ball().world()
        self.assertEqual([r.step for r in world.steps()], list(range(1, 41)))
        self.assertEqual(list(world.steps()), [])
        self.assertEqual(len(list(world.steps(2))), 2)

    def test_a_checkpoint_goes_on_with_the_same_bits(self):
        world, other = ball().world(), ball().world()
        world.step(12)
        world.control.force[3, 0] = 2
        other.restore(world.save())
        world.step(10)
        other.step(10)
        self.assertEqual(world.state_hash, other.state_hash)
        with self.assertRaisesRegex(limber.InputError, "checkpoint of another scene"):
            bar().world().restore(world.save())
        damaged = bytearray(world.save())
        damaged[-9] ^= 1
        before = other.state_hash
        for wrong, text in [(bytes(damaged), "damaged checkpoint"), (b"", "truncated checkpoint|not a limber checkpoint"),
                            (b"something else", "not a limber checkpoint"), (world.save()[:100], "truncated checkpoint")]:
            with self.assertRaisesRegex(limber.InputError, text):
                other.restore(wrong)
        self.assertEqual(other.state_hash, before)

    def test_ctrl_c_ends_between_steps(self):
        world = bar(cells=(20, 4, 4)).world()
        threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            world.step(10 ** 9)
        self.assertGreater(world.step_number, 0)
        world.step()


class Threads(unittest.TestCase):
    def test_two_threads_step_two_worlds_to_the_bits_of_one_after_the_other(self):
        def hashes(world, out, k):
            world.step(25)
            out[k] = world.state_hash

        serial, threaded = {}, {}
        for k, make in enumerate((ball, bar)):
            hashes(make().world(), serial, k)
        workers = [threading.Thread(target=hashes, args=(make().world(), threaded, k)) for k, make in enumerate((ball, bar))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(serial, threaded)

    def test_other_threads_run_while_a_world_steps(self):
        world = bar(cells=(30, 6, 6)).world()
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0)

        worker = threading.Thread(target=count)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(10)  # nobody is asked to make room: only a step that does so itself lets the other run
        try:
            worker.start()
            before = counted[0]
            world.step()
            self.assertGreater(counted[0], before)
        finally:
            sys.setswitchinterval(interval)
            done.set()
            worker.join()

    def test_one_world_is_for_one_thread_at_a_time(self):
        world = bar(cells=(40, 8, 8)).world()
        begun, refused = threading.Event(), []

        def other():
            begun.wait()
            for _ in range(100000):
                try:
                    world.save()
                except limber.InputError as error:
                    refused.append(str(error))
                    return

        worker = threading.Thread(target=other)
        worker.start()
        begun.set()
        while worker.is_alive():
            try:
                world.step(3)
            except limber.InputError:
                pass  # or it is the other's turn
        worker.join()
        self.assertIn("in use by another thread", refused[0])

    def test_the_number_of_threads_changes_no_bits(self):
        found = set()
        try:
            for n in (1, 2):
                limber.set_threads(n)
                self.assertEqual(limber.threads(), n)
                world = ball().world()
                world.step(15)
                found.add(world.state_hash)
        finally:
            limber.set_threads(0)
        self.assertEqual(len(found), 1)
        with self.assertRaisesRegex(limber.InputError, "threads = 5000"):
            limber.set_threads(5000)


if __name__ == "__main__":
    unittest.main()

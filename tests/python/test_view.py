# SPDX-License-Identifier: Apache-2.0
"""The live page of a world that Python steps, as a browser's WebSocket sees it."""
import base64
import gc
import json
import os
import socket
import struct
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
import weakref

import limber
import numpy as np
from samples import SCENES, bar

PATIENCE = 120  # seconds; never a criterion


class Client:
    """A WebSocket by RFC 6455, as far as the page needs it."""

    def __init__(self, url):
        at = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((at.hostname, at.port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /ws?{at.query} HTTP/1.1\r\nHost: {at.netloc}\r\nOrigin: http://{at.netloc}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.take(1)
        assert b" 101 " in head, head
        self.seen = {}

    def take(self, n):
        out = b""
        while len(out) < n:
            got = self.socket.recv(n - len(out))
            if not got:
                raise ConnectionError("the page is gone")
            out += got
        return out

    def send(self, opcode, payload):
        mask, n = os.urandom(4), len(payload)
        head = bytes([0x80 | opcode, 0x80 | n]) if n < 126 else bytes([0x80 | opcode, 0x80 | 126]) + struct.pack(">H", n)
        self.socket.sendall(head + mask + bytes(b ^ mask[k % 4] for k, b in enumerate(payload)))

    def tell(self, **command):
        self.send(1, json.dumps(command).encode())

    def receive(self):
        """The next message: its type and its content; frames are acknowledged."""
        opcode, n = (b & 127 if k else b & 15 for k, b in enumerate(self.take(2)))
        if n >= 126:
            n = int.from_bytes(self.take(2 if n == 126 else 8), "big")
        payload = self.take(n)
        if opcode == 1:
            message = json.loads(payload)
            self.seen[message["type"]] = message
            return message["type"], message
        if opcode == 2 and payload[:4] == b"\1\0\0\0":
            number, n = struct.unpack("<II", payload[8:16])
            self.send(2, struct.pack("<I", number))
            n_pulls, = struct.unpack("<I", payload[52:56])
            frame = {"step": struct.unpack("<d", payload[16:24])[0], "values": struct.unpack("<I", payload[32:36])[0], "pulls": n_pulls,
                     "x": np.frombuffer(payload[64:64 + 12 * n], np.float32).reshape(n, 3)}
            self.seen["frame"] = frame
            return "frame", frame
        return ("geometry" if opcode == 2 else f"opcode {opcode}"), payload

    def until(self, kind, holds=lambda message: True):
        while True:
            found, message = self.receive()
            if found == kind and holds(message):
                return message


def far_end(world, client):
    """A triangle of the surface at the end of the bar that is not held."""
    while True:
        kind, payload = client.receive()
        if kind == "geometry":
            triangles = np.frombuffer(payload[16:], np.uint32).reshape(-1, 3)
            break
    x = client.until("frame")["x"]
    return int(np.argmax(x[triangles].mean(axis=1)[:, 0]))


class Steps(threading.Thread):
    """Steps a world until it is told to stop."""

    def __init__(self, world):
        super().__init__()
        self.world, self.over, self.error = world, False, None

    def run(self):
        try:
            while not self.over:
                self.world.step()
                time.sleep(0.001)
        except Exception as error:
            self.error = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.over = True
        self.join()
        assert self.error is None, self.error


class Page(unittest.TestCase):
    def client(self, view):
        made = Client(view.url)
        self.addCleanup(made.socket.close)
        return made

    def test_shows_every_state_and_needs_nobody_who_looks(self):
        world = bar().world()
        with limber.view(world) as view:
            self.assertIn(f"127.0.0.1:{view.port}/?token=", view.url)
            world.step(20)  # nobody is there
            page = urllib.request.urlopen(view.url, timeout=PATIENCE).read()
            self.assertIn(b"<title>limber</title>", page)
            client = self.client(view)
            scene = client.until("scene")
            self.assertEqual((scene["mode"], scene["bodies"][0]["name"]), ("program", "bar"))
            self.assertNotIn("panels", scene)
            view.update()
            frame = client.until("frame", lambda f: f["step"] == 20)
            self.assertAlmostEqual(float(frame["x"][:, 1].min()), float(world.x[:, 1].min()), places=6)
            world.step(5)
            view.update()
            client.until("frame", lambda f: f["step"] == 25)
            self.assertEqual(client.seen["stats"]["rows"][-1][0], 25)
            self.assertEqual(view.clients, 1)
            client.tell(do="colour", name="displacement")
            while client.seen["frame"]["values"] == 0:
                view.update()
                client.until("frame")
        self.assertTrue(view.closed)

    def test_does_not_change_a_bit_of_a_world_that_nobody_touches(self):
        alone, seen = bar().world(), bar().world()
        view = limber.view(seen)
        client = self.client(view)
        for world in (alone, seen):
            world.step(30)
        self.assertEqual(alone.state_hash, seen.state_hash)
        self.assertEqual(alone.save(), seen.save())
        client.until("frame")

    def test_pulls_a_body_and_lets_it_go(self):
        world = bar(gravity=[0, 0, 0]).world()
        with limber.view(world) as view:
            client = self.client(view)
            triangle = far_end(world, client)
            with Steps(world):
                client.tell(do="pull", triangle=triangle, weight=[0.4, 0.3, 0.3], point=[0.3, 0.4, 0], value=5)
                client.until("frame", lambda f: f["pulls"] == 1 and f["x"][:, 1].max() > 0.1)
                self.assertTrue(client.seen["status"]["by_hand"])
                client.tell(do="release")
                client.until("frame", lambda f: f["pulls"] == 0)

    def test_drives_a_cable_within_its_reach(self):
        world = limber.World(SCENES / "soft_finger.toml")
        with limber.view(world) as view:
            client = self.client(view)
            drive = client.until("scene")["drives"][0]
            client.tell(do="drive", name=drive["name"], value=drive["hi"])
            while abs(world.control[drive["name"]] - drive["hi"]) > 1e-12:
                world.step()
            client.tell(do="drive", name=drive["name"], value=2 * drive["hi"])
            while "notice" not in client.seen:
                view.update()
                client.receive()
            self.assertIn("goes from", client.seen["notice"]["error"])

    def test_refuses_what_the_program_alone_decides(self):
        world = bar().world()
        with limber.view(world) as view:
            client = self.client(view)
            commands = [{"do": "pause"}, {"do": "reset"}, {"do": "step"}, {"do": "speed", "value": 2}, {"do": "unpin"},
                        {"do": "pin", "triangle": 0, "weight": [1, 0, 0]}, {"do": "set", "path": "solver.kind", "to": "newton"},
                        {"do": "open", "name": "bar"}, {"do": "record", "on": True}, {"do": "seek", "value": 0}, {"do": "cancel"}]
            for command in commands:
                client.seen.pop("notice", None)
                client.tell(**command)
                while "notice" not in client.seen:
                    view.update()
                    client.receive()
                self.assertIn("a program steps this world", client.seen["notice"]["error"])
                self.assertEqual(client.seen["notice"]["do"], command["do"])
            self.assertEqual(world.step_number, 0)

    def test_one_at_a_time_and_as_often_as_wanted(self):
        world = bar().world()
        first = limber.view(world)
        with self.assertRaisesRegex(limber.InputError, "on a live page already"):
            limber.view(world)
        first.close()
        first.close()
        with self.assertRaisesRegex(limber.InputError, "is closed"):
            first.update()
        self.assertEqual((first.clients, repr(first)), (0, "<limber.View closed>"))
        with limber.view(world) as second:
            self.assertNotEqual(second.url, first.url)
            first.close()
            self.assertFalse(second.closed)
            world.step()

    def test_wrong_arguments_are_refused_by_name(self):
        world = bar().world()
        for wrong, text in [({"port": 70000}, "port = 70000"), ({"port": -1}, "allowed: 0 to 65535"), ({"host": "nowhere"}, "nowhere")]:
            with self.assertRaisesRegex(limber.InputError, text):
                limber.view(world, **wrong)
        with self.assertRaises(TypeError):
            limber.view(bar())
        with self.assertRaises(TypeError):
            limber.view(world, port="any")
        with limber.view(world) as view:
            with self.assertRaises(OSError):
                limber.view(bar().world(), port=view.port)

    def test_goes_with_whoever_holds_it_in_any_order(self):
        world = bar().world()
        view = limber.view(world)
        url, seen = view.url, weakref.ref(world)
        del world
        gc.collect()
        self.assertIsNotNone(seen(), "a view keeps its world")
        urllib.request.urlopen(url, timeout=PATIENCE).read()
        del view
        gc.collect()
        self.assertIsNone(seen())
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(url, timeout=PATIENCE)
        world = bar().world()
        world.view = limber.view(world)  # each knows the other
        url, seen = world.view.url, weakref.ref(world)
        del world
        gc.collect()
        self.assertIsNone(seen())
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(url, timeout=PATIENCE)

    def test_is_closed_from_another_thread_while_its_world_steps(self):
        world = bar().world()
        for _ in range(5):
            view = limber.view(world)
            client = self.client(view)
            with Steps(world):
                client.until("frame")
                client.tell(do="tool", point=[0, 0, 0], value=0.1)
                client.until("frame")
                view.close()
            with self.assertRaises((ConnectionError, OSError)):
                while True:
                    client.receive()


if __name__ == "__main__":
    unittest.main()

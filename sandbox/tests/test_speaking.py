"""A session that speaks unasked is heard in order, and is not held up by a program that does not listen."""

from __future__ import annotations

import os
from contextlib import suppress

from sandbox import Backend, Limits, Spec

LISTENS = """
import json, os, struct
fd = int(os.environ["HEADNODE_CHANNEL_FD"])
def ask(number, method):
    body = json.dumps({"id": number, "m": method, "p": {}}).encode()
    os.write(fd, struct.pack(">I", len(body)) + body)
def hear():
    head = os.read(fd, 4)
    return json.loads(os.read(fd, struct.unpack(">I", head)[0]))
ask(1, "begin")
print([hear() for _ in range(4)])
"""
DEAF = """
import json, os, struct, time
body = json.dumps({"id": 1, "m": "flood", "p": {}}).encode()
os.write(int(os.environ["HEADNODE_CHANNEL_FD"]), struct.pack(">I", len(body)) + body)
time.sleep(60)
"""


class Speaker:
    """Says three things once it was asked to begin, or far more than anybody reads."""

    complete = True

    def __init__(self) -> None:
        self.wake = os.eventfd(0, os.EFD_NONBLOCK)
        self._unsaid: list[object] = []

    def call(self, method: str, params: dict[str, object]) -> object:
        self._unsaid = ["x" * 1000] * 3000 if method == "flood" else [{"input": "a"}, "b", 3]
        os.eventfd_write(self.wake, 1)
        return "begun"

    def spoken(self) -> list[object]:
        with suppress(BlockingIOError):
            os.eventfd_read(self.wake)
        said, self._unsaid = self._unsaid, []
        return said


def run(backend: Backend, program: str) -> tuple[str, str]:
    session = Speaker()
    spec = Spec({"controller.py": program.encode()}, limits=Limits(wall_s=10))
    outcome = backend.run(spec, session)
    os.close(session.wake)
    return outcome.status, outcome.stdout


def test_what_is_said_unasked_arrives_in_order(backend: Backend) -> None:
    status, shown = run(backend, LISTENS)
    said = "{'id': 0, 'r': {'input': 'a'}}, {'id': 0, 'r': 'b'}, {'id': 0, 'r': 3}"
    assert (status, shown) == ("ok", f"[{{'id': 1, 'r': 'begun'}}, {said}]\n")


def test_a_program_that_does_not_listen_is_ended(backend: Backend) -> None:
    assert run(backend, DEAF)[0] == "protocol_error"

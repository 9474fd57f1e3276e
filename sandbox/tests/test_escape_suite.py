"""The shared suite of misbehaving programs, run on each backend and judged from outside."""

from __future__ import annotations

import fcntl
import json
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import Backend, Limits, Outcome
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.conftest import REPO, missing
from sandbox.tests.episode import Steps, run

SUITE = REPO.parent / "shared" / "escape_suite"
PORT = 47615
ABSTRACT = "\0sbx_suite_canary"


@pytest.fixture(scope="module")
def programs() -> list[dict[str, Any]]:
    manifest = SUITE / "manifest.json"
    if not manifest.is_file():
        missing(f"The shared escape suite is not at {SUITE}")
    found: list[dict[str, Any]] = json.loads(manifest.read_text())["programs"]
    return found


@contextmanager
def canaries() -> Iterator[list[socket.socket]]:
    """Listeners on the host that no program may reach."""
    with ExitStack() as stack:
        # The programs know these addresses: test processes that run side by side take turns.
        turn = stack.enter_context((Path(tempfile.gettempdir()) / "headnode-canaries").open("w"))
        fcntl.flock(turn, fcntl.LOCK_EX)
        port = stack.enter_context(socket.socket())
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port.bind(("127.0.0.1", PORT))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(ABSTRACT)
        for listener in (port, abstract):
            listener.listen()
            listener.setblocking(False)
        yield [port, abstract]


def touched(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def faults(program: dict[str, Any], outcome: Outcome, session: Steps) -> Iterator[str]:
    """Everything that is wrong with how one program ended."""
    shown = outcome.stdout + outcome.stderr
    if re.search(r"^SUITE BREACH", shown, re.MULTILINE):
        yield "it got through: " + shown[:300]
    if outcome.status not in program["status"]:
        yield f"status {outcome.status}, not {program['status']}: {outcome.detail}"
    if outcome.wall_s > program["timeout"] + 2:
        yield f"it took {outcome.wall_s} s"
    if "suite-canary-value" in shown + outcome.detail:
        yield "the secret was printed"
    if len(shown) > (Limits().output_kb << 10) + 200:
        yield "more output than allowed was kept"
    if session.taken and "score_unchanged" in program["checks"]:
        yield "it changed the score"
    if "no_verdict" in program["checks"] and outcome.status == "ok":
        yield "it passed without having done anything"


def check_all(backend: Backend, programs: list[dict[str, Any]], runs: str) -> list[str]:
    wrong = []
    with canaries() as listeners:
        for program in programs:
            session = Steps(length=2000)
            source = (SUITE / program["file"]).read_bytes()
            outcome = run(backend, source, session, wall_s=float(program["timeout"]))
            found = list(faults(program | _incomplete(program), outcome, session))
            if not traces.gone(runs):
                found.append("it left a process behind")
            found += ["it reached the host" for one in listeners if touched(one)]
            wrong += [f"{program['name']}: {fault}" for fault in found]
    return wrong


def _incomplete(program: dict[str, Any]) -> dict[str, Any]:
    """None of them plays the episode, so one that exits 0 is incomplete here."""
    allowed = program["status"]
    return {"status": [*allowed, "incomplete"] if "ok" in allowed else allowed}


def test_suite_is_contained(
    backend: Backend,
    programs: list[dict[str, Any]],
    shared_state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SUITE_CANARY_SECRET", "suite-canary-value")
    mounts, children = traces.mounts(), traces.children()
    assert check_all(backend, programs, state_key(shared_state)) == []
    assert traces.mounts() == mounts
    assert traces.children() == children


def test_suite_notices_a_missing_filter(
    namespace: Backend,
    programs: list[dict[str, Any]],
    shared_state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suite can fail: without the system-call filter programs get through."""
    from sandbox import bubblewrap, probe

    complete = bubblewrap.command

    def without(*arguments: Any) -> list[str]:
        words = complete(*arguments)
        at = words.index("--seccomp")
        return words[:at] + words[at + 2 :]

    monkeypatch.setattr(bubblewrap, "command", without)
    monkeypatch.setattr(probe, "refusal", lambda layers, allow_reduced: "")
    wanted = ("io_uring", "keyring", "userns_create")
    some = [one for one in programs if one["name"] in wanted]
    wrong = check_all(namespace, some, state_key(shared_state))
    assert any("it got through" in fault for fault in wrong), wrong

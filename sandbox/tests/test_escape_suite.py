"""The shared suite of misbehaving programs, on each backend and root, judged from outside."""

from __future__ import annotations

import errno
import fcntl
import json
import re
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import Backend, Limits, Outcome, bubblewrap, probe
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.conftest import REPO, missing
from sandbox.tests.episode import Steps, run
from sandbox.tests.hostile_shell import SHELL

SUITE = REPO.parent / "shared" / "escape_suite"
PORT = 47615
ABSTRACT = "\0sbx_suite_canary"
_START_S = 15.0


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
        _bind(port)
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(ABSTRACT)
        for listener in (port, abstract):
            listener.listen()
            listener.setblocking(False)
        yield [port, abstract]


def _bind(port: socket.socket, within_s: float = 150.0) -> None:
    """The port is one of those that the kernel gives to whoever connects, and such a connection
    keeps it for a minute after its end."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            port.bind(("127.0.0.1", PORT))
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return


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
    # To start a sandbox counts too, and three at a time take a busy machine some seconds. Time in which
    # the host had no processor for a program is no fault of it: the run itself does not count that.
    if outcome.wall_s - outcome.waited_s > program["timeout"] + _START_S:
        yield f"it took {outcome.wall_s} s, of which it waited {outcome.waited_s} s for the host"
    if "suite-canary-value" in shown + outcome.detail:
        yield "the secret was printed"
    if len(shown) > (Limits().output_kb << 10) + 200:
        yield "more output than allowed was kept"
    if session.taken and "score_unchanged" in program["checks"]:
        yield "it changed the score"
    if "no_verdict" in program["checks"] and outcome.status == "ok":
        yield "it passed without having done anything"


def check_all(
    backend: Backend, programs: list[dict[str, Any]], runs: str, root: str = "python"
) -> list[str]:
    """Three at a time, as on a busy host, but for those that look for each other's traces, and for those
    that take every processor: beside others they would only measure how long they wait.
    """

    def check(program: dict[str, Any]) -> list[str]:
        session = Steps(length=2000)
        source = (SUITE / program["file"]).read_bytes()
        outcome = run(backend, source, session, root=root, wall_s=float(program["timeout"]))
        found = faults(program | _incomplete(program), outcome, session)
        return [f"{program['name']}: {fault}" for fault in found]

    paired = [one for one in programs if one["name"].startswith(("persist_", "cpu_spin"))]
    others = [one for one in programs if one not in paired]
    with canaries() as listeners, ThreadPoolExecutor(3) as pool:
        wrong = [fault for found in pool.map(check, others) for fault in found]
        wrong += [fault for program in paired for fault in check(program)]
        wrong += ["one of them reached the host" for one in listeners if touched(one)]
    return wrong if traces.gone(runs) else [*wrong, "one of them left a process behind"]


def _incomplete(program: dict[str, Any]) -> dict[str, Any]:
    """None of them plays the episode, so one that exits 0 is incomplete here."""
    allowed = program["status"]
    return {"status": [*allowed, "incomplete"] if "ok" in allowed else allowed}


# On the other root test_login_root and test_isolation have programs that use what it brings.
@pytest.mark.by_day("root,backend", [("python", "namespace")])
@pytest.mark.parametrize("root", ["python", "login"])
def test_suite_is_contained(
    root: str,
    backend: Backend,
    programs: list[dict[str, Any]],
    shared_state: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SUITE_CANARY_SECRET", "suite-canary-value")
    request.getfixturevalue("built_root" if root == "python" else f"{root}_root")
    mounts, children = traces.mounts(), traces.children()
    assert check_all(backend, programs, state_key(shared_state), root) == []
    assert traces.mounts() == mounts
    assert traces.children() == children


@pytest.mark.nightly
@pytest.mark.usefixtures("slurm_root")
def test_suite_is_contained_on_the_root_of_a_cluster(
    backend: Backend, programs: list[dict[str, Any]], shared_state: Path
) -> None:
    assert check_all(backend, programs, state_key(shared_state), "slurm") == []


def test_suite_notices_a_missing_filter(
    namespace: Backend,
    programs: list[dict[str, Any]],
    shared_state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The suite can fail: without the system-call filter programs get through."""
    without(monkeypatch, "--seccomp", 1)
    wanted = ("io_uring", "keyring", "userns_create")
    some = [one for one in programs if one["name"] in wanted]
    wrong = check_all(namespace, some, state_key(shared_state))
    assert any("it got through" in fault for fault in wrong), wrong


def test_suite_notices_a_missing_network_namespace(
    namespace: Backend,
    programs: list[dict[str, Any]],
    shared_state: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Abstract sockets are local sockets, which the filter allows: the namespace parts them."""
    without(monkeypatch, "--unshare-net", 0)
    some = [one for one in programs if one["name"] == "net_unix_sockets"]
    wrong = check_all(namespace, some, state_key(shared_state))
    assert "one of them reached the host" in wrong, wrong


@pytest.mark.usefixtures("login_root")
@pytest.mark.parametrize(
    "name",
    [
        "new user namespace",
        "a hold on process 1",
        "the kernel's key ring",
        "a socket outside",
    ],
)
@pytest.mark.by_day(but=["new user namespace"])
def test_shell_programs_notice_a_missing_filter(
    name: str, namespace: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    [wanted] = [one for one in SHELL if one.name == f"own program: {name}"]
    without(monkeypatch, "--seccomp", 1)
    without(monkeypatch, "--disable-userns", 0)
    assert "BREACH" in run(namespace, wanted.program, root="login").stdout


def without(monkeypatch: pytest.MonkeyPatch, word: str, values: int) -> None:
    """Leave a layer out of every sandbox that is started from here on, and let it pass."""
    complete = bubblewrap.command

    def fewer(*arguments: Any) -> list[str]:
        words = complete(*arguments)
        at = words.index(word)
        return words[:at] + words[at + 1 + values :]

    monkeypatch.setattr(bubblewrap, "command", fewer)
    monkeypatch.setattr(probe, "refusal", lambda layers, allow_reduced: "")

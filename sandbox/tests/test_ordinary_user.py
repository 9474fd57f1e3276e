"""Without root: refused by default, and on request fenced all the same with weaker limits marked."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxUnavailable, memory, namespace, open_backend, rootfs, seccomp
from sandbox.tests.behaviours import BOUNDED, ORDINARY, Behaviour
from sandbox.tests.conftest import missing
from sandbox.tests.episode import Steps, run
from sandbox.tests.hostile import FENCED, HOSTILE

USER = 63000
# What a process can only be told by a group, or by a tmpfs that root has mounted.
WEAKER = {
    "filling the working folder with names": "",
}
# Its peak may fall between two samples.
UNMETERED = {"more memory than allowed"}
TOGETHER = Behaviour(
    "more memory than allowed, by several processes",
    "oom",
    "import os, time\n"
    "for _ in range(4):\n"
    "  if os.fork() == 0: kept = bytearray(b'x') * (90 << 20); time.sleep(9); os._exit(0)\n"
    "time.sleep(9)\n",
    lambda outcome, session: "256 MiB" in outcome.detail,
)
SHARED = Behaviour(
    "memory that several processes share, which counts once",
    "ok",
    "import os, time\nkept = bytearray(b'x') * (80 << 20)\n"
    "for _ in range(4):\n  if os.fork() == 0: time.sleep(1); os._exit(0)\n"
    "time.sleep(1)\n",
)


@pytest.fixture
def users_state(built_root: rootfs.Root) -> Iterator[Path]:
    """A state folder that an ordinary user owns and can reach."""
    if os.geteuid() != 0:
        missing("Only root can become an ordinary user to test as one")
    state = Path(tempfile.mkdtemp(prefix="headnode-user-"))
    try:
        folder, roots = built_root.folder, state / "roots"
        shutil.copytree(folder, roots / folder.name, symlinks=True)
        shutil.copy(folder.parent / f"{built_root.name}.json", roots)
        os.chown(state, USER, USER)
        yield state
    finally:
        shutil.rmtree(state)
        shutil.rmtree(memory.SHM / f"headnode-{USER}", ignore_errors=True)


def as_ordinary_user(state: Path, spares: int) -> dict[str, Any]:
    """Everything the tests look at, from a child process that gave root up."""
    reader, writer = os.pipe()
    # Both read files that an ordinary user may not be able to reach.
    seccomp.bpf()
    assert namespace
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(USER)
            os.setuid(USER)
            os.write(writer, json.dumps(_observe(state, spares)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        seen: dict[str, Any] = json.loads(told.read())
    os.waitpid(child, 0)
    return seen


def _observe(state: Path, spares: int) -> dict[str, Any]:
    try:
        open_backend(state_dir=state)
        refusal = ""
    except SandboxUnavailable as error:
        refusal = str(error)
    backend = open_backend(state_dir=state, allow_reduced=True, spares=spares)
    different = []
    outcome = run(backend, "pass")
    rest = () if spares else (*HOSTILE, *FENCED, TOGETHER, SHARED)
    for wanted in (*ORDINARY, *BOUNDED, *rest):
        session = Steps(wanted.steps)
        outcome = run(backend, wanted.program, session, wanted.files, **wanted.limits)
        status = WEAKER.get(wanted.name, wanted.status)
        free = wanted.name in WEAKER or wanted.name in UNMETERED
        bounded = free or wanted.holds(outcome, session)
        if status and (outcome.status != status or not bounded):
            different.append(f"{wanted.name}: {replace(outcome, layers=[])}")
    backend.close()
    left = sorted(entry.name for entry in (state / "runs").iterdir())
    return {
        "refusal": refusal,
        "different": different,
        "reduced": outcome.reduced,
        "layers": outcome.layers,
        "peak": outcome.max_rss_mb,
        "left": left,
    }


@pytest.mark.parametrize("spares", [0, 1])
@pytest.mark.nightly
def test_ordinary_user_is_refused_or_marked(users_state: Path, spares: int) -> None:
    seen = as_ordinary_user(users_state, spares)
    assert "'memory cgroup' is missing" in seen["refusal"]
    assert "SANDBOX_ALLOW_REDUCED=1" in seen["refusal"]
    assert seen["different"] == []
    assert "memory limit is per process only" in seen["reduced"]
    assert "number of files is not limited" in seen["reduced"]
    assert "locks on device files are seen by other runs" in seen["reduced"]
    assert {"own view of files", "root in memory", "time namespace"} <= set(seen["layers"])
    assert {"user namespace", "network namespace", "system-call filter"} <= set(seen["layers"])
    assert "memory cgroup" not in seen["layers"]
    assert 1 < seen["peak"] < 100
    assert seen["left"] == []

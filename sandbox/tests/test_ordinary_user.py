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

from sandbox import SandboxUnavailable, namespace, open_backend, rootfs, seccomp
from sandbox.tests.behaviours import BOUNDED, ORDINARY
from sandbox.tests.conftest import missing
from sandbox.tests.episode import Steps, run
from sandbox.tests.hostile import FENCED, HOSTILE

USER = 63000
# What a process can only be told by a group, or by a tmpfs that root has mounted.
WEAKER = {
    "more memory than allowed": "candidate_error",
    "filling the working folder with names": "",
}


@pytest.fixture
def users_state(built_root: rootfs.Root) -> Iterator[Path]:
    """A state folder that an ordinary user owns and can reach."""
    if os.geteuid() != 0:
        missing("Only root can become an ordinary user to test as one")
    state = Path(tempfile.mkdtemp(prefix="headnode-user-"))
    try:
        shutil.copytree(built_root.folder.parent, state / "roots", symlinks=True)
        os.chown(state, USER, USER)
        yield state
    finally:
        shutil.rmtree(state)


def as_ordinary_user(state: Path) -> dict[str, Any]:
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
            os.write(writer, json.dumps(_observe(state)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        seen: dict[str, Any] = json.loads(told.read())
    os.waitpid(child, 0)
    return seen


def _observe(state: Path) -> dict[str, Any]:
    try:
        open_backend(state_dir=state)
        refusal = ""
    except SandboxUnavailable as error:
        refusal = str(error)
    backend = open_backend(state_dir=state, allow_reduced=True)
    different = []
    outcome = run(backend, "pass")
    for wanted in (*ORDINARY, *BOUNDED, *HOSTILE, *FENCED):
        session = Steps(wanted.steps)
        outcome = run(backend, wanted.program, session, wanted.files, **wanted.limits)
        status = WEAKER.get(wanted.name, wanted.status)
        bounded = wanted.name in WEAKER or wanted.holds(outcome, session)
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


def test_ordinary_user_is_refused_or_marked(users_state: Path) -> None:
    seen = as_ordinary_user(users_state)
    assert "'memory cgroup' is missing" in seen["refusal"]
    assert "SANDBOX_ALLOW_REDUCED=1" in seen["refusal"]
    assert seen["different"] == []
    assert "memory limit is per process only" in seen["reduced"]
    assert "number of files is not limited" in seen["reduced"]
    assert {"user namespace", "network namespace", "system-call filter"} <= set(seen["layers"])
    assert "memory cgroup" not in seen["layers"]
    assert 1 < seen["peak"] < 100
    assert seen["left"] == []

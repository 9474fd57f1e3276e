"""The login root: its tools work within the limits, and they open nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox import Backend, Outcome
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.episode import Steps, run
from sandbox.tests.hostile_shell import CHANNEL, SHELL, TERMINAL, Script
from sandbox.tests.test_escape_suite import canaries, touched

pytestmark = pytest.mark.usefixtures("login_root")

# By day each script tries one engine; the escape suite tries both.
BY_DAY = [(wanted, ("namespace", "docker")[number % 2]) for number, wanted in enumerate(SHELL)]

AT_WORK = r"""
import io, subprocess
import pandas
log = "node03 12 completed\nnode01 7 failed\nnode03 5 failed\n"
script = r'''
awk '$3 == "failed" { n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort >failed
diff <(cut -d' ' -f1 failed) <(printf 'node01\nnode03\n') && jq -nc '[inputs | tonumber? // 0]' <<<5
find . -name failed -size -2k | xargs -n1 basename
sed -n 's/node0//p' failed | column -t | less -F
'''
done = subprocess.run(["bash", "-c", script], input=log, capture_output=True, text=True)
print(done.stdout, done.stderr)
table = pandas.read_csv(io.StringIO(log), sep=" ", names=["node", "jobs", "state"])
print(table.groupby("node").jobs.sum().to_dict())
"""


def start(backend: Backend, program: str, **limits: Any) -> tuple[Outcome, Steps]:
    session = Steps()
    return run(backend, program, session, root="login", **limits), session


def test_shell_tools_and_pandas_work_together(backend: Backend) -> None:
    outcome, _session = start(backend, AT_WORK, wall_s=60.0, cpu_s=30.0)
    assert outcome.status == "ok", outcome
    assert outcome.stdout.split("\n")[:4] == ["[5]", "failed", "1  7", "3  5"]
    assert "{'node01': 7, 'node03': 17}" in outcome.stdout
    assert outcome.stderr == ""
    assert outcome.image.startswith("login@sha256:")


def test_exit_code_of_a_shell_is_the_programs(backend: Backend) -> None:
    outcome, _session = start(backend, Script("leaving", "exit 7").program)
    assert (outcome.status, outcome.exit_code) == ("candidate_error", 7)


@pytest.mark.by_day("wanted,backend", BY_DAY)
@pytest.mark.parametrize("wanted", SHELL, ids=lambda wanted: wanted.name)
def test_shell_opens_nothing(
    wanted: Script, backend: Backend, shared_state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANARY_SECRET", "canary")
    outcome, _session = start(backend, wanted.program, **wanted.limits)
    assert "BREACH" not in outcome.stdout + outcome.stderr, outcome
    assert outcome.status in wanted.statuses, outcome
    assert traces.gone(state_key(shared_state))


def test_own_program_shows_its_teeth(backend: Backend) -> None:
    """A call that is allowed goes through, so a refused one was refused."""
    [harmless] = [one for one in SHELL if one.name.endswith("always works")]
    outcome, _session = start(backend, harmless.program)
    assert "WORKS" in outcome.stdout, outcome


def test_terminal_cannot_be_typed_into(backend: Backend) -> None:
    outcome, _session = start(backend, TERMINAL)
    assert "BREACH" not in outcome.stdout, outcome
    assert "asked" in outcome.stdout, outcome


def test_children_do_not_reach_the_channel(backend: Backend) -> None:
    outcome, session = start(backend, CHANNEL)
    assert outcome.status == "ok", outcome
    assert "BREACH" not in outcome.stdout
    assert [method for method, _params in session.seen] == ["ping"]


def test_network_tricks_of_the_shell_reach_nobody(backend: Backend) -> None:
    [trick] = [one for one in SHELL if one.name.startswith("the network")]
    with canaries() as listeners:
        outcome, _session = start(backend, trick.program)
        assert not any(touched(one) for one in listeners)
    assert outcome.status == "ok"


def test_nothing_stays_for_the_next_run(backend: Backend) -> None:
    leave = (
        "for d in /box /tmp /dev/shm /run; do (echo mark >$d/mark) 2>/dev/null; done; ls /dev/shm"
    )
    outcome, _session = start(backend, Script("leave", leave).program)
    assert outcome.stdout == "mark\n"
    found, _session = start(
        backend, Script("find", "find / -xdev -name mark 2>/dev/null; ls -A /dev/shm /tmp").program
    )
    assert found.stdout == "/dev/shm:\n\n/tmp:\n"  # noqa: S108 - the sandbox's own


UNSEEN = r"""
import os
told = []
for name in sorted(os.listdir("/proc")):
    path = "/proc/" + name
    if name.isdigit() and name != FIRST or name in ("self", "thread-self", "mounts", "net"):
        continue
    try:
        said = os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(64)
    except OSError:
        said = b""
    if said:
        told.append(name)
print(told)
"""


def test_a_terminal_sees_nothing_of_the_machine(backend: Backend) -> None:
    """There /proc stands for a host of the scenario's. A container's first process tells of nothing but it."""
    first = "" if backend.name == "docker" else "1"
    outcome, _session = start(backend, f"FIRST = {first!r}\n{UNSEEN}")
    assert (outcome.status, outcome.stdout) == ("ok", "[]\n"), outcome

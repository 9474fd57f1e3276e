"""A kill from outside is ours, and no program can make its own end look like one."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from sandbox import Backend, Outcome
from sandbox.runner import state_key
from sandbox.tests import traces
from sandbox.tests.behaviours import Behaviour, prints
from sandbox.tests.episode import Steps, run

_RAW = """
import ctypes, os, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
me = os.getpid()
def tell(*answers): print(all(answer == -1 for answer in answers), flush=True)
"""
_CHILD = "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'], "

# Where it says so, the program lived on; else its end is its own.
FAKES = [
    Behaviour("a kill of its own number", "ok", "tell(libc.kill(me, 9))", prints("True")),
    Behaviour(
        "a kill of everything, and of its own group",
        "ok",
        "tell(*(libc.kill(whom, 9) for whom in (0, -1, -me)))\n"
        "if os.getpgrp() > 1: tell(libc.kill(-os.getpgrp(), 9))",
        prints("True"),
    ),
    Behaviour(
        "a kill with the high bits set",
        "ok",
        "for high in (1 << 32, 0xffffffff << 32):\n"
        "  tell(libc.syscall(62, ctypes.c_long(high | me), ctypes.c_long(high | 9)))",
        lambda outcome, session: outcome.stdout == "True\nTrue\n",
    ),
    Behaviour(
        "a kill by way of a thread",
        "ok",
        "tell(libc.tgkill(me, me, 9), libc.syscall(200, me, 9))",
        prints("True"),
    ),
    Behaviour(
        "a signal with a value",
        "ok",
        "info = ctypes.create_string_buffer(bytes([9, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]), 128)\n"
        "tell(libc.syscall(129, me, 9, info), libc.syscall(297, me, me, 9, info))",
        prints("True"),
    ),
    Behaviour(
        "a kill by its child",
        "ok",
        "if os.fork() == 0: tell(libc.kill(me, 9), libc.kill(0, 9), libc.kill(-1, 9)); os._exit(0)\n"
        "os.wait()",
        prints("True"),
    ),
    Behaviour(
        "joining a group that may be killed",
        "ok",
        _CHILD + "process_group=0)\n"
        "tell(libc.setpgid(0, child.pid), libc.setpgid(me, child.pid))\n"
        "os.killpg(child.pid, 9); print(child.wait())",
        lambda outcome, session: outcome.stdout == "True\n-9\n",
    ),
    Behaviour("the exit code of a kill", "crashed", "os._exit(137)"),
    Behaviour("it by SystemExit", "crashed", "raise SystemExit(137)"),
    Behaviour("it with more bits", "crashed", "libc.syscall(231, ctypes.c_long(137 + (77 << 8)))"),
    Behaviour("it by the last thread's end", "crashed", "libc.syscall(60, 137)"),
    Behaviour(
        "it from another program", "crashed", "os.execv(sys.executable, ['x', '-c', 'exit(137)'])"
    ),
    Behaviour(
        "a limit on its own processor time",
        "cpu_limit",
        "import resource\n"
        "for size in ((1, 1), (0, 0)):\n"
        "  try: resource.setrlimit(resource.RLIMIT_CPU, size); print('PASSED')\n"
        "  except (OSError, ValueError): pass\n"
        "while True: pass",
        lambda outcome, session: "PASSED" not in outcome.stdout and outcome.cpu_s > 1.8,
        {"cpu_s": 2.0},
    ),
    Behaviour(
        "strict mode of the filter", "ok", "tell(libc.prctl(22, 1, 0, 0, 0))", prints("True")
    ),
    Behaviour("a fault", "crashed", "ctypes.string_at(8)"),
    Behaviour("giving up", "crashed", "os.abort()"),
]
BY_THREAD = Behaviour(
    "a kill by a thread's number",
    "ok",
    "thread = threading.Thread(target=time.sleep, args=(0.5,)); thread.start()\n"
    "tell(libc.kill(thread.native_id, 9)); thread.join()",
    prints("True"),
)
ALLOWED = Behaviour(
    "children may be ended",
    "ok",
    _CHILD + ")\nchild.kill(); print(child.wait() < 0)\n"
    "import multiprocessing\n"
    "for end in ('terminate', 'kill'):\n"
    "  one = multiprocessing.get_context('fork').Process(target=time.sleep, args=(30,))\n"
    "  one.start(); getattr(one, end)(); one.join(); print(one.exitcode < 0)",
    lambda outcome, session: outcome.stdout == "True\n" * 3,
)


@pytest.mark.parametrize("root", ["python", "login"])
@pytest.mark.by_day(but=["docker-login", "namespace-login", "namespace-python"])
def test_no_program_can_look_as_if_it_had_been_killed_from_outside(
    root: str, backend: Backend, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue({"python": "built_root", "login": "login_root"}[root])
    wrong = []
    # On the root with a shell the main process is ours, and has one thread.
    for wanted in [*FAKES, ALLOWED, *([BY_THREAD] if root == "python" else [])]:
        outcome = run(backend, _RAW + wanted.program, root=root, **wanted.limits)
        if outcome.status != wanted.status or not wanted.holds(outcome, Steps()):
            wrong.append((wanted.name, outcome))
    assert wrong == []


@pytest.mark.usefixtures("login_root")
def test_shell_may_kill_by_number(backend: Backend) -> None:
    program = "import subprocess\nsubprocess.run(['/bin/sh', '-c', 'sleep 30 & kill -9 $!; wait; echo done'])"
    assert run(backend, program, root="login").stdout == "done\n"


@pytest.mark.parametrize("whom", ["program", "process 1"])
@pytest.mark.by_day(but=["docker-process 1", "docker-program"])
def test_kill_from_outside_is_ours(whom: str, backend: Backend, shared_state: Path) -> None:
    session, found = Steps(), list[Outcome]()
    program = "import headnode_sdk, time\nheadnode_sdk.call('ping'); time.sleep(30)"
    thread = threading.Thread(target=lambda: found.append(run(backend, program, session)))
    thread.start()
    while not session.seen:
        time.sleep(0.01)
    main = _main(state_key(shared_state))
    os.kill(main if whom == "program" else _parent(main), signal.SIGKILL)
    thread.join(30)
    [outcome] = found
    assert outcome.status == "sandbox_error", outcome
    assert "not its fault" in outcome.detail


def _main(runs: str) -> int:
    [main] = (
        pid
        for pid in traces.processes(runs)
        if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"/usr/bin/python3")
    )
    return main


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

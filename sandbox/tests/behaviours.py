"""The one list of behaviours that every backend has to show, as programs and expectations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sandbox import Outcome
from sandbox.tests.episode import Steps

Check = Callable[[Outcome, Steps], bool]
# A run's wall time holds the start of its sandbox, which takes a busy machine some seconds.
SOON = 15.0


@dataclass(frozen=True)
class Behaviour:
    """A program, the status it has to get, and what else has to be true."""

    name: str
    status: str
    program: str
    holds: Check = lambda outcome, session: True
    limits: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    files: dict[str, bytes] = field(default_factory=dict)


def prints(text: str) -> Check:
    return lambda outcome, session: text in outcome.stdout


def says(*words: str) -> Check:
    return lambda outcome, session: all(word in outcome.detail for word in words)


ORDINARY = [
    Behaviour("a program that ends well", "ok", "print('hallo')", prints("hallo\n")),
    Behaviour(
        "a program that plays the episode to its end",
        "ok",
        "import headnode_sdk\nfor n in range(3): headnode_sdk.call('step', job=n, node=0)",
        lambda outcome, session: outcome.calls == 3 and session.taken == 3,
        steps=3,
    ),
    Behaviour(
        "a program that stops half-way",
        "incomplete",
        "import headnode_sdk\nheadnode_sdk.call('step', job=1, node=0)",
        lambda outcome, session: outcome.exit_code == 0 and session.taken == 1,
        steps=3,
    ),
    Behaviour("a program that exits at once", "incomplete", "import sys; sys.exit(0)", steps=3),
    Behaviour("a program that leaves by os._exit", "incomplete", "import os; os._exit(0)", steps=3),
    Behaviour(
        "an uncaught exception",
        "candidate_error",
        "import plan\n\ndef act():\n    plan.choose()\n\nact()\n",
        lambda outcome, session: (
            outcome.exit_code == 1
            and outcome.detail == "Your program stopped with ValueError: no node (plan.py, line 2)."
            and 'File "controller.py", line 4, in act' in outcome.stderr
            and "plan.choose()" in outcome.stderr
            and "bootstrap" not in outcome.stderr
            and "/box" not in outcome.stderr
        ),
        files={"plan.py": b"def choose():\n    raise ValueError('no node')\n"},
    ),
    Behaviour(
        "a syntax error",
        "candidate_error",
        "x = = 1\n",
        lambda outcome, session: (
            'File "controller.py", line 1' in outcome.stderr and "SyntaxError" in outcome.detail
        ),
    ),
    Behaviour(
        "an exit code of its own",
        "candidate_error",
        "raise SystemExit(7)",
        lambda outcome, session: outcome.exit_code == 7 and "7" in outcome.detail,
    ),
    Behaviour(
        "an error answer",
        "ok",
        "import headnode_sdk\n"
        "try: headnode_sdk.call('nothing')\n"
        "except Exception as e: print(type(e).__name__, e.code, e.message)",
        lambda outcome, session: (
            "ApiError unknown_method There is no call 'nothing'." in outcome.stdout
            and outcome.calls == 1
        ),
    ),
    Behaviour(
        "an answer larger than any question may be",
        "ok",
        "import headnode_sdk\nprint(len(headnode_sdk.call('big')))",
        prints("100000"),
    ),
    Behaviour(
        "threads that call at the same time",
        "ok",
        "import headnode_sdk, threading\n"
        "def go():\n  for _ in range(50): headnode_sdk.call('step', job=1, node=1)\n"
        "ts = [threading.Thread(target=go) for _ in range(4)]\n"
        "[t.start() for t in ts]; [t.join() for t in ts]",
        lambda outcome, session: session.taken == 200,
        steps=200,
    ),
    Behaviour(
        "it runs as __main__ with its own files importable",
        "ok",
        "import sys, parts.one\n"
        "print(__name__, __file__, sys.argv, parts.one.X, open('n.csv').read())",
        prints("__main__ /box/controller.py ['controller.py'] 5 a,b"),
        files={"parts/one.py": b"X = 5", "n.csv": b"a,b"},
    ),
    Behaviour(
        "files of its own named like the library's, which win, and not for the SDK",
        "ok",
        "import headnode_sdk, json, queue, selectors\n"
        "print(queue.X, json.X, selectors.__name__, headnode_sdk.call('ping'))",
        prints("5 6 selectors {'pong': True}"),
        files={"queue.py": b"X = 5", "json/__init__.py": b"X = 6"},
    ),
    Behaviour("reading its input", "ok", "import sys; print(repr(sys.stdin.read()))", prints("''")),
    Behaviour(
        "an order of a set that is the same in every run",
        "ok",
        "print([hash(w) for w in ('a', 'bc')], list({'pending', 'running', 'done'}))",
        lambda outcome, session: "['" in outcome.stdout,
    ),
    Behaviour(
        "subprocesses and threads of the library",
        "ok",
        "import subprocess, sys, asyncio\n"
        "print(subprocess.run([sys.executable, '-c', 'print(6*7)'], capture_output=True).stdout)\n"
        "asyncio.run(asyncio.sleep(0)); exit()",
        prints("b'42"),
    ),
]

BOUNDED = [
    Behaviour(
        "sleeping past the time limit",
        "timeout",
        "print('before'); import time; time.sleep(30)",
        lambda outcome, session: (
            "3.5 s" in outcome.detail and "before" in outcome.stdout and outcome.wall_s < SOON
        ),
        {"wall_s": 3.5},
    ),
    Behaviour(
        "spinning past the processor limit",
        "cpu_limit",
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        # The kernel's own bound ends it at 3 s.
        lambda outcome, session: "1 s" in outcome.detail and 0.8 < outcome.cpu_s < 3,
        {"cpu_s": 1.0},
    ),
    Behaviour(
        "spinning in children",
        "cpu_limit",
        "import os\nfor _ in range(3): os.fork()\nwhile True: pass",
        says("processor"),
        {"cpu_s": 1.0, "cpus": 2.0},
    ),
    Behaviour(
        "more memory than allowed",
        "oom",
        "kept = []\nwhile True: kept.append(bytearray(b'x') * (8 << 20))",
        lambda outcome, session: "96 MiB" in outcome.detail and outcome.max_rss_mb > 80,
        {"memory_mb": 96},
    ),
    Behaviour(
        "killing itself, which is not running out of memory",
        "crashed",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        says("SIGABRT"),
    ),
    Behaviour(
        "a segmentation fault", "crashed", "import ctypes; ctypes.string_at(8)", says("SIGSEGV")
    ),
    Behaviour(
        "a flood of output",
        "output_limit",
        "while True: print('x' * 1000)",
        lambda outcome, session: (
            outcome.stdout_truncated
            and len(outcome.stdout) + len(outcome.stderr) < 17 << 10
            and "512 KiB" in outcome.detail
        ),
        {"output_kb": 16},
    ),
    Behaviour(
        "much output, of which the start and the end are kept",
        "ok",
        "print('first')\nfor n in range(9000): print('line', n)\nprint('last')",
        lambda outcome, session: (
            outcome.stdout_truncated
            and outcome.stdout.startswith("first\n")
            and outcome.stdout.endswith("last\n")
            and "bytes are not shown" in outcome.stdout
        ),
        {"output_kb": 16},
    ),
    Behaviour(
        "a flood that nobody ends, with a limit on time",
        "output_limit",
        "import signal, os\n"
        "[signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]\n"
        "for _ in range(4): os.fork()\n"
        "while True: os.write(1, b'y' * 65536); os.write(2, b'z' * 65536)",
        lambda outcome, session: outcome.wall_s < SOON,
        {"cpus": 2.0},
    ),
    Behaviour(
        "a fork bomb",
        "ok",
        "import os, time\nn = 0\ntry:\n"
        "  while n < 200:\n    if os.fork() == 0: time.sleep(30); os._exit(0)\n    n += 1\n"
        "except OSError as e: print(e.errno)\nprint(n < 40)",
        lambda outcome, session: "11\nTrue" in outcome.stdout and outcome.wall_s < SOON,
        {"pids": 32},
    ),
    Behaviour(
        "a child that keeps the output open",
        "ok",
        "import os, time\nif os.fork() == 0: os.setsid(); time.sleep(25); os._exit(0)\n"
        "print('gone')",
        lambda outcome, session: "gone" in outcome.stdout and outcome.wall_s < SOON,
    ),
    Behaviour(
        "filling the working folder",
        "ok",
        "import os\nn, fd = 0, os.open('fill', os.O_CREAT | os.O_WRONLY)\ntry:\n"
        "  while n < 64: n += os.write(fd, b'z' * (1 << 20)) >> 20\n"
        "except OSError as e: print('full', e.errno)",
        prints("full 28"),
        {"work_mb": 16},
    ),
    Behaviour(
        "filling the working folder with names",
        "ok",
        "import os\ntry:\n  for n in range(3000): os.close(os.open(f'f{n}', os.O_CREAT))\n"
        "except OSError as e: print('full', e.errno)",
        prints("full 28"),
        {"inodes": 512},
    ),
]

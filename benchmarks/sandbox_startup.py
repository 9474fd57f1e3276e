"""How long a run takes from start to finish when the program does nothing, beside bare Python.

    SANDBOX_DOCKER_URL=unix:///... PYTHONPATH=platform:. .venv/bin/python benchmarks/sandbox_startup.py

Every round measures each case once, bare Python among them, so that a busy machine slows all alike;
each ratio is the median over the rounds of a case divided by bare Python in the same round. A spare
has stood ready before it is taken. What is not installed is left out by name. Also measures how many
small questions a second the channel carries. Needs root. Writes benchmarks/sandbox_startup.json.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from benchmarks.sandbox_peers import peers
from sandbox import Limits, Spec, namespace, open_backend, rootfs, seccomp
from sandbox.engine import DEFAULT_URL
from sandbox.tests.ahead import Ahead
from sandbox.tests.episode import SDK, Steps

HERE = Path(__file__).parent
STATE = HERE.parent / "data/sandbox"
ROUNDS = 30
USER = 63000
PYTHON = "/usr/bin/python3"
NOTHING = Spec({"controller.py": b"pass"}, sdk=SDK)
WITH_SDK = Spec({"controller.py": b"import headnode_sdk"}, sdk=SDK)
QUESTIONS = 20_000
ASKING = f"""
import headnode_sdk, time
began = time.perf_counter()
for _ in range({QUESTIONS}): headnode_sdk.call("ping")
print(time.perf_counter() - began)
"""
RAW = f"""
import headnode_sdk, time
s, body = headnode_sdk._sock, b'{{"id":1,"m":"ping","p":{{}}}}'
frame = len(body).to_bytes(4, "big") + body
began = time.perf_counter()
for _ in range({QUESTIONS}): s.sendall(frame); s.recv(4096)
print(time.perf_counter() - began)
"""

Case = Callable[[], float]
"""Does it once and says how many seconds it took."""


def spread(values: list[float], scale: float, digits: int) -> dict[str, float]:
    """Median, 10th and 90th percentile."""
    tenths = statistics.quantiles(values, n=10)
    figures = {"median": statistics.median(values), "p10": tenths[0], "p90": tenths[-1]}
    return {name: round(value * scale, digits) for name, value in figures.items()}


def command(words: list[str]) -> Case:
    def once() -> float:
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)  # noqa: S603
        return time.perf_counter() - began

    return once


def cold(backend: Any, spec: Spec) -> Case:
    def once() -> float:
        began = time.perf_counter()
        outcome = backend.run(spec, Steps())
        took = time.perf_counter() - began
        assert outcome.status == "ok", outcome
        return took

    return once


def warm(ahead: Ahead, spec: Spec) -> Case:
    def once() -> float:
        ahead.wait_for_spare(spec)
        time.sleep(0.1)
        before = ahead.standing()
        took = cold(ahead.under, spec)()
        assert before != ahead.standing(), "the spare was not taken"
        ahead.wait_for_spare(spec)
        return took

    return once


def ours(
    name: str, state: Path, url: str, stack: ExitStack, reduced: bool = False
) -> dict[str, Case]:
    """Runs of one backend from a spare and without; the default one also with the SDK imported."""
    plain = open_backend(name, state_dir=state, docker_url=url, allow_reduced=reduced)
    stack.callback(plain.close)
    ahead = Ahead.over(
        open_backend(name, state_dir=state, docker_url=url, allow_reduced=reduced, spares=1)
    )
    stack.callback(ahead.close)
    cases = {f"{name}, spare": warm(ahead, NOTHING), f"{name}, cold": cold(plain, NOTHING)}
    if name == "namespace":
        cases[f"{name}, spare, importing the SDK"] = warm(ahead, WITH_SDK)
        cases[f"{name}, cold, importing the SDK"] = cold(plain, WITH_SDK)
    return cases


def serve_user(state: Path, asked: Connection) -> None:
    """In a process that gave root up: do the cases by name, one after another."""
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    with ExitStack() as stack:
        cases = ours(namespace.NamespaceBackend.name, state, DEFAULT_URL, stack, reduced=True)
        asked.send(list(cases))
        while (name := asked.recv()) is not None:
            asked.send(cases[name]())


def as_user(root: rootfs.Root, stack: ExitStack) -> dict[str, Case]:
    """The namespace backend of an ordinary user, who has a copy of the root folder."""
    state = Path(tempfile.mkdtemp(prefix="headnode-user-"))
    stack.callback(shutil.rmtree, state)
    shutil.copytree(root.folder, state / "roots" / root.folder.name, symlinks=True)
    shutil.copy(root.folder.parent / f"{root.name}.json", state / "roots")
    os.chown(state, USER, USER)
    seccomp.bpf()  # it and the modules imported above are read where the user may not look
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=serve_user, args=(state, there))
    process.start()
    there.close()
    stack.callback(process.join)
    stack.callback(here.send, None)

    def remote(name: str) -> Case:
        def once() -> float:
            here.send(name)
            took: float = here.recv()
            return took

        return once

    return {f"{name}, ordinary user": remote(name) for name in here.recv()}


def questions(name: str, state: Path, url: str) -> dict[str, Any]:
    """Small questions a second: by the clock, and by the processor time both ends use together,
    which is what an idle core would do and other work on the machine does not change."""
    backend = open_backend(name, state_dir=state, docker_url=url)
    try:
        return asked(backend)
    finally:
        backend.close()


def asked(backend: Any) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for kind, program in {"through the SDK": ASKING, "raw": RAW}.items():
        by_clock, by_processor = [], []
        for _ in range(3):
            spec = Spec({"controller.py": program.encode()}, sdk=SDK, limits=Limits())
            ours_s = time.thread_time()
            outcome = backend.run(spec, Steps())
            ours_s = time.thread_time() - ours_s
            assert outcome.status == "ok", outcome
            by_clock.append(QUESTIONS / float(outcome.stdout))
            by_processor.append(QUESTIONS / (ours_s + outcome.cpu_s))
        figures[kind] = {
            "per_s": spread(by_clock, 1, 0),
            "best_per_s": round(max(by_clock)),
            "per_s_of_processor": spread(by_processor, 1, 0),
        }
    return figures


def rounds(cases: dict[str, Case]) -> dict[str, dict[str, float]]:
    """Milliseconds for each case, and what they are in times of bare Python: in the same round, and
    the best round of each, which other work on the machine has disturbed least."""
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, case in cases.items():
            seconds[name].append(case())
    bare = seconds["bare python3"]
    return {
        name: spread(values, 1000, 1)
        | {
            "best": round(min(values) * 1000, 1),
            "times_bare": round(
                statistics.median(v / b for v, b in zip(values, bare, strict=True)), 2
            ),
            "times_bare_at_best": round(min(values) / min(bare), 2),
        }
        for name, values in seconds.items()
    }


def main() -> None:
    url = os.environ.get("SANDBOX_DOCKER_URL", DEFAULT_URL)
    root, _built = rootfs.build(STATE)
    with ExitStack() as stack:
        state = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (state / "roots").symlink_to(root.folder.parent)
        cases: dict[str, Case] = {"bare python3": command([PYTHON, "-c", "pass"])}
        cases |= as_user(root, stack) | ours("namespace", state, url, stack)
        cases |= ours("docker", state, url, stack)
        usable, left_out = peers(root, url, stack)
        cases |= {name: command(words) for name, words in usable.items()}
        for case in cases.values():
            case()
        report = {
            "commit": commit(),
            "machine": f"{os.cpu_count()} shared cores, Python {platform.python_version()}",
            "load": [round(one, 1) for one in os.getloadavg()],
            "start to finish, ms": rounds(cases),
            "left out": left_out,
            "questions a second": {
                name: questions(name, state, url) for name in ("namespace", "docker")
            },
        }
    (HERE / "sandbox_startup.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()

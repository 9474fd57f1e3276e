"""Whether a busy host changes a score, or ends a run as its program's fault.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.busy_host [--packs NAME...] [--hidden N]

Grades and runs each pack's expert alone; then at nice 15 beside 32 busy processes; then beside 30 programs
that other candidates run at once, over and over, until the grading has ended. What is told of a grading and
of every Run has to be the same each time: how it ended, every measure to the last digit. Writes
benchmarks/busy_host.json; ends with 1 where something differed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.kinds import grade, run_public
from sandbox import Backend, open_backend
from scenarios.packs import load_pack

HERE = Path(__file__).parent
PACKS = ("automation/spot-checkpointing", "automation/queue-autoscaler")
LEVEL, SEED = "mid", 1
SPINNERS, NICE, TOGETHER = 32, 15, 30
RUN_KEYS = ("status", "detail", "stdout", "stderr", "calls", "measures", "timeline")
LONGEST_S = 1800
"""For one grading on the busy host; what takes longer is told as not finished, which fails as well."""
BEGUN_S = 10
"""After so long all programs of a crowd have begun."""


def expert(pack: str) -> dict[str, str]:
    source = HERE.parent / "scenarios" / "packs" / pack / "goldens" / "expert.py"
    return {load_pack(pack).entry: source.read_text()}


def opened() -> Backend:
    return open_backend("namespace", state_dir=HERE.parent / "data" / "sandbox")


def graded(pack: str, hidden: int | None) -> dict[str, Any]:
    """What a grade says of the program: its status, its measures and how every workload ended."""
    backend = opened()
    try:
        report = grade(pack, LEVEL, SEED, expert(pack), backend, hidden).to_dict()
    finally:
        backend.close()
    keys = ("name", "status", "detail", "stopped_at", "measures")
    rows = [row for row in report["evidence"] if row["kind"] == "workload"]
    ends = [{key: row[key] for key in keys} for row in rows]
    return {key: report[key] for key in ("status", "detail", "measures")} | {"workloads": ends}


def ran(pack: str, backend: Backend) -> dict[str, Any]:
    """What a Run tells the candidate of the program: how it ended, what it printed, measures and drawing."""
    report = run_public(pack, LEVEL, SEED, expert(pack), backend).to_dict()
    return {key: report[key] for key in RUN_KEYS}


def told(act: str, pack: str, hidden: int | None) -> Any:
    """What a process of its own says: a grade, a Run, or every Run of a crowd with how often it came."""
    if act == "grade":
        return graded(pack, hidden)
    backend = opened()
    try:
        return ran(pack, backend) if act == "run" else crowd(pack, backend)
    finally:
        backend.close()


def crowd(pack: str, backend: Backend) -> list[tuple[Any, int]]:
    """Runs of many candidates at once, until standard input is closed."""
    ends: Counter[str] = Counter()
    over = False

    def run_on(_: int) -> None:
        while not over:
            ends[json.dumps(ran(pack, backend))] += 1

    with ThreadPoolExecutor(TOGETHER) as pool:
        going = pool.map(run_on, range(TOGETHER))
        sys.stdin.read()
        over = True
        list(going)
    return [(json.loads(one), count) for one, count in ends.items()]


@contextmanager
def busy() -> Iterator[None]:
    """Each in a session of its own, which the kernel weighs by itself."""
    with ExitStack() as stack:
        for _ in range(SPINNERS):
            spin = [sys.executable, "-S", "-c", "while True: pass"]
            one = subprocess.Popen(spin, start_new_session=True)  # noqa: S603 - our own
            stack.callback(one.wait)
            stack.callback(one.kill)
        yield


def command(act: str, pack: str, hidden: int | None, nice: int = 0) -> list[str]:
    """A process that stands for worker and judge."""
    words = ["nice", "-n", str(nice), sys.executable, "-m", "benchmarks.busy_host"]
    words += ["--act", act, "--packs", pack]
    return words if hidden is None else [*words, "--hidden", str(hidden)]


def apart(act: str, pack: str, hidden: int | None, nice: int = 0) -> tuple[dict[str, Any], float]:
    """What it says, and how long it took, in s."""
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - our own
            command(act, pack, hidden, nice),
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        found = {"status": f"not finished within {LONGEST_S} s", "measures": []}
    return found, round(time.monotonic() - began, 1)


@contextmanager
def others(pack: str) -> Iterator[Callable[[], list[tuple[Any, int]]]]:
    """Other candidates' programs, all at once; what is yielded ends them and says how they ended."""
    going = subprocess.Popen(  # noqa: S603 - our own
        command("crowd", pack, None), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with going:
        time.sleep(BEGUN_S)
        yield lambda: json.loads(going.communicate(timeout=LONGEST_S)[0])


def compared(pack: str, hidden: int | None) -> dict[str, Any]:
    """The same grading and the same Run alone, starved, and in a crowd."""
    quiet, quiet_s = apart("grade", pack, hidden)
    alone, _ = apart("run", pack, None)
    with busy():
        starved, starved_s = apart("grade", pack, hidden, NICE)
        starved_run, _ = apart("run", pack, None, NICE)
    with others(pack) as end:
        beside, beside_s = apart("grade", pack, hidden)
        ends = end()
    at_once: Counter[str] = Counter()
    for one, count in ends:
        at_once[_end(one, alone)] += count
    is_well = quiet["status"] == "done" and alone["status"] == "ok"
    row = {
        "pack": pack,
        "same": is_well and quiet == starved == beside and alone == starved_run,
        "quiet": mean(quiet) | {"seconds": quiet_s},
        "beside 32 processes": mean(starved) | {"seconds": starved_s},
        "beside 30 programs": mean(beside) | {"seconds": beside_s},
        "run beside 32 processes": _end(starved_run, alone),
        "runs at once": dict(at_once),
    }
    print(row)
    return row


def _end(run: dict[str, Any], alone: dict[str, Any]) -> str:
    return "as alone" if run == alone else str(run["status"])


def mean(report: dict[str, Any]) -> dict[str, Any]:
    scores = [row["score"] for row in report["measures"]]
    return {"status": report["status"], "mean": sum(scores) / len(scores) if scores else None}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", nargs="+", default=PACKS)
    parser.add_argument(
        "--hidden", type=int, help="hidden workloads of each; the pack's by default"
    )
    parser.add_argument("--act", choices=("grade", "run", "crowd"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.act:
        print(json.dumps(told(options.act, options.packs[0], options.hidden)))
        return 0
    rows = [compared(pack, options.hidden) for pack in options.packs]
    found = {"commit": commit(), "hidden": options.hidden, "gradings": rows}
    (HERE / "busy_host.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(row["same"] and set(row["runs at once"]) == {"as alone"} for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Whether a busy host changes a score, or ends a run as its program's fault.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.busy_host [--packs NAME...] [--hidden N]

Grades each pack's expert twice: alone, and at nice 15 beside 32 busy processes. The two reports have
to be the same to the last digit. Then 30 programs run at once, and none of them may end as its own
fault. Writes benchmarks/busy_host.json; ends with 1 where something differed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
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
LONGEST_S = 1800
"""For one grading on the busy host; what takes longer is told as not finished, which fails as well."""


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


def apart(pack: str, hidden: int | None, nice: int) -> tuple[dict[str, Any], float]:
    """The same from a process of its own, which stands for worker and judge, and the time in s."""
    command = ["nice", "-n", str(nice), sys.executable, "-m", "benchmarks.busy_host", "--one", pack]
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - our own
            [*command, *([] if hidden is None else ["--hidden", str(hidden)])],
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        found = {"status": f"not finished within {LONGEST_S} s", "measures": []}
    return found, round(time.monotonic() - began, 1)


def compared(pack: str, hidden: int | None) -> dict[str, Any]:
    quiet, quiet_s = apart(pack, hidden, 0)
    with busy():
        starved, starved_s = apart(pack, hidden, NICE)
    row = {
        "pack": pack,
        "same": quiet == starved and quiet["status"] == "done",
        "quiet": mean(quiet),
        "busy": mean(starved),
        "quiet_s": quiet_s,
        "busy_s": starved_s,
    }
    print(row)
    return row


def mean(report: dict[str, Any]) -> dict[str, Any]:
    scores = [row["score"] for row in report["measures"]]
    return {"status": report["status"], "mean": sum(scores) / len(scores) if scores else None}


def together(pack: str) -> dict[str, int]:
    """How many runs of the expert at one time ended in which way."""
    backend, files = opened(), expert(pack)

    def run(_: int) -> str:
        return run_public(pack, LEVEL, SEED, files, backend).status

    try:
        with ThreadPoolExecutor(TOGETHER) as pool:
            found = Counter(pool.map(run, range(TOGETHER)))
    finally:
        backend.close()
    print(f"{TOGETHER} at once: {dict(found)}")
    return dict(found)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", nargs="+", default=PACKS)
    parser.add_argument(
        "--hidden", type=int, help="hidden workloads of each; the pack's by default"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(graded(options.one, options.hidden)))
        return 0
    rows = [compared(pack, options.hidden) for pack in options.packs]
    ends = together(options.packs[0])
    found = {"commit": commit(), "hidden": options.hidden, "gradings": rows, "at_once": ends}
    (HERE / "busy_host.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(row["same"] for row in rows) and set(ends) == {"ok"} else 1


if __name__ == "__main__":
    sys.exit(main())

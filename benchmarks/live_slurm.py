"""How quick a live cluster is, how many a machine holds, and whether the same commands give the same measures.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.live_slurm [--repeat N] [--together N] [--clusters N]

Grades one script N times, each on a fresh cluster, and holds the measures against each other. Starts clusters
one after the other, then many at once, each with its shell, and waits for the first prompt. Writes
benchmarks/live_slurm.json; ends with 1 where a bar is missed. Wants a quiet machine for its times.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
django.setup()

from assessments.live_slurm.guest import spec_of  # noqa: E402
from assessments.live_slurm.traffic import LiveTraffic  # noqa: E402
from benchmarks.commit import commit  # noqa: E402
from graders.backend import backend_from_environment  # noqa: E402
from graders.kinds import Asked  # noqa: E402
from graders.live_slurm.course import Begun  # noqa: E402
from graders.live_slurm.goldens import GOLDENS  # noqa: E402
from graders.live_slurm.grading import LiveSlurmGrader  # noqa: E402
from graders.live_slurm.living import Kept, View, living  # noqa: E402
from graders.live_slurm.reading import Seen  # noqa: E402
from sandbox import Backend  # noqa: E402
from scenarios.live_slurm.scene import draw  # noqa: E402
from scenarios.packs import load_pack  # noqa: E402

HERE = Path(__file__).parent
SCENES = 10
"""Of so many seeds in a row one cluster each is started alone."""
PACK, LEVEL, SEED, GOLDEN = "troubleshooting/jobs-do-not-start", "senior", 7, "competent"
TOLERANCE = 0.0
"""Points (of 100) by which a measure may differ between two plays of the same commands: none."""
READY_S, PROMPT_S, GRADE_S, MEMORY_MB = 3.0, 1.0, 90.0, 4096
LONGEST_S = 240.0


class Resident:
    """Keeps one cluster until it is told to let go; notes when it was there and when its shell asked."""

    def __init__(self, level: str, seed: int, backend: Backend) -> None:
        self.let_go = threading.Event()
        self.has_prompt = threading.Event()
        self.daemons_s = self.usable_s = self.prompt_s = self.memory_mb = 0.0
        self.trouble = ""
        self._seed, self._level, self._backend = seed, level, backend
        self._traffic = LiveTraffic(threading.Event())
        self._began = self._there = 0.0

    def live(self) -> None:
        """From its start until it is let go."""
        self._traffic.play(living(draw(self._level, self._seed), self))
        self._began = time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()
        outcome = self._backend.run(spec_of(), self._traffic, self._traffic.stop)
        self.memory_mb = outcome.max_rss_mb
        self.trouble = self._traffic.trouble or ("" if self.usable_s else outcome.detail)
        self.has_prompt.set()
        self._traffic.close()

    def _watch(self) -> None:
        printed = b""
        while not self.has_prompt.wait(0.005):
            printed += self._traffic.printed()
            if b"]$ " in printed:
                self.prompt_s = time.monotonic() - self._there
                self.has_prompt.set()

    def ready(self, begun: Begun, seen: list[Seen]) -> None:
        self._there = time.monotonic()
        self.daemons_s, self.usable_s = begun.ready_s, self._there - self._began
        self._traffic.open_shell()

    def viewed(self, view: View) -> None:
        """Nothing is shown to anybody."""

    def kept(self, kept: Kept) -> None:
        """Nothing comes back from it."""

    def wants_keeping(self) -> bool:
        return False

    def wants_end(self) -> bool:
        if self.let_go.is_set():
            self._traffic.stop.set()
        return self.let_go.is_set()


def hold(backend: Backend, number: int, first: int = SEED) -> list[Resident]:
    """So many clusters at once, of seeds from `first` on, until each has its prompt."""
    residents = [Resident(LEVEL, first + place, backend) for place in range(number)]
    threads = [threading.Thread(target=one.live) for one in residents]
    for thread in threads:
        thread.start()
    for one in residents:
        one.has_prompt.wait(LONGEST_S)
    time.sleep(3.0)
    for one in residents:
        one.let_go.set()
    for thread in threads:
        thread.join(LONGEST_S)
    return residents


def graded(backend: Backend) -> tuple[dict[str, float], float]:
    """Measures of one play, in percent, and how long the grade took (s)."""
    pack = load_pack(PACK)
    files = {pack.entry: GOLDENS[GOLDEN](draw(LEVEL, SEED))}
    started = time.monotonic()
    report = LiveSlurmGrader().grade(Asked(pack, LEVEL, SEED, files, backend))
    took = time.monotonic() - started
    if report.status != "done":
        raise RuntimeError(report.detail)
    return {one.measure.key: round(one.value, 6) for one in report.measures}, took


def repeated(backend: Backend, times: int, together: int) -> dict[str, Any]:
    """The same commands so many times: how many gave the measures of the first."""
    with ThreadPoolExecutor(together) as pool:
        plays = list(pool.map(lambda _: graded(backend), range(times)))
    first = plays[0][0]
    same = sum(
        all(abs(found[key] - first[key]) <= TOLERANCE for key in first) for found, _ in plays
    )
    took = [seconds for _, seconds in plays]
    return {
        "plays": times,
        "same": same,
        "tolerance": TOLERANCE,
        "measures": first,
        "others": [found for found, _ in plays if found != first],
        "grade_s": {"median": round(statistics.median(took), 1), "most": round(max(took), 1)},
    }


def told(residents: list[Resident]) -> dict[str, Any]:
    """Figures of clusters that were held at once."""
    found: dict[str, Any] = {"clusters": len(residents)}
    for name in ("daemons_s", "usable_s", "prompt_s"):
        values = [getattr(one, name) for one in residents]
        found[name] = {
            "median": round(statistics.median(values), 2),
            "most": round(max(values), 2),
        }
    found["memory_mb"] = round(sum(one.memory_mb for one in residents))
    found["trouble"] = [one.trouble for one in residents if one.trouble or not one.prompt_s]
    return found


def missed(found: dict[str, Any]) -> list[str]:
    """One sentence for each bar that is missed."""
    alone, many, again = found["alone"], found["together"], found["repeated"]
    bars = [
        (alone["usable_s"]["most"] < READY_S, f"a cluster is to be ready in {READY_S} s"),
        (alone["prompt_s"]["most"] < PROMPT_S, f"the first prompt is to come in {PROMPT_S} s"),
        (many["memory_mb"] <= MEMORY_MB, f"all clusters are to fit into {MEMORY_MB} MiB"),
        (not many["trouble"] and not alone["trouble"], "every cluster is to come up"),
        (again["same"] == again["plays"], "the same commands are to give the same measures"),
        (again["grade_s"]["most"] < GRADE_S, f"a grade is to take less than {GRADE_S} s"),
    ]
    return [f"Missed: {said}." for holds, said in bars if not holds]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live_slurm", description=__doc__)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--together", type=int, default=1, help="grades at once")
    parser.add_argument("--clusters", type=int, default=20)
    parser.add_argument("--out", type=Path, default=HERE / "live_slurm.json")
    args = parser.parse_args(argv)
    backend = backend_from_environment()
    try:
        found = {
            "commit": commit(),
            "alone": told([hold(backend, 1, SEED + place)[0] for place in range(SCENES)]),
            "together": told(hold(backend, args.clusters)),
            "repeated": repeated(backend, args.repeat, args.together),
        }
    finally:
        backend.close()
    args.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    for sentence in (wrong := missed(found)):
        sys.stdout.write(f"{sentence}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""A bare simpy pool on a trace, in its own environment: `TRACE PROCESSORS`.

The least a simpy user would write for gangs in order of arrival: one process for each job, one
container for the processors, whose queue is first come, first served. Prints {"cpu_s", "starts"}.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import simpy  # type: ignore[import-not-found]

Row = tuple[int, int, int]


def read(trace: Path) -> list[Row]:
    rows = [line.split() for line in trace.read_text().splitlines() if not line.startswith(";")]
    return [(int(row[1]), int(row[3]), int(row[4])) for row in rows]


def simulate(jobs: list[Row], processors: int) -> list[int]:
    environment = simpy.Environment()
    pool = simpy.Container(environment, processors, init=processors)
    starts = [0] * len(jobs)

    def job(number: int, run: int, procs: int) -> Iterator[Any]:
        yield pool.get(procs)
        starts[number] = environment.now
        yield environment.timeout(run)
        yield pool.put(procs)

    def arrivals() -> Iterator[Any]:
        for number, (submit, run, procs) in enumerate(jobs):
            if submit > environment.now:
                yield environment.timeout(submit - environment.now)
            environment.process(job(number, run, procs))

    environment.process(arrivals())
    environment.run()
    return starts


def main(trace: Path, processors: int) -> None:
    jobs = read(trace)
    began = time.process_time()
    starts = simulate(jobs, processors)
    print(json.dumps({"cpu_s": time.process_time() - began, "starts": starts}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))

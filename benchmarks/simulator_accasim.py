"""AccaSim on a trace, in its own environment: `TRACE fcfs|sjf PROCESSORS FOLDER`.

AccaSim 1.1.3 imports names from `collections` that Python 3.10 took away; they are put back here.
One node holds all processors, which is the cheapest machine for it. Prints {"cpu_s", "starts"}.
"""

from __future__ import annotations

import collections
import collections.abc
import json
import logging
import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

for name in ("Mapping", "MutableMapping", "Sequence", "Iterable"):
    setattr(collections, name, getattr(collections.abc, name))

from accasim.base.allocator_class import FirstFit  # type: ignore[import-not-found]  # noqa: E402
from accasim.base.scheduler_class import (  # type: ignore[import-not-found]  # noqa: E402
    FirstInFirstOut,
    ShortestJobFirst,
)
from accasim.base.simulator_class import Simulator  # type: ignore[import-not-found]  # noqa: E402

ROW = re.compile(r"^(\d+);.*__(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d);", re.M)


def run(trace: Path, policy: str, machine: Path, output: bool) -> float:
    """CPU seconds of one simulation, which reads the trace as it goes."""
    dispatcher = {"fcfs": FirstInFirstOut, "sjf": ShortestJobFirst}[policy](FirstFit())
    options: dict[str, Any] = {"RESULTS_FOLDER_PATH": str(machine.parent)}
    simulator = Simulator(
        str(trace),
        str(machine),
        dispatcher,
        scheduling_output=output,
        statistics_output=False,
        show_statistics=False,
        **options,
    )
    began = time.process_time()
    simulator.start_simulation()
    return time.process_time() - began


def seconds(text: str) -> int:
    return int(datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp())


def main(trace: Path, policy: str, processors: int, folder: Path) -> None:
    logging.disable(logging.INFO)
    machine = folder / "machine.json"
    system = {"groups": {"g": {"core": processors}}, "resources": {"g": 1}, "start_time": 0}
    machine.write_text(json.dumps({**system, "equivalence": {"processor": {"core": 1}}}))
    cpu_s = run(trace, policy, machine, output=False)
    run(trace, policy, machine, output=True)
    rows = ROW.findall((folder / f"sched-{trace.name}").read_text())
    starts = {int(number): seconds(start) for number, start in rows}
    print(json.dumps({"cpu_s": cpu_s, "starts": [starts[n] for n in sorted(starts)]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))

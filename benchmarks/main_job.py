"""How long people wait in the main job: Run to result, Submit to grade, key to acknowledged save.

    PYTHONPATH=platform:. .venv/bin/python benchmarks/main_job.py

Starts a site of its own in a temporary folder, speaks to it as the workspace does, and sets each
figure beside a bare equivalent measured in the same run. Writes benchmarks/main_job.json.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from graders.kinds import grade, run_public
from graders.tests.local_backend import LocalBackend
from headnode.tests.browser.site import Site
from headnode.tests.browser.wire import Wire

HERE = Path(__file__).parent
PACK = "automation/queue-autoscaler"
PROGRAM = (HERE.parent / "scenarios/packs" / PACK / "goldens/competent.py").read_text()
TIMES = 20


def spread(seconds: list[float]) -> dict[str, float]:
    """Median, 10th and 90th percentile, in seconds."""
    tenths = statistics.quantiles(seconds, n=10)
    figures = {"median": statistics.median(seconds), "p10": tenths[0], "p90": tenths[-1]}
    return {name: round(value, 4) for name, value in figures.items()}


def timed(action: Callable[[], Any], times: int = TIMES) -> dict[str, float]:
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return spread(seconds)


def saves(wire: Wire) -> dict[str, float]:
    """One autosave of a 12 kB answer, from request to acknowledgement."""
    count = 0

    def save() -> None:
        nonlocal count
        count += 1
        files = {"controller.py": PROGRAM, "notes.md": "x" * 9000 + str(count)}
        answer = wire.post("drafts", {"files": files, "sections": {}})
        assert answer.status_code == 201, answer.text

    return timed(save, 100)


def runs(wire: Wire) -> dict[str, float]:
    """Run pressed to result shown, the page asking every 50 ms."""
    return timed(lambda: wire.run(PROGRAM))


def submission(site: Site, wire: Wire) -> float:
    """Submit pressed to the grading recorded, in seconds."""
    began = time.perf_counter()
    answer = wire.post("submit", {"files": {"controller.py": PROGRAM}, "sections": {}})
    assert answer.status_code == 200, answer.text
    while not graded(site):
        time.sleep(0.05)
    return round(time.perf_counter() - began, 3)


def graded(site: Site) -> bool:
    with sqlite3.connect(site.data / "headnode.sqlite3") as database:
        query = "select result from assessments_gradingrun order by id desc limit 1"
        return bool(database.execute(query).fetchone()[0])


def measure(site: Site) -> dict[str, Any]:
    wire = Wire(site.candidate_link)
    backend = LocalBackend()  # the same program in a plain process: no fence, no queue, no web
    files = {"controller.py": PROGRAM}
    wire.run(PROGRAM)  # the first run of a variant also measures its anchors
    run_public(PACK, "mid", 1, files, backend)
    grade(PACK, "mid", 1, files, backend)
    return {
        "save": saves(wire),
        "bare request": timed(lambda: wire.http.get(f"{site.url}/healthz", timeout=10), 100),
        "run": runs(wire),
        "bare run": timed(lambda: run_public(PACK, "mid", 1, files, backend)),
        "submit to grade": submission(site, wire),
        "bare grading": timed(lambda: grade(PACK, "mid", 1, files, backend), 3),
    }


def main() -> None:
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder))
        first = site.start()
        try:
            figures = measure(site)
        finally:
            site.stop()
        figures["second start"] = round(site.start(), 2)
        site.stop()
    figures["first start"] = round(first, 2)
    figures["commit"] = commit()
    (HERE / "main_job.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()

"""A cohort at nine o'clock: how the site answers when many candidates work at once.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.cohort [--candidates 50] [--minutes 4] [--attacker]
    ... --times 3   so many cohorts one after the other, each on a site of its own, their requests together:
                    of fifty Starts the 95th in a hundred is one or two, and says little
    ... --ratios    of what is kept: how many times as long everything takes with the attacker

Starts the site as `make run` does, on a data folder and a port of its own (with DATABASE_URL on a database
of its own there), lets the candidates press Start within one minute over all four exercises, save every
5 s, look at the clock every 5 s, ask (PromQL, logs, SQL) every 20 s, run every 3 min and hand in at one
common zero, while 10 interviewers read lists and scoring pages. A quarter of the candidates leave it to the
clock. Everything goes over the loopback interface and ends by itself. Writes benchmarks/cohort.json:
milliseconds of every kind of request, what was lost, and the credits, by database, with a quiet request's
time beside it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.cohort_people import Asked, Browser, Candidate, attack, interview, watch_health
from benchmarks.commit import commit
from headnode.tests.browser.site import Site, forget_database

HERE = Path(__file__).parent
KEPT, ATTACKED = HERE / "cohort.json", " with an attacker"
STAGE = Path(__file__).with_name("cohort_stage.py")
START_WITHIN_S = 60.0
PREPARED_WITHIN_S, GRADED_WITHIN_S = 900.0, 1800.0
AFTER_ZERO_S = 150.0
QUIET = 40
LEAST_ASKED = 30
"""Requests of a kind from which on a 95th percentile says something."""
LISTS = ["/admin/", "/admin/assessments/attempt/"]


@contextmanager
def running_site() -> Iterator[Site]:
    """A site of its own, gone afterwards with its data and its database."""
    with tempfile.TemporaryDirectory(prefix="cohort-") as folder:
        site = Site(Path(folder))
        site.start()
        try:
            yield site
        finally:
            site.stop()
            forget_database(site.port)


def staged(site: Site, verb: str, *arguments: Any) -> dict[str, Any]:
    """What a function of cohort_stage answers, run beside the site."""
    words = ["", verb, *(json.dumps(one) for one in arguments)]
    script = f"import runpy, sys; sys.argv = {words!r}; runpy.run_path({str(STAGE)!r}, run_name='__main__')"
    told: dict[str, Any] = json.loads(site.run(script, within=GRADED_WITHIN_S + 60))
    return told


class Cohort:
    """Everybody of one run, and every request they made."""

    def __init__(self, site: Site, scene: dict[str, Any], minutes: float) -> None:
        self.site, self.scene, self.minutes = site, scene, minutes
        self.asked: list[Asked] = []
        self.over = threading.Event()
        begin = time.monotonic() + 1
        number_of = len(scene["links"])
        self.candidates = [
            Candidate(
                number=number,
                token=link["token"],
                exercise=link["exercise"],
                browser=Browser(site.port, self.asked),
                start_at=begin + START_WITHIN_S * number / number_of,
                submits=number % 4 != 3,
            )
            for number, link in enumerate(scene["links"])
        ]

    def live(self, attacker: bool = False) -> None:
        """From the first Start until everybody has handed in."""
        staged(self.site, "close_at", START_WITHIN_S + 60 * self.minutes)
        reading = (self.scene["password"], [*LISTS, *self.scene["scoring"]], self.over)
        attackers = [one for one in self.candidates if one.exercise == "troubleshooting"][:attacker]
        work = [
            threading.Thread(target=one.live) for one in self.candidates if one not in attackers
        ]
        beside = [
            threading.Thread(target=interview, args=(self.browser(), name, *reading))
            for name in self.scene["interviewers"]
        ]
        beside.append(threading.Thread(target=watch_health, args=(self.browser(), self.over)))
        context = multiprocessing.get_context("spawn")
        over, told = context.Event(), context.Queue()
        for one in attackers:
            context.Process(target=attack, args=(one, over, told), daemon=True).start()
        for thread in (*work, *beside):
            thread.start()
        for thread in work:
            thread.join(START_WITHIN_S + 60 * self.minutes + AFTER_ZERO_S)
        self.over.set()
        over.set()
        for _ in attackers:
            self.asked += told.get(timeout=120)
        for thread in beside:
            thread.join(120)

    def browser(self) -> Browser:
        return Browser(self.site.port, self.asked)

    def told(self) -> list[dict[str, Any]]:
        """What each candidate was told the site has."""
        return [
            {
                "attempt": one.attempt,
                "acknowledged": one.acknowledged,
                "submitted": one.submitted,
                "last_words": one.last_words(),
            }
            for one in self.candidates
            if one.attempt and one.acknowledged
        ]

    def audit(self, graded_within_s: float = GRADED_WITHIN_S) -> dict[str, Any]:
        """What is wrong with what was kept; waits so long for gradings to end."""
        told = self.site.data / "told.json"
        told.write_text(json.dumps(self.told()))
        return staged(self.site, "audit", str(told), graded_within_s) | {
            "not_started": sum(not one.attempt for one in self.candidates)
        }


def hundredth(times: list[float], p: int) -> float:
    """The p-th percentile of some milliseconds."""
    return round((statistics.quantiles(times, n=100) if len(times) > 1 else times * 99)[p - 1], 1)


def figures(asked: list[Asked]) -> dict[str, dict[str, Any]]:
    """Milliseconds by kind of request, and how often it was answered with what."""
    found: dict[str, dict[str, Any]] = {}
    for kind in sorted({one.kind for one in asked}):
        rows = [one for one in asked if one.kind == kind]
        times = [one.seconds * 1000 for one in rows]
        found[kind] = {
            "n": len(rows),
            **{f"p{p}_ms": hundredth(times, p) for p in (50, 95, 99)},
            "max_ms": round(max(times), 1),
            "status": dict(sorted(Counter(str(one.status) for one in rows).items())),
        }
    return found


def quiet(site: Site) -> float:
    """Milliseconds (median) of a health request while nobody is there: what all others are compared with."""
    asked: list[Asked] = []
    browser = Browser(site.port, asked)
    for _ in range(QUIET):
        browser.ask("quiet", "/healthz")
    return round(statistics.median(one.seconds for one in asked) * 1000, 1)


def faults_of(asked: list[Asked]) -> dict[str, int]:
    """Answers that nobody should get: 5xx by kind, but for those that say when to come again."""
    return dict(Counter(one.kind for one in asked if one.status >= 500 and one.status != 503))


def ratios(kept: dict[str, Any]) -> dict[str, Any]:
    """For each pair of rows by kind of request: p95 with the attacker, as a multiple of p95 without."""
    found: dict[str, Any] = {}
    for name, row in kept.items():
        without = kept.get(name.removesuffix(ATTACKED))
        if without is None or without is row:
            continue
        times = {
            kind: round(one["p95_ms"] / without["requests"][kind]["p95_ms"], 2)
            for kind, one in row["requests"].items()
            if kind in without["requests"] and one["n"] >= LEAST_ASKED
        }
        found[name] = {
            "commits": [without["commit"], row["commit"]],
            "times": dict(sorted(times.items(), key=lambda item: -item[1])),
        }
    return found


def played(options: argparse.Namespace, asked: list[Asked]) -> dict[str, Any]:
    """One cohort from the first link to the last grade: how quick the machine was, and what was lost."""
    load = os.getloadavg()[0]
    with running_site() as site:
        scene = staged(site, "build", options.candidates, options.interviewers)
        prepared = staged(site, "wait_prepared", PREPARED_WITHIN_S)
        alone = quiet(site)
        cohort = Cohort(site, scene, options.minutes)
        cohort.live(options.attacker)
        audited = cohort.audit(options.graded_within)
    asked += cohort.asked
    starts = [one.seconds * 1000 for one in cohort.asked if one.kind == "Start"]
    saves = [one.seconds * 1000 for one in cohort.asked if one.kind == "save"]
    return {
        "load_before": round(load, 1),
        "prepared": prepared,
        "quiet_health_ms": alone,
        "p95_ms": {"save": hundredth(saves, 95), "Start": hundredth(starts, 95)},
        "audit": audited,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratios", action="store_true", help="Print them, and measure nothing.")
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--interviewers", type=int, default=10)
    parser.add_argument(
        "--minutes", type=float, default=4, help="From the last Start to the common zero."
    )
    parser.add_argument(
        "--attacker", action="store_true", help="One session of twelve queries and 16 Starts."
    )
    parser.add_argument("--times", type=int, default=1, help="Cohorts one after the other.")
    parser.add_argument("--graded-within", type=float, default=GRADED_WITHIN_S, help="Seconds.")
    options = parser.parse_args()
    if options.ratios:
        print(json.dumps(ratios(json.loads(KEPT.read_text())), indent=1))
        return
    asked: list[Asked] = []
    runs = [played(options, asked) for _ in range(options.times)]
    answer = {
        "commit": commit(),
        "candidates": options.candidates,
        "interviewers": options.interviewers,
        "minutes": options.minutes,
        "processors": os.cpu_count(),
        "runs": runs,
        "failed": faults_of(asked),
        "requests": figures(asked),
    }
    name = "postgresql" if os.environ.get("DATABASE_URL") else "sqlite"
    if processes := os.environ.get("WEB_PROCESSES"):
        name += f", {processes} web processes"
    keep(KEPT, name + (ATTACKED if options.attacker else ""), answer)


def keep(path: Path, name: str, answer: dict[str, Any]) -> None:
    """Put the figures beside those of the other databases."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(kept | {name: answer}, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps({name: answer}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()

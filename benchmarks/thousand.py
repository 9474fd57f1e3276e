"""Whether the staff's pages stay quick: 1,000 candidates, 4 exercises and 3 evaluators each.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.thousand [--people 1000]

    ... --only home

Builds the opening in a database of its own (DATABASE_URL's server where that is set, else SQLite in a
temporary folder), asks every page as its reader does, in this process, and writes benchmarks/thousand.json:
seconds of server time (median, 10th and 90th percentile), of processor time alone, and queries of each page.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.commit import commit

HERE = Path(__file__).parent
TIMES = 15
BAR_S = 0.3


def figures(client: Any, url: str, times: int) -> dict[str, float | int]:
    """Server time and queries of one page, after one request that warms it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(url)
    seconds, processor = [], []
    for _ in range(times):
        began, used = time.perf_counter(), time.process_time()
        answer = client.get(url)
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
        assert answer.status_code == 200, (url, answer.status_code)
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    tenths = statistics.quantiles(seconds, n=10)
    return {
        "median_s": round(statistics.median(seconds), 4),
        "p10_s": round(tenths[0], 4),
        "p90_s": round(tenths[-1], 4),
        "cpu_median_s": round(statistics.median(processor), 4),
        "queries": len(queries),
    }


def pages(crowd: Any) -> Iterator[tuple[str, Any, str]]:
    """(name, who asks, address) of the pages that have to be quick."""
    from django.urls import reverse

    opening, attempt = crowd.opening.pk, crowd.attempts[0].pk
    compare = reverse("admin:comparison", args=[opening])
    first = crowd.exercises[0].pk
    yield "candidates", crowd.rhea, reverse("admin:hiring_candidate_changelist")
    yield "invitations", crowd.rhea, reverse("admin:hiring_invitation_changelist")
    yield "openings", crowd.rhea, reverse("admin:hiring_opening_changelist")
    yield "opening", crowd.hana, reverse("admin:hiring_opening_change", args=[opening])
    yield "attempts", crowd.hana, reverse("admin:assessments_attempt_changelist")
    yield "attempts, an evaluator", crowd.panel[0], reverse("admin:assessments_attempt_changelist")
    yield "scoring", crowd.panel[0], reverse("admin:score", args=[attempt, 1])
    yield "attempt", crowd.hana, reverse("admin:attempt", args=[attempt])
    yield "decision", crowd.hana, reverse("admin:decision", args=[attempt])
    yield "report", crowd.hana, reverse("admin:report", args=[attempt])
    yield "comparison", crowd.hana, compare
    yield "comparison, an evaluator", crowd.panel[0], compare
    yield "comparison, sorted by an exercise", crowd.hana, f"{compare}?sort=-exercise-{first}"
    yield "comparison of one exercise", crowd.hana, f"{compare}?exercise={first}"
    yield "one exercise, sorted", crowd.hana, f"{compare}?exercise={first}&sort=-rating"
    for who, person in (
        ("an administrator", crowd.alma),
        ("a recruiter", crowd.rhea),
        ("a hiring manager", crowd.hana),
        ("an evaluator", crowd.panel[0]),
    ):
        yield f"home, {who}", person, reverse("admin:index")


def measured(people: int, times: int, only: str) -> dict[str, Any]:
    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from reviews.tests.crowd import build

    began = time.perf_counter()
    crowd = build(people, now=timezone.now())
    built_s = round(time.perf_counter() - began, 1)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # as it does by itself within a minute of such a change
    found = {}
    for name, who, url in pages(crowd):
        if only not in name:
            continue
        client = Client(SERVER_NAME="localhost")
        client.force_login(who)
        found[name] = figures(client, url, times)
        print(f"{name}: {found[name]}", flush=True)
    over = {
        kind: [name for name, row in found.items() if row[kind] >= BAR_S]
        for kind in ("median_s", "cpu_median_s")
    }
    return {"built_s": built_s, "over_the_bar": over, "pages": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--only", default="", help="Pages with this in their name; keeps no file.")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADNODE_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headnode.settings")
        import django

        django.setup()
        from django.db import connection
        from django.test.utils import setup_test_environment

        setup_test_environment()
        name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
        try:
            answer = measured(asked.people, asked.times, asked.only)
            vendor = connection.vendor
        finally:
            connection.creation.destroy_test_db(name, verbosity=0)
    answer = {
        "commit": commit(),
        "database": vendor,
        "candidates": asked.people,
        "exercises": 4,
        "evaluators": 3,
        "times": asked.times,
        "bar_s": BAR_S,
        "processors": os.cpu_count(),
        "load_before": round(load, 1),  # well below the processors: the machine was quiet
        **answer,
    }
    if not asked.only:
        (HERE / "thousand.json").write_text(json.dumps(answer, indent=2) + "\n")


if __name__ == "__main__":
    main()

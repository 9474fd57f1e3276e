"""Whether the staff's pages stay quick: 1,000 candidates, 4 exercises and 3 evaluators each.

    PYTHONPATH=platform:. .venv/bin/python -m benchmarks.thousand [--people 1000]

    ... --only home

Then it presses what is done to 200 at once: mails are queued by the press and sent by a worker.

Builds the opening in a database of its own (DATABASE_URL's server where that is set, else SQLite in a
temporary folder), asks every page as its reader does, in this process, and writes benchmarks/thousand.json:
seconds of server time (median, 10th and 90th percentile), of processor time alone, and queries of each page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.commit import commit
from benchmarks.own_database import own_database
from benchmarks.yardstick import loop_s

HERE = Path(__file__).parent
TIMES = 15
BAR_S = 0.3
HOUR = timedelta(hours=1)
OF_THE_OPENING = """
impressions announce opening-guide opening-words opening-assign opening-extra-time opening-copy
opening-close
"""
OF_AN_ATTEMPT = """
assign extend regrade compare gradings work-history defence feedback decision-tell similarity
"""
OF_AN_INVITATION = """
hiring_invitation_change invitation-send invitation-remind invitation-extend invitation-replace
invitation-revoke
"""
LISTS = """
messages interviews interview-plan report-links reliability adverse-impact enquiries settings
hiring_invitation_add hiring_sighting_changelist admin_logentry_changelist retention
"""
"""Names of addresses; what is measured under a name of its own stands in `pages`."""
HIDDEN = re.compile(r'<input type="hidden" name="(press|shown)" value="([^"]*)"')


def figures(client: Any, url: str, times: int) -> dict[str, float | int]:
    """Server time and queries of one page, after one request that warms it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def ask() -> None:
        answer = client.get(url)
        assert answer.status_code == 200, (url, answer.status_code)

    ask()
    seconds, processor = zip(*(timed(ask) for _ in range(times)), strict=True)
    with CaptureQueriesContext(connection) as queries:
        ask()
    return summary(seconds, processor, len(queries))


def timed(what: Callable[[], object]) -> tuple[float, float]:
    """(seconds, of these of processor time)"""
    began, used = time.perf_counter(), time.process_time()
    what()
    return time.perf_counter() - began, time.process_time() - used


def summary(
    seconds: Sequence[float], processor: Sequence[float], queries: int
) -> dict[str, float | int]:
    tenths = statistics.quantiles(seconds, n=10)
    return {
        "median_s": round(statistics.median(seconds), 4),
        "p10_s": round(tenths[0], 4),
        "p90_s": round(tenths[-1], 4),
        "cpu_median_s": round(statistics.median(processor), 4),
        "queries": queries,
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
    board = reverse("admin:board", args=[opening])
    for who, person in (
        ("a recruiter", crowd.rhea),
        ("a hiring manager", crowd.hana),
        ("an evaluator", crowd.panel[0]),
    ):
        yield f"board, {who}", person, board
    yield "board, filtered", crowd.rhea, f"{board}?state=disputed&q=person+01&overdue=yes"
    yield "board, its rows again", crowd.rhea, reverse("admin:board-rows", args=[opening])
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
    yield from other_pages(crowd)


def other_pages(crowd: Any) -> Iterator[tuple[str, Any, str]]:
    """The rest that shows the opening or somebody in it, as whoever may do everything there asks it."""
    from django.urls import reverse

    opening, attempt, link = crowd.opening.pk, crowd.attempts[0].pk, crowd.attempts[0].invitation
    for names, *about in (
        (OF_THE_OPENING, opening),
        (OF_AN_ATTEMPT, attempt),
        (OF_AN_INVITATION, link.pk),
        (LISTS,),
    ):
        for name in names.split():
            yield name, crowd.alma, reverse(f"admin:{name}", args=about)
    yield "discussion", crowd.hana, reverse("admin:discussion", args=[attempt, 1])
    yield (
        "candidate",
        crowd.rhea,
        reverse("admin:hiring_candidate_change", args=[link.candidate_id]),
    )
    order = reverse("admin:score-order", args=[opening, crowd.exercises[0].pk])
    yield "all candidates of an exercise", crowd.panel[0], order


def waiting(crowd: Any, now: Any) -> list[str]:
    """Keys of invitations of as many as one press takes, of whom nobody has begun."""
    from hiring.invitations import Invited, invite_many
    from hiring.models import Candidate
    from reviews.bulk.acts import AT_ONCE

    people = Candidate.objects.bulk_create(
        Candidate(
            name=f"Waiting {number:03d}",
            email=f"waiting{number}@example.com",
            pseudonym=f"W{number:05d}",
            created_at=now,
        )
        for number in range(AT_ONCE)
    )
    rows = invite_many(
        [Invited(person, uuid.uuid4()) for person in people],
        opening=crowd.opening,
        exercises=crowd.exercises,
        opens_at=now - HOUR,
        closes_at=now + 48 * HOUR,
        by=crowd.rhea,
        now=now,
    )
    return [str(row.pk) for row in rows]


def presses(crowd: Any, now: Any, times: int) -> Iterator[tuple[str, dict[str, float | int]]]:
    """(name, figures) of the pages that act on many, and of pressing their button."""
    from django.test import Client
    from django.urls import reverse

    keys = waiting(crowd, now)
    client = Client(SERVER_NAME="localhost")
    client.force_login(crowd.rhea)
    session = client.session
    session["selections"] = {"all": keys}
    session.save()
    for name in ("remind", "send", "extend", "revoke"):
        url = f"{reverse(f'admin:bulk-{name}')}?list=all"
        yield f"{name}, {len(keys)} rows", figures(client, url, times)
        if name != "revoke":  # which is done once
            yield f"{name}, pressed for {len(keys)}", pressed(client, url, times)


def pressed(client: Any, url: str, times: int) -> dict[str, float | int]:
    """Server time and queries of the press, each time as if nobody was told before."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from hiring.models import Message

    def again(number: int) -> dict[str, str]:
        """The form as the page shows it now, filled in."""
        Message.objects.all().delete()
        until = timezone.now() + (72 + number) * HOUR
        data = {"closes_at": f"{until:%Y-%m-%dT%H:%M}", "tell": "on", "reason": "Measured."}
        page = client.post(url, data).content.decode()
        return data | dict(HIDDEN.findall(page)) | {"do": "yes"}

    def press(data: dict[str, str]) -> None:
        answer = client.post(url, data)
        assert answer.status_code == 302, answer.content.decode()
        assert Message.objects.exists()

    rows = [timed(partial(press, again(number))) for number in range(times)]
    with CaptureQueriesContext(connection) as queries:
        press(again(times))
    seconds, processor = zip(*rows, strict=True)
    return summary(seconds, processor, len(queries))


def measured(people: int, times: int, only: str) -> dict[str, Any]:
    from django.db import connection
    from django.test import Client
    from django.utils import timezone

    from headnode.web_server import settle
    from reviews.tests.crowd import build

    began = time.perf_counter()
    crowd = build(people, now=timezone.now())
    built_s = round(time.perf_counter() - began, 1)
    settle()  # as a web process does before its first request
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
    if not only or "press" in only:
        for name, row in presses(crowd, timezone.now(), min(times, 5)):
            found[name] = row
            print(f"{name}: {row}", flush=True)
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
    load, before = os.getloadavg()[0], loop_s()
    with own_database() as vendor:
        answer = measured(asked.people, asked.times, asked.only)
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
        "loop_s": {"before": before, "after": loop_s()},
        **answer,
    }
    if not asked.only:
        (HERE / "thousand.json").write_text(json.dumps(answer, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""What the cohort finds on the site and what it leaves there; runs beside the site, with its settings."""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

KINDS = {
    "automation": "automation/queue-autoscaler",
    "troubleshooting": "troubleshooting/slow-training",
    "scaling": "scaling-plan/growth-year",
    "cost": "cost/fleet-bill",
}
HANDED_IN_WITHIN_S = 240.0
"""Grace, what was credited, and the sweep that hands in what is due."""
PASSWORD = "a cohort at nine o'clock"  # noqa: S105  (of a site that lives for minutes)


def build(candidates: int, interviewers: int) -> dict[str, Any]:
    """One opening with the four exercises; a link for each candidate, and everybody assigned to somebody."""
    from django.contrib.auth.models import Group
    from django.utils import timezone

    from accounts.models import User
    from accounts.roles import INTERVIEWER
    from hiring.models import Candidate, Exercise, Opening
    from library.packs import load_packs, pack_of

    now = timezone.now()
    load_packs(now=now)
    rhea = User.objects.create_superuser("cohort", password=PASSWORD)
    opening = Opening.objects.create(title="Cohort", level="mid", created_at=now)
    exercises = {
        name: Exercise.objects.create(
            opening=opening,
            pack_name=pack,
            kind=pack_of(pack).kind,
            level="mid",
            limit_minutes=60,
            revision_minutes=15,
        )
        for name, pack in KINDS.items()
    }
    people = []
    for number in range(interviewers):
        person = User.objects.create_user(f"interviewer{number}", password=PASSWORD, is_staff=True)
        person.groups.add(Group.objects.get(name=INTERVIEWER))
        people.append(person.username)
    links = []
    for number in range(candidates):
        name = list(exercises)[number % len(exercises)]
        person_ = Candidate.objects.create(
            name=f"Candidate {number}", email=f"candidate{number}@example.com", created_at=now
        )
        links.append(
            {"exercise": name, "token": _invite(opening, person_, exercises[name], rhea, now)}
        )
    return {
        "links": links,
        "interviewers": people,
        "password": PASSWORD,
        "scoring": _assigned(people, rhea, now),
    }


def _assigned(people: list[str], by: Any, now: Any) -> list[str]:
    """Scoring pages of what the demo's candidates handed in, which everybody is asked to score."""
    from django.urls import reverse

    from accounts.models import User
    from assessments.models import Submission
    from reviews.scoring.evaluations import assign

    handed_in = Submission.objects.filter(round=1, superseded_at=None).select_related("attempt")
    for answer in handed_in:
        for name in people:
            person = User.objects.get(username=name)
            assign(attempt=answer.attempt, evaluator=person, by=by, now=now)
    return [reverse("admin:score", args=[answer.attempt_id, 1]) for answer in handed_in]


def _invite(opening: Any, candidate: Any, exercise: Any, by: Any, now: Any) -> str:
    from assessments.prepared.drawing import prepare
    from hiring.invitations import invite

    invitation, token = invite(
        opening=opening,
        candidate=candidate,
        exercises=[exercise],
        opens_at=now - timedelta(hours=1),
        closes_at=now + timedelta(days=1),
        by=by,
        now=now,
    )
    prepare(invitation, now=now)  # as the page does that makes the link
    return token


def wait_prepared(within_s: float) -> dict[str, Any]:
    """Seconds until every variant has been built, and how many are ready."""
    from assessments.models.prepared import PreparedVariant

    began = time.monotonic()
    while time.monotonic() - began < within_s:
        waiting = PreparedVariant.objects.unfinished().count()
        if not waiting:
            break
        time.sleep(1)
    ready = PreparedVariant.objects.filter(result="done").count()
    return {"seconds": round(time.monotonic() - began, 1), "ready": ready, "waiting": waiting}


def close_at(seconds: float) -> dict[str, Any]:
    """One common zero: the window of every link closes so many seconds from now."""
    from django.utils import timezone

    from hiring.models import Invitation, Opening

    zero = timezone.now() + timedelta(seconds=seconds)
    rows = Invitation.objects.filter(opening=Opening.objects.get(title="Cohort"))
    return {"links": rows.update(closes_at=zero)}


def audit(told: str, graded_within_s: float) -> dict[str, Any]:
    """Compare what the candidates were told with what is kept; counts of what is wrong, and the credits."""
    from django.db.models import Count, F, Sum

    from assessments.models import Attempt, Draft, GradingRun, Run, Submission, TimeEvent

    began = time.monotonic()
    while Attempt.objects.unsubmitted().filter(exercise__opening__title="Cohort").exists():
        if time.monotonic() - began > HANDED_IN_WITHIN_S:
            break
        time.sleep(1)
    said = json.loads(Path(told).read_text())
    lost = wrong = missing = 0
    for one in said:
        kept = set(Draft.objects.filter(attempt=one["attempt"]).values_list("number", "sha256"))
        lost += sum((number, digest) not in kept for number, digest in one["acknowledged"])
        answers = Submission.objects.filter(attempt=one["attempt"], superseded_at=None)
        newest = answers.first()
        missing += newest is None
        expected = one["last_words"] if one["submitted"] else one["acknowledged"][-1:][0:1]
        if newest and one["submitted"]:
            wrong += newest.sha256 != expected
        elif newest and expected:
            wrong += newest.sha256 != expected[0][1]
    began = time.monotonic()
    while GradingRun.objects.unfinished().exists() and time.monotonic() - began < graded_within_s:
        time.sleep(2)
    results = GradingRun.objects.values_list("result").annotate(n=Count("pk"))
    twice = Submission.objects.annotate(n=Count("grading_runs")).filter(n__gt=1).count()
    credits = TimeEvent.objects.filter(kind="credited").annotate(given=F("after") - F("before"))
    by_attempt = {
        str(pk): round(total.total_seconds(), 1)
        for pk, total in credits.values_list("attempt").annotate(total=Sum("given"))
    }
    return {
        "attempts": Attempt.objects.count(),
        "drafts": Draft.objects.count(),
        "acknowledged_lost": lost,
        "submissions_wrong": wrong,
        "submissions_missing": missing,
        "graded_twice": twice,
        "gradings": {result or "waiting": n for result, n in results},
        "grading_seconds": round(time.monotonic() - began, 1),
        "runs": {
            result or "waiting": n
            for result, n in Run.objects.values_list("result").annotate(n=Count("pk"))
        },
        "credited_attempts": len(by_attempt),
        "credits_s": by_attempt,
    }


if __name__ == "__main__":
    import django

    django.setup()
    arguments = [json.loads(argument) for argument in sys.argv[2:]]
    print(json.dumps(globals()[sys.argv[1]](*arguments)))

"""A scaling plan on a running site: an invitation to it, and what of an attempt is graded."""

from __future__ import annotations

import json
from typing import Any

from headnode.tests.browser.site import Site

BEGIN = """
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from accounts.models import User
from hiring.invitations import invite
from hiring.models import Candidate, Exercise, Opening

now = timezone.now()
hana, rhea = (User.objects.get(username=name) for name in ("hana", "rhea"))
opening = Opening.objects.create(
    title="Capacity planner for GPU clusters", level="mid", hiring_manager=hana, created_at=now
)
exercise = Exercise.objects.create(
    opening=opening, pack_name="scaling-plan/growth-year", kind="scaling-plan", level="mid",
    limit_minutes=50, revision_minutes=10,
)
selin = Candidate.objects.create(name="Selin Marchetti", email="selin@example.com", created_at=now)
_, token = invite(
    opening=opening, candidate=selin, exercises=[exercise], by=rhea, now=now,
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=7),
)
print(token)
"""
SENT = """
import json
import django
django.setup()
from assessments import answers
from assessments.models import Attempt

attempt = Attempt.objects.get(exercise__opening__title="Capacity planner for GPU clusters")
submission = attempt.submissions.get()
text = answers.program(attempt, submission.body)["answer.json"]
runs = [run.result for run in attempt.runs.all()]
print(json.dumps({"answer": json.loads(text), "runs": runs}))
"""


def invite_to_plan(site: Site) -> str:
    """The address of the candidate's link."""
    return f"{site.url}/t/{site.run(BEGIN)}/"


def sent(site: Site) -> dict[str, Any]:
    """What the grader is given of the one attempt, and how its what-ifs ended."""
    found: dict[str, Any] = json.loads(site.run(SENT))
    return found

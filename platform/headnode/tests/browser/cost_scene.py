"""A cost exercise on a running site: an invitation to it, and what of an attempt is graded."""

from __future__ import annotations

import json
import re
from typing import Any

from headnode.tests.browser.site import Site

BEGIN = """
import sys
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
    title="Capacity and cost engineer", level="mid", hiring_manager=hana, created_at=now
)
exercise = Exercise.objects.create(
    opening=opening, pack_name="cost/fleet-bill", kind="cost", level="mid",
    limit_minutes=50, revision_minutes=10,
)
emre = Candidate.objects.create(name="Emre Okafor", email="emre@example.com", created_at=now)
_, token = invite(
    opening=opening, candidate=emre, exercises=[exercise], by=rhea, now=now,
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=7),
)
print(token)
"""
GRADED = """
import json
import time
import django
django.setup()
from assessments import answers
from assessments.models import Attempt, GradingRun

attempt = Attempt.objects.get(invitation__candidate__email="emre@example.com")
submission = attempt.submissions.get()
until = time.monotonic() + {within_s}
while not (run := GradingRun.objects.get(submission=submission)).result and time.monotonic() < until:
    time.sleep(0.5)
text = answers.program(attempt, submission.body)["answer.json"]
print(json.dumps({{"answer": json.loads(text), "result": run.result, "report": run.report}}))
"""


def invite_to_cost(site: Site) -> str:
    """The address of the candidate's link."""
    return f"{site.url}/t/{site.run(BEGIN)}/"


def graded(site: Site, within_s: float = 240.0) -> dict[str, Any]:
    """What the grader was given of the one attempt, how that ended within so long, and its report."""
    found: dict[str, Any] = json.loads(site.run(GRADED.format(within_s=within_s)))
    return found


def amount(text: str) -> int:
    """The first amount of USD in a sentence."""
    found = re.search(r"([\d,]+) USD", text)
    assert found is not None, text
    return int(found[1].replace(",", ""))

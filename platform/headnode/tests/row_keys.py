"""Which row an address of the permission matrix is about, by what its pattern says."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from uuid import uuid4

from assessments.models import AssistantTurn, Attempt, OwnWorkRound


def key_in(pattern: str, rows: dict[str, Any]) -> Any:
    """What <pk> stands for in that address."""
    found = [
        ("webhooks/deliveries/", rows["integrations.delivery"].pk),
        ("admin/webhooks/", rows["integrations.webhook"].pk),
        ("admin/tracking/", rows["integrations.connection"].pk),
        ("api-tokens/", rows["integrations.apitoken"].pk),
        ("openings?/", rows["hiring.opening"].pk),
        ("admin/messages/", rows["hiring.message"].pk),
        ("report-links/", rows["reviews.reportlink"].pk),
        ("invitation/|work/", rows["hiring.invitation"].pk),
        ("rubric/", rows["library.rubric"].pk),
        ("companyprofile/", rows["library.companyprofile"].pk),
        ("accounts/user/", rows["accounts.user"].pk),
        ("candidates/", rows["hiring.candidate"].pk),
        ("admin/enquiries/", rows["assessments.enquiry"].pk),
        ("admin/interviews/|admin/trials/", uuid4()),
        ("question-sets/", 0),
        ("attempts/", rows["assessments.attempt"].pk),
    ]
    return next(key for part, key in found if re.search(part, pattern))


def values_for(names: list[str], values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def asked_about(attempt: Attempt, now: datetime) -> Attempt:
    """The attempt, with questions about its first answer and one to the assistant.

    Without them their addresses are nobody's.
    """
    attempt.policies["assistant"] = "It is recorded."
    attempt.save(update_fields=["policies"])
    AssistantTurn.objects.create(
        attempt=attempt, round=1, question="?", asked_at=now, heard_at=now, ended_at=now
    )
    first = attempt.submissions.get(round=1)
    row = OwnWorkRound(submission=first, is_live=False, minutes=6, created_at=now)
    row.finished_at, row.result, row.report = now, "done", {"questions": [], "detail": ""}
    row.save()
    return attempt

"""Ashby's assessments framework: Ashby lists, starts and cancels here, and is told how an assessment goes.

Source: developers.ashbyhq.com, "Creating an Assessments Integration" and the reference pages of
assessment.list, assessment.start, assessment.cancel and assessment.update.
"""

from __future__ import annotations

import json
from typing import Any

from integrations.models import ConnectionKind, Order, Standing
from integrations.sending import Outgoing
from integrations.tracking.interface import Progress, basic

HIGHEST = 5


def field(identifier: str, label: str, type: str, value: str | float) -> dict[str, Any]:
    """One piece of data in the form in which Ashby shows it."""
    return {"identifier": identifier, "label": label, "type": type, "value": value}


def update(order: Order, progress: Progress) -> dict[str, Any]:
    """The body of assessment.update, also what assessment.start and .cancel answer with."""
    found: dict[str, Any] = {
        "assessment_id": str(order.pk),
        "timestamp": int(progress.at.timestamp() * 1000),
        "assessment_status": field("status", "Status", "string", progress.standing.label),
        "assessment_profile_url": field("page", "In Headnode", "url", progress.page),
    }
    if progress.standing in (Standing.CANCELLED, Standing.MISSED):
        reason = progress.standing.label
        found["cancelled_reason"] = field("cancelled_reason", "Why it ended", "string", reason)
    if progress.standing == Standing.COMPLETE:
        found |= _result(progress)
    return found


def _result(progress: Progress) -> dict[str, Any]:
    metadata = [field("evaluators", "Evaluators", "numeric_score", progress.evaluators)]
    if progress.outcome:
        metadata.append(field("decision", "Decision", "string", progress.outcome))
    if progress.rating is None:
        said = field("result", "Result", "string", "Scored: read it in Headnode")
    else:
        said = field("rating", "Mean rating, 1 to 5", "numeric_score", progress.rating)
        metadata.append(field("rating_max", "Highest rating", "numeric_score", HIGHEST))
    return {"assessment_result": said, "metadata": metadata}


class Ashby:
    kind = ConnectionKind.ASHBY
    base_url = "https://api.ashbyhq.com"
    tells = frozenset(
        {
            Standing.STARTED,
            Standing.HANDED_IN,
            Standing.COMPLETE,
            Standing.MISSED,
            Standing.CANCELLED,
        }
    )

    def told(self, order: Order, progress: Progress, *, key: str) -> Outgoing:
        return Outgoing(
            "POST",
            f"{order.connection.base_url}/assessment.update",
            json.dumps(update(order, progress)).encode(),
            {"Authorization": basic(key), "Content-Type": "application/json"},
        )

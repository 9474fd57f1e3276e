from __future__ import annotations

from assessments.tests.bill_stage import asked, bill, bills
from assessments.tests.room_stage import built, incident
from assessments.tests.stage import attempt, published, stage

__all__ = ["asked", "attempt", "bill", "bills", "built", "incident", "published", "stage"]

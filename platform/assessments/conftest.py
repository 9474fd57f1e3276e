from __future__ import annotations

from assessments.cost.tests.cost_stage import asked, bill, bills
from assessments.tests.stage import attempt, published, stage
from assessments.troubleshooting.tests.troubleshooting_stage import built, incident

__all__ = ["asked", "attempt", "bill", "bills", "built", "incident", "published", "stage"]

from __future__ import annotations

from assessments.tests.stage import attempt, published, stage
from assessments.troubleshooting.tests.troubleshooting_stage import built, incident
from reviews.tests.cost_scene import bill_report, built_bill, cost_attempt
from reviews.tests.scaling_scene import built_plan, plan_attempt, plan_report
from reviews.tests.scene import clients, handed_in, scored
from reviews.tests.troubleshooting_scene import graded_report, room_attempt

__all__ = [
    "attempt",
    "bill_report",
    "built",
    "built_bill",
    "built_plan",
    "clients",
    "cost_attempt",
    "graded_report",
    "handed_in",
    "incident",
    "plan_attempt",
    "plan_report",
    "published",
    "room_attempt",
    "scored",
    "stage",
]

from __future__ import annotations

from assessments.tests.stage import attempt, published, stage
from assessments.troubleshooting.tests.troubleshooting_stage import built, incident
from reviews.tests.cost_scene import built_cost, cost_attempt, cost_report
from reviews.tests.scaling_scene import built_scaling, scaling_attempt, scaling_report
from reviews.tests.scene import clients, handed_in, scored
from reviews.tests.troubleshooting_scene import troubleshooting_attempt, troubleshooting_report

__all__ = [
    "attempt",
    "built",
    "built_cost",
    "built_scaling",
    "clients",
    "cost_attempt",
    "cost_report",
    "handed_in",
    "incident",
    "published",
    "scaling_attempt",
    "scaling_report",
    "scored",
    "stage",
    "troubleshooting_attempt",
    "troubleshooting_report",
]

from __future__ import annotations

from assessments.tests.stage import attempt, published, stage

__all__ = ["attempt", "published", "stage"]

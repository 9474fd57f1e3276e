from __future__ import annotations

from assessments.tests.stage import attempt, published, stage
from reviews.tests.scene import clients, handed_in, scored

__all__ = ["attempt", "clients", "handed_in", "published", "scored", "stage"]

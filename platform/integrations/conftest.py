from __future__ import annotations

from assessments.tests.stage import attempt, published, stage
from integrations.tests.world import api, receiver
from reviews.tests.scene import clients, handed_in, scored

__all__ = ["api", "attempt", "clients", "handed_in", "published", "receiver", "scored", "stage"]

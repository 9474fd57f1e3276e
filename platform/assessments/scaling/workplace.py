"""The candidate's planning room: orders, time line, money, risks, and what-ifs."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from assessments.kinds import Json, Room
from assessments.models import Attempt
from assessments.scaling import playing

PLAN = "plan.json"
PARTS = ("charts", "orders", "timeline", "money", "risks", "whatif")
STOPPED = "You stopped this what-if: it counts as none."
FAILED = (
    "The platform could not play your plan. That is our fault, not yours: it counts as none of your "
    "what-ifs, and the time it took is given back to you. Ask again; if it happens again, write to us."
)


class ScalingRoom(Room):
    """A run is a what-if. The page fills an empty plan with what the materials begin with."""

    name = "scaling"
    sheets = (*(f"scaling/plan_{part}" for part in PARTS), "scaling/plan")
    recorded = (
        "Each what-if that you play, with the plan it was played for and what came of it. What-ifs "
        "are there to help you: the interviewers can see them, and they are not scored."
    )
    run_words = {
        "infrastructure_error": FAILED,
        "stopped": STOPPED,
    }
    path = PLAN
    starter = "{}\n"
    key = "plan"
    inside = False
    empty = {}

    def play(
        self, attempt: Attempt, files: Mapping[str, str], workload: str, cancel: threading.Event
    ) -> Json | None:
        """In a process of its own."""
        return playing.play(attempt, files, workload, cancel)


KIND = ScalingRoom()

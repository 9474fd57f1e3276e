"""The candidate's planning room: orders, time line, money, risks, and what-ifs."""

from __future__ import annotations

from assessments.kinds import Room
from assessments.scaling.playing import play

PLAN = "plan.json"
PARTS = ("charts", "orders", "timeline", "money", "risks", "whatif")
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
        "are there to help you; they are not scored."
    )
    play = staticmethod(play)
    run_words = {
        "infrastructure_error": FAILED,
        "stopped": "You stopped this what-if: it counts as none.",
    }
    path = PLAN
    starter = "{}\n"
    key = "plan"
    inside = False
    empty = {}


KIND = ScalingRoom()

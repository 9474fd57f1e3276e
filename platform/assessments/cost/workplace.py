"""The candidate's tables: the bill, and the opportunities that are found in it."""

from __future__ import annotations

from pathlib import Path

from assessments.cost import store
from assessments.kinds import Room

OPPORTUNITIES = "opportunities.json"


class CostRoom(Room):
    """The tables are kept as a database beside the materials, which is built once."""

    name = "cost"
    sheets = (
        "troubleshooting/dashboards",
        "troubleshooting/query",
        "cost/pivot_chart",
        "cost/pivot",
        "cost/cost",
    )
    path = OPPORTUNITIES
    starter = '{"opportunities": []}\n'
    key = "opportunities"

    def built(self, folder: Path) -> None:
        """Waits for the database."""
        store.file_of(folder)

    def opened(self, folder: Path) -> None:
        """Waits for nothing."""
        store.prepare(folder)


KIND = CostRoom()

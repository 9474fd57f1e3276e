"""The candidate's incident room: logs, metrics, files, a terminal, and a board of hypotheses."""

from __future__ import annotations

from pathlib import Path

from assessments.kinds import Room
from assessments.materials.manifest import manifest_of
from assessments.troubleshooting import log_bundle

BOARD = "board.json"


class TroubleshootingRoom(Room):
    """The logs are packed into one bundle for the page."""

    name = "troubleshooting"
    sheets = ("troubleshooting/dashboards", "troubleshooting/query", "troubleshooting/heatmap")
    recorded = (
        "What you run in the exercise’s terminal, each line with its time, and what it printed. The "
        "interviewers can see it; it shows how you went about it, and no line is scored by itself."
    )
    path = BOARD
    starter = '{"hypotheses": []}\n'
    key = "hypotheses"

    def built(self, folder: Path) -> None:
        """Packs the logs."""
        log_bundle.bundle_of(folder, lambda: log_bundle.packed(folder, manifest_of(folder)))


KIND = TroubleshootingRoom()

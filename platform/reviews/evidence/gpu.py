"""What staff see of programs that train on a card: as of every program, but the whole may be revised."""

from __future__ import annotations

from reviews.evidence.automation import ProgramStaff


class GpuStaff(ProgramStaff):
    """Answers to hands-on GPU exercises."""


KIND = GpuStaff()

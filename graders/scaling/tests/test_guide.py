"""The guide names findings and measures as an interviewer sees them."""

from __future__ import annotations

import pytest

from graders.scaling.findings import findings
from graders.scaling.measuring import measures
from scenarios.packs import load_pack
from scenarios.scaling.levels import LEVELS


@pytest.mark.parametrize("level", LEVELS)
def test_every_finding_and_measure_is_in_the_guide_by_its_title(level: str) -> None:
    guide = " ".join(load_pack("scaling-plan/growth-year").guide(level).split())
    table = guide[guide.index("## What the findings mean") : guide.index("## Feedback")]
    assert [one["title"] for one in findings().values() if one["title"] not in table] == []
    said = guide[guide.index("## What the measures say") :]
    assert [one.label for one in measures().values() if f"*{one.label}*" not in said] == []

"""Where an assistant alone stands at an exercise, for beside a candidate's measures."""

from __future__ import annotations

from collections.abc import Sequence

from graders.assistant.lines import Line, line_of
from hiring.models import Exercise
from reviews.evidence.automation import Measure
from scenarios.packs import PackNotFound


def line_for(exercise: Exercise) -> Line | None:
    """What was measured for the exercise's pack and level; None where nobody has."""
    if not exercise.is_measured:
        return None
    try:
        return line_of(exercise.pack_name, exercise.level)
    except (PackNotFound, ValueError):
        return None


def beside(measures: Sequence[Measure], line: Line | None) -> list[Measure]:
    """The measures, each with where an assistant alone stands on it, as far as that was kept."""
    if line is None:
        return list(measures)
    return [row._replace(alone=line.measures.get(row.key)) for row in measures]

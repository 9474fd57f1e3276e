"""Grade a stored submission again and say where the report differs from the stored one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assessments import answers
from assessments.execution import sandbox, with_pack
from assessments.models import GradingRun
from graders.grading import grade


def grade_again(run: GradingRun) -> dict[str, Any]:
    """The report of a fresh grading of the same submission; stores nothing."""
    attempt = run.submission.attempt
    report = grade(
        attempt.pack_version.name,
        attempt.level,
        attempt.seed,
        answers.program(attempt, run.submission.body),
        sandbox(),
        run.hidden_workloads,
    )
    return with_pack(attempt, report.to_dict())


def compare(stored: Any, fresh: Any) -> list[str]:
    """Where two reports differ, as "path: stored -> fresh"; empty where they are the same."""
    return list(_differences(stored, fresh, "report"))


def _differences(stored: Any, fresh: Any, path: str) -> Iterator[str]:
    if isinstance(stored, dict) and isinstance(fresh, dict):
        for key in sorted(set(stored) | set(fresh)):
            yield from _differences(stored.get(key), fresh.get(key), f"{path}.{key}")
    elif isinstance(stored, list) and isinstance(fresh, list) and len(stored) == len(fresh):
        for number, (left, right) in enumerate(zip(stored, fresh, strict=True)):
            yield from _differences(left, right, f"{path}[{number}]")
    elif stored != fresh:
        yield f"{path}: {stored!r} -> {fresh!r}"

"""What the doctor says: one finding for each thing that was looked at, with its cure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class State(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Finding:
    """`said`: one sentence on what was found; `cure`: one on what to do, empty where all is well."""

    name: str
    state: State
    said: str
    cure: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


Check = Callable[[], Iterable[Finding]]


def well(name: str, said: str) -> Finding:
    return Finding(name, State.OK, said)


def warning(name: str, said: str, cure: str) -> Finding:
    return Finding(name, State.WARNING, said, cure)


def failed(name: str, said: str, cure: str) -> Finding:
    return Finding(name, State.FAILED, said, cure)


def looked_at(checks: dict[str, Check]) -> Iterator[Finding]:
    """Every check's findings; one that breaks is itself a finding and stops no other."""
    for name, check in checks.items():
        try:
            yield from check()
        except Exception as error:
            what = f"{type(error).__name__}: {error}".strip().partition("\n")[0]
            yield failed(name, f"Could not be looked at: {what}", "Mend what is said above first.")


def whole(findings: list[Finding]) -> dict[str, Any]:
    """Plain JSON data: whether all is well, and the findings."""
    return {
        "well": not any(one.state == State.FAILED for one in findings),
        "findings": [one.to_dict() for one in findings],
    }


MARKS = {State.OK: "ok     ", State.WARNING: "look at", State.FAILED: "FAILED "}


def plain(findings: list[Finding]) -> str:
    """The findings for a person, a cure below each that needs one."""
    lines = []
    for one in findings:
        lines.append(f"{MARKS[one.state]}  {one.name}: {one.said}")
        lines += [f"         → {one.cure}"] if one.cure else []
    count = sum(one.state == State.FAILED for one in findings)
    also = sum(one.state == State.WARNING for one in findings)
    lines += ["", f"{count} failed, {also} to look at, {len(findings)} looked at."]
    return "\n".join(lines)

"""What a program of the console leaves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """What a program wrote to its two outputs, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0

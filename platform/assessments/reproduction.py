"""Say where two reports of the same grading differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


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

"""Exchanges written from the systems' public documentation, each with the page that it follows.

What stands in braces is filled in by the test; "text" is any text. `same_form` compares what we send or
answer with a recording: the same names everywhere, values of the same kind, and nothing beside them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "recordings"


def recordings(system: str) -> dict[str, Any]:
    """Name -> exchange."""
    rows = json.loads((FOLDER / f"{system}.json").read_text())
    return {row["name"]: row for row in rows}


def filled(value: Any, **given: Any) -> Any:
    """The recording with what stands in braces filled in."""
    if isinstance(value, dict):
        return {key: filled(one, **given) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, **given) for one in value]
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return given[value[1:-1]]
    return value.format(**given) if isinstance(value, str) and "{" in value else value


def same_form(said: Any, recorded: Any, where: str = "") -> None:
    """Assert that what was said has the recording's form; an empty object or list stands for any."""
    if isinstance(recorded, dict):
        assert isinstance(said, dict), where
        if recorded:
            assert set(said) == set(recorded), where
        for key, value in recorded.items():
            same_form(said[key], value, f"{where}.{key}")
    elif isinstance(recorded, list):
        assert isinstance(said, list), where
        for number, one in enumerate(said):
            if recorded:
                same_form(one, recorded[0], f"{where}[{number}]")
    elif isinstance(recorded, bool) or recorded is None:
        assert said is recorded, where
    elif isinstance(recorded, int | float):
        assert isinstance(said, int | float), where
    else:
        assert isinstance(said, str), where
        assert said, where

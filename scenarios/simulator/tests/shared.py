"""Reference data that stays outside the project: found beside it, or the test says why it cannot run."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[4] / "shared"


def shared(relative: str) -> Path:
    """The file; skips with the reason where it is absent, fails if HEADNODE_REQUIRE_ALL=1."""
    path = FOLDER / relative
    if not path.exists():
        reason = f"reference data {relative} is not beside the project"
        if os.environ.get("HEADNODE_REQUIRE_ALL") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def table(relative: str) -> list[dict[str, str]]:
    """The rows of a CSV of the reference data."""
    with shared(relative).open(newline="") as lines:
        return list(csv.DictReader(lines))

"""What a variant's manifest says of its files."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from assessments.materials import variants


@lru_cache(maxsize=64)
def manifest_of(folder: Path) -> dict[str, Any]:
    """What the variant's manifest says; a folder never changes once it is there."""
    data: dict[str, Any] = json.loads((folder / variants.MANIFEST).read_text(encoding="utf-8"))
    return data


@lru_cache(maxsize=64)
def listed(folder: Path) -> frozenset[str]:
    """The files that may be asked for by name."""
    return frozenset(row["path"] for row in manifest_of(folder)["files"])

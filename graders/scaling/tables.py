"""Words and figures of the grader that are data: the TOML files of this folder, each read once."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table(name: str) -> Mapping[str, Any]:
    """What NAME.toml holds; nobody changes it."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))

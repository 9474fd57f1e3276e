"""Small JSON files that are whole or absent, whatever happens; knows nothing of what is in them."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


class Unreadable(Exception):
    """A file of ours that somebody else has changed; one sentence that says what to do."""


def read(path: Path) -> dict[str, Any] | None:
    """None when there is none. Raises Unreadable."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise Unreadable(f"The file {path} cannot be read: look at it, then remove it.")
    return content


def write(path: Path, content: dict[str, Any], *, only_new: bool = False) -> bool:
    """All or nothing, on the disk before it returns. False when `only_new` and there was one."""
    draft, name = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
    try:
        os.fchmod(draft, 0o640)
        with os.fdopen(draft, "w") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        if not only_new:
            os.replace(name, path)
            return True
        try:
            os.link(name, path)
        except FileExistsError:
            return False
        return True
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)

"""The commit that figures were made from."""

from __future__ import annotations

import subprocess


def commit() -> str:
    """Short hash of HEAD, with a plus where the working tree differs from it."""
    answer = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    return answer.stdout.strip()

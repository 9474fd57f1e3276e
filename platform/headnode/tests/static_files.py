"""Where static files lie before they are collected."""

from __future__ import annotations

from pathlib import Path

PLATFORM = Path(__file__).resolve().parents[2]


def static_file(name: str) -> Path:
    """The file behind /static/<name>: its first folder is named for the app that it lives with."""
    return PLATFORM / name.partition("/")[0] / "static" / name


def own_files(suffix: str) -> dict[str, Path]:
    """All of ours that end so, by the name that pages ask for; without the libraries of others."""
    return {
        path.relative_to(folder).as_posix(): path
        for folder in sorted(PLATFORM.glob("*/static"))
        for path in sorted(folder.rglob(f"*{suffix}"))
        if "vendor" not in path.parts
    }
